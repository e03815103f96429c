// make_data KIND MEGABYTES FILE: a file of some kind, the same for the same arguments.
// make_data gzip|zstd FROM FILE: FROM compressed, at the default level of gzip and zstd.
#include <zlib.h>
#include <zstd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/measure.h"

namespace {

class Draws {
 public:
  std::uint64_t below(std::uint64_t n) { return bits_() % n; }
  double normal() { return normal_(bits_); }
  bool coin() { return bits_() % 2 == 0; }

 private:
  std::mt19937_64 bits_{1};
  std::normal_distribution<double> normal_;
};

void add(std::string& line, std::uint64_t number) {
  char buffer[32];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

// Six significant digits, as %.6g and most programs write them.
void add(std::string& line, double number, int digits = 6, std::chars_format format = std::chars_format::general) {
  char buffer[64];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format, digits).ptr);
}

// Fourteen of 126 features, like one-hot coded categories: a9a.
void libsvm_ones(Draws& draw, std::string& line) {
  line += draw.below(4) == 0 ? "+1" : "-1";
  for (std::uint64_t i = 0; i < 14; ++i) {
    line += ' ';
    add(line, i * 9 + 1 + draw.below(9));
    line += ":1";
  }
}

// Seventy words of a vocabulary of 47,000 and their weights: rcv1.
void libsvm_decimals(Draws& draw, std::string& line) {
  line += draw.coin() ? "1" : "-1";
  for (std::uint64_t i = 0, index = 0; i < 70; ++i) {
    index += 1 + draw.below(1340);
    line += ' ';
    add(line, index);
    line += ":0.";
    add(line, 100'000 + draw.below(900'000));
  }
}

constexpr int csv_columns = 50;  // the last is the target

void csv_numbers(Draws& draw, std::string& line) {
  double sum = 0;
  for (int i = 1; i < csv_columns; ++i) {
    const double x = draw.normal();
    sum += x;
    add(line, x);
    line += ',';
  }
  add(line, sum + draw.normal());
}

void jsonl_numbers(Draws& draw, std::string& line) {
  for (std::uint64_t i = 0; i < 15; ++i) {
    line += i == 0 ? "{\"column" : ", \"column";
    add(line, i);
    line += "\": ";
    add(line, draw.normal());
  }
  line += '}';
}

void jsonl_mixed(Draws& draw, std::string& line) {
  line += "{\"age\":";
  add(line, draw.below(90));
  line += ",\"city\":\"city ";
  add(line, draw.below(50));
  line += draw.coin() ? "\",\"member\":true" : "\",\"member\":false";
  line += ",\"income\":";
  add(line, 1000 * draw.normal(), 2, std::chars_format::fixed);
  line += ",\"note\":null}";
}

// Twenty words of some ten thousand, half of them with a weight.
void vw_words(Draws& draw, std::string& line) {
  line += draw.coin() ? "1 |text" : "-1 |text";
  for (int i = 0; i < 20; ++i) {
    line += " word";
    add(line, draw.below(200) * draw.below(100));
    if (i % 2 == 0) {
      line += ':';
      add(line, draw.normal(), 4, std::chars_format::fixed);
    }
  }
}

std::string csv_header() {
  std::string line;
  for (std::uint64_t i = 1; i < csv_columns; ++i) {
    line += 'x';
    add(line, i);
    line += ',';
  }
  return line + "y\n";
}

// One of 150,000 words by Zipf's law, or, more often than not, one of those that often follow `before`: so pairs of
// words repeat about as often as in English.
std::uint64_t next_word(Draws& draw, std::uint64_t before) {
  const auto rank = [&](double most) {
    return static_cast<std::uint64_t>(
        std::exp(static_cast<double>(draw.below(1u << 24)) / (1u << 24) * std::log(most)));
  };
  if (draw.below(10) < 4) return rank(150'000);
  const std::uint64_t mixed = (before * 1000 + rank(60)) * 0x9E3779B97F4A7C15;
  return static_cast<std::uint64_t>(std::exp(static_cast<double>(mixed >> 40) / (1u << 24) * std::log(20'000)));
}

// Letters of a word: common words are short. letter(k) appends the k-th letter of the alphabet.
template <class Letter>
void spell(std::uint64_t word, std::uint64_t letters, Letter letter) {
  std::uint64_t bits = word * 0xE7037ED1A0B428DB;
  const std::uint64_t length = 1 + (bits >> 61) / 2 + (std::bit_width(word) + 1) / 3;
  for (std::uint64_t i = 0; i < length; ++i, bits = bits * 0xA0761D6478BD642F + 1) letter((bits >> 40) % letters);
}

// A label, a tab and a review of 100 to 400 words.
void text_words(Draws& draw, std::string& line) {
  line += draw.coin() ? "neg\t" : "pos\t";
  bool capital = true;
  std::uint64_t word = 1;
  for (std::uint64_t i = 100 + draw.below(300); i > 0; --i) {
    word = next_word(draw, word);
    const std::size_t begin = line.size();
    spell(word, 26, [&](std::uint64_t k) { line.push_back(static_cast<char>('a' + k)); });
    if (capital) line[begin] = static_cast<char>(line[begin] - 32);
    capital = draw.below(12) == 0;
    line += capital ? ". " : draw.below(10) == 0 ? ", " : " ";
  }
}

void append_utf8(std::string& line, std::uint64_t code) {
  if (code >= 0x800) line.push_back(static_cast<char>(0xE0 | code >> 12));
  line.push_back(static_cast<char>(code >= 0x800 ? 0x80 | (code >> 6 & 63) : 0xC0 | code >> 6));
  line.push_back(static_cast<char>(0x80 | (code & 63)));
}

// The same in Greek, Chinese and, for every fifth word, English letters.
void text_beyond_ascii(Draws& draw, std::string& line) {
  line += draw.coin() ? "neg\t" : "pos\t";
  std::uint64_t word = 1;
  for (std::uint64_t i = 100 + draw.below(300); i > 0; --i) {
    word = next_word(draw, word);
    if (word % 5 == 0) {
      spell(word, 26, [&](std::uint64_t k) { line.push_back(static_cast<char>('a' + k)); });
    } else if (word % 5 < 3) {
      const std::uint64_t first = draw.below(10) == 0 ? 0x391 : 0x3B1;  // capital or small alpha
      spell(word, 17, [&](std::uint64_t k) { append_utf8(line, first + k); });
    } else {
      append_utf8(line, 0x4E00 + word % 20'000);
      append_utf8(line, 0x4E00 + word * 7 % 3'000);
    }
    line += ' ';
  }
}

struct Kind {
  std::string_view name;
  void (*line)(Draws&, std::string&);
  std::string header = {};
};

const Kind kinds[] = {{"text_words", text_words},         {"text_beyond_ascii", text_beyond_ascii},
                      {"libsvm_ones", libsvm_ones},       {"libsvm_decimals", libsvm_decimals},
                      {"csv", csv_numbers, csv_header()}, {"jsonl_numbers", jsonl_numbers},
                      {"jsonl_mixed", jsonl_mixed},       {"vw_words", vw_words}};

void write_kind(const Kind& kind, std::size_t bytes, std::ofstream& out) {
  Draws draw;
  std::string text = kind.header;
  for (std::size_t written = 0; written + text.size() < bytes;) {
    kind.line(draw, text);
    text += '\n';
    if (text.size() >= (1u << 20)) {
      out << text;
      written += text.size();
      text.clear();
    }
  }
  out << text;
}

std::string gzip_of(std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate did not finish");
  return packed;
}

std::string zstd_of(const std::string& text) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 3);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), text.data(), text.size());
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

int make(std::string_view kind, const char* from, const char* path) {
  std::ofstream out(path, std::ios::binary);
  if (kind == "gzip" || kind == "zstd") {
    std::ifstream in(from, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    out << (kind == "gzip" ? gzip_of(text) : zstd_of(text));
  } else {
    const auto found = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.name == kind; });
    if (found == std::end(kinds)) throw std::runtime_error("there is no kind " + std::string(kind));
    std::size_t megabytes = 0;
    std::from_chars(from, from + std::char_traits<char>::length(from), megabytes);
    write_kind(*found, megabytes * 1'000'000, out);
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + std::string(path));
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("make_data", [&] {
    if (count != 4) throw std::runtime_error("make_data KIND MEGABYTES FILE, or make_data gzip|zstd FROM FILE");
    return make(argument[1], argument[2], argument[3]);
  });
}
