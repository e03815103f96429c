// Megabytes a second that each text format is parsed at on one core, beside a bare search for the line ends of the same
// text: the time no reader can go below. The texts are made here, as data files hold them.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/jsonl.h"
#include "plumb/data/libsvm.h"
#include "plumb/data/vw.h"

namespace {

constexpr std::size_t text_bytes = std::size_t{1} << 20;  // of one piece
constexpr int rounds = 101;

double thread_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Lines until a piece is full.
std::string piece_of(const std::function<std::string(std::mt19937_64&)>& line) {
  std::mt19937_64 random(1);
  std::string text;
  while (text.size() < text_bytes) text += line(random) + "\n";
  return text;
}

std::string decimal(const char* format, std::mt19937_64& random) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return buffer;
}

// Fourteen of some hundred features, as one-hot coded categories give.
std::string libsvm_ones(std::mt19937_64& random) {
  std::string line = random() % 4 == 0 ? "+1" : "-1";
  for (std::uint64_t i = 0; i < 14; ++i) line += " " + std::to_string(i * 9 + 1 + random() % 9) + ":1";
  return line;
}

std::string libsvm_decimals(std::mt19937_64& random) {
  std::string line = random() % 2 == 0 ? "+1" : "-1";
  for (int i = 1; i < 14; ++i) line += " " + std::to_string(i) + ":" + decimal("%.6g", random);
  return line;
}

// Seventy words of a large vocabulary and their weights.
std::string libsvm_text(std::mt19937_64& random) {
  std::string line = random() % 2 == 0 ? "1" : "-1";
  std::uint64_t index = 0;
  for (int i = 0; i < 70; ++i) {
    index += 1 + random() % 1000;
    line += " " + std::to_string(index) + ":0." + std::to_string(100000 + random() % 900000);
  }
  return line;
}

// Twenty words of twenty thousand, half of them with a weight.
std::string vw_words(std::mt19937_64& random) {
  std::string line = random() % 2 == 0 ? "1 |text" : "-1 |text";
  for (int i = 0; i < 20; ++i) {
    line += " word" + std::to_string(random() % 200 * (random() % 100));
    if (i % 2 == 0) line += ":" + decimal("%.4f", random);
  }
  return line;
}

std::string vw_columns(std::mt19937_64& random) {
  std::string line = decimal("%.3f", random) + " |";
  for (int i = 0; i < 12; ++i) line += " column" + std::to_string(i) + ":" + decimal("%.6g", random);
  return line;
}

std::string json_numbers(std::mt19937_64& random) {
  std::string line = "{";
  for (int i = 0; i < 15; ++i)
    line += std::string(i == 0 ? "" : ", ") + "\"column" + std::to_string(i) + "\": " + decimal("%.6g", random);
  return line + "}";
}

std::string json_mixed(std::mt19937_64& random) {
  return "{\"age\":" + std::to_string(random() % 90) + ",\"city\":\"city " + std::to_string(random() % 50) +
         "\",\"member\":" + (random() % 2 == 0 ? "true" : "false") + ",\"income\":" + decimal("%.2f", random) +
         ",\"note\":null}";
}

std::uint64_t seen = 0;  // printed, so that nothing can be left out

std::uint64_t newlines(std::string_view text) {
  std::uint64_t lines = 0;
  for (const char* p = text.data(); p != text.data() + text.size(); ++p, ++lines) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text.data() + text.size() - p)));
    if (p == nullptr) break;
  }
  return lines;
}

double best_speed(std::string_view text, const std::function<std::uint64_t(std::string_view)>& parse) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double start = thread_nanoseconds();
    seen += parse(text);
    best = std::min(best, thread_nanoseconds() - start);
  }
  return 1e3 * static_cast<double>(text.size()) / best;
}

void compare(const char* name, const std::string& text, const std::function<std::uint64_t(std::string_view)>& parse) {
  std::printf("%-28s %8.0f %12.0f   %.40s\n", name, best_speed(text, parse), best_speed(text, newlines), text.c_str());
}

std::uint64_t jsonl(std::string_view text) {
  std::vector<std::string> names;
  std::vector<plumb::Selected> wanted;
  const std::string_view first = text.substr(0, text.find('\n'));
  for (const plumb::JsonlKey& key : plumb::keys_of_jsonl(first)) {
    wanted.push_back({names.size(), key.guess.kind()});
    names.push_back(key.name);
  }
  return plumb::parse_jsonl(text, {names, wanted}).rows;
}

std::uint64_t vw(std::string_view text) { return plumb::parse_vw(text, {}).entries.index.size(); }

std::uint64_t libsvm(std::string_view text) { return plumb::parse_libsvm(text, {}).entries.index.size(); }

}  // namespace

int main() {
  std::printf("%-28s %8s %12s   %s\n", "MB/s", "parse", "line ends", "for example");
  compare("LIBSVM, ones", piece_of(libsvm_ones), libsvm);
  compare("LIBSVM, 6 digits", piece_of(libsvm_decimals), libsvm);
  compare("LIBSVM, words", piece_of(libsvm_text), libsvm);
  compare("VW, words", piece_of(vw_words), vw);
  compare("VW, columns", piece_of(vw_columns), vw);
  compare("JSON lines, 15 numbers", piece_of(json_numbers), jsonl);
  compare("JSON lines, mixed", piece_of(json_mixed), jsonl);
  std::printf("(seen %llu)\n", static_cast<unsigned long long>(seen));
}
