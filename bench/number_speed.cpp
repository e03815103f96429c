// Nanoseconds per number of parse_number compared with std::from_chars and strtod, on typical texts of data files: a
// table, or with the argument json an object of objects.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"

namespace {

constexpr std::size_t numbers = 10'000;
constexpr int rounds = 401;

// Numbers as in a file: one after the other, each with one character after it.
struct Texts {
  std::string all;
  std::vector<std::string_view> each;
};

Texts texts(const char* format, double low, double high) {
  std::mt19937_64 random(1);
  Texts result;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < numbers; ++i) {
    char buffer[64];
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    std::snprintf(buffer, sizeof buffer, format, low + (high - low) * u);
    result.all += buffer;
    ends.push_back(result.all.size());
    result.all += ',';
  }
  for (std::size_t i = 0, begin = 0; i < numbers; begin = ends[i++] + 1) {
    result.each.emplace_back(result.all.data() + begin, ends[i] - begin);
  }
  return result;
}

double ours(std::string_view text) { return plumb::parse_number(text).value; }

double from_chars(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double with_strtod(std::string_view text) { return std::strtod(text.data(), nullptr); }

double sum = 0;  // printed, so that nothing is optimised away

double nanoseconds_a_number(const Texts& texts, double (*parse)(std::string_view)) {
  const double start = bench::thread_seconds();
  for (const auto text : texts.each) sum += parse(text);
  return 1e9 * (bench::thread_seconds() - start) / static_cast<double>(numbers);
}

struct Kind {
  const char* name;
  const char* format;
  double low, high;
};

constexpr Kind kinds[] = {{"small integers", "%.0f", 0, 100}, {"two decimals", "%.2f", -100, 1000},
                          {"6 digits", "%.6g", -1, 1},        {"6 decimals", "%.6f", 0, 1},
                          {"17 digits", "%.17g", -1, 1},      {"17 digits and an exponent", "%.16e", -1e-20, 1e-20},
                          {"30 digits", "%.30f", 0, 1}};

struct Best {
  double ours = std::numeric_limits<double>::infinity(), from_chars = ours, strtod = ours;
};

// The minimum over interleaved rounds: other programs can only add to it.
Best best_of(const Texts& texts) {
  Best best;
  for (int round = 0; round < rounds; ++round) {
    best.ours = std::min(best.ours, nanoseconds_a_number(texts, ours));
    best.from_chars = std::min(best.from_chars, nanoseconds_a_number(texts, from_chars));
    best.strtod = std::min(best.strtod, nanoseconds_a_number(texts, with_strtod));
  }
  return best;
}

void print_json() {
  plumb::JsonWriter json;
  json.begin_object();
  for (const Kind& kind : kinds) {
    const Best best = best_of(texts(kind.format, kind.low, kind.high));
    json.key(kind.name).begin_object().member("ours", best.ours);
    json.member("from_chars", best.from_chars).member("strtod", best.strtod).end_object();
  }
  json.end_object();
  std::puts(json.take().c_str());
}

void print_table() {
  std::printf("%-26s %-34s %6s %11s %7s %9s\n", "nanoseconds a number", "for example", "plumb", "from_chars", "strtod",
              "MB/s");
  for (const Kind& kind : kinds) {
    const Texts all = texts(kind.format, kind.low, kind.high);
    const Best best = best_of(all);
    const double bytes = static_cast<double>(all.all.size()) / static_cast<double>(numbers);
    const std::string example(all.each[0]);
    std::printf("%-26s %-34s %6.1f %11.1f %7.1f %9.0f\n", kind.name, example.c_str(), best.ours, best.from_chars,
                best.strtod, 1e3 * bytes / best.ours);
  }
}

}  // namespace

int main(int count, char** argument) {
  if (count == 2 && std::strcmp(argument[1], "json") == 0) {
    print_json();
  } else {
    print_table();
  }
  std::fprintf(stderr, "(sum %.6g)\n", sum);
}
