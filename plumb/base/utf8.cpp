#include "plumb/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace plumb {
namespace {

bool in(unsigned char byte, unsigned low, unsigned high) noexcept { return byte >= low && byte <= high; }

// Bytes of the character at the start of text (not empty), 0 if it is invalid. Unicode Standard, table 3-7.
std::size_t character_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned char lead = static_cast<unsigned char>(byte(0)), second = static_cast<unsigned char>(byte(1));
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  if (lead < 0x80) return 1;
  if (in(lead, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (in(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;  // no overlong, no surrogates
    return in(second, low, high) && continues(2) ? 3 : 0;
  }
  if (in(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;  // no overlong, <= U+10FFFF
    return in(second, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

void append_hex(std::string& out, char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += digits[value >> 4];
  out += digits[value & 15];
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t all[4];
    if (text.size() - at >= sizeof all) {
      std::memcpy(all, text.data() + at, sizeof all);
      if (((all[0] | all[1] | all[2] | all[3]) & 0x8080808080808080u) == 0) {
        at += sizeof all;
        continue;
      }
    }
    std::uint64_t eight;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    if ((text[at] & 0x80) == 0) {  // saves a call for each of the last bytes, which in short texts are all
      ++at;
      continue;
    }
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

bool valid_utf8(std::string_view text) noexcept { return first_invalid_utf8(text) == std::string_view::npos; }

std::string utf8_from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) out.push_back(static_cast<char>(0xC0 | byte >> 6));
    out.push_back(byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3F)));
  }
  return out;
}

std::string utf8_replaced(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const std::size_t valid = first_invalid_utf8(text);
    out += text.substr(0, valid);
    if (valid == std::string_view::npos) return out;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(valid + 1);
  }
}

std::string escaped_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool control = byte < 0x20 || byte == 0x7F ||
                         (length == 2 && byte == 0xC2 && in(static_cast<unsigned char>(text[1]), 0x80, 0x9F));
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !control) {
      out += character;
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\r') {
      out += "\\r";
    } else if (byte == '\t') {
      out += "\\t";
    } else {
      for (const char each : character) append_hex(out, each);
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace plumb
