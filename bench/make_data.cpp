// make_data KIND MEGABYTES FILE: a file of some kind, the same for the same arguments.
// make_data gzip|zstd FROM FILE: FROM packed, at the level that the gzip and zstd programs take unasked.
#include <zlib.h>
#include <zstd.h>

#include <charconv>
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

// Fourteen of 126 features, as one-hot coded categories give: a9a.
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

struct Kind {
  std::string_view name;
  void (*line)(Draws&, std::string&);
  std::string header = {};
};

const Kind kinds[] = {{"libsvm_ones", libsvm_ones},       {"libsvm_decimals", libsvm_decimals},
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
