// Nanoseconds per number of parse_number against std::from_chars and strtod, on texts as data files hold them.
// Build: g++ -std=c++20 -O3 -ffp-contract=off -I. bench/number_speed.cpp plumb/base/number.cpp -o number_speed
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/number.h"

namespace {

constexpr std::size_t numbers = 10'000;
constexpr int rounds = 401;

// Numbers as they lie in a file: one after the other, each with one character after it.
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

double thread_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double ours(std::string_view text) { return plumb::parse_number(text).value; }

double from_chars(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double with_strtod(std::string_view text) { return std::strtod(text.data(), nullptr); }

double sum = 0;  // printed, so that nothing can be left out

double nanoseconds_a_number(const Texts& texts, double (*parse)(std::string_view)) {
  const double start = thread_nanoseconds();
  for (const auto text : texts.each) sum += parse(text);
  return (thread_nanoseconds() - start) / static_cast<double>(numbers);
}

// The minimum over interleaved rounds: other programs can only add to it.
void compare(const char* name, const Texts& texts) {
  double best[3];
  std::fill(best, best + 3, std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    best[0] = std::min(best[0], nanoseconds_a_number(texts, ours));
    best[1] = std::min(best[1], nanoseconds_a_number(texts, from_chars));
    best[2] = std::min(best[2], nanoseconds_a_number(texts, with_strtod));
  }
  const double bytes = static_cast<double>(texts.all.size()) / static_cast<double>(numbers);
  const std::string example(texts.each[0]);
  std::printf("%-26s %-34s %6.1f %11.1f %7.1f %9.0f\n", name, example.c_str(), best[0], best[1], best[2],
              1e3 * bytes / best[0]);
}

}  // namespace

int main() {
  std::printf("%-26s %-34s %6s %11s %7s %9s\n", "nanoseconds a number", "for example", "plumb", "from_chars", "strtod",
              "MB/s");
  compare("small integers", texts("%.0f", 0, 100));
  compare("two decimals", texts("%.2f", -100, 1000));
  compare("6 digits", texts("%.6g", -1, 1));
  compare("6 decimals", texts("%.6f", 0, 1));
  compare("17 digits", texts("%.17g", -1, 1));
  compare("17 digits and an exponent", texts("%.16e", -1e-20, 1e-20));
  compare("30 digits", texts("%.30f", 0, 1));
  std::printf("(sum %.6g)\n", sum);
}
