#include "plumb/data/encoding.h"

#include <algorithm>
#include <utility>

#include "plumb/base/utf8.h"

namespace plumb {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct ByteRange {
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

// For a lead byte: the number of bytes of its character, 0 if it begins none, and the range of the second (table 3-7).
std::size_t length_by_lead(unsigned char lead, ByteRange& second) noexcept {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead == 0xE0) second.low = 0xA0;
  if (lead == 0xED) second.high = 0x9F;
  if (lead == 0xF0) second.low = 0x90;
  if (lead == 0xF4) second.high = 0x8F;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// The longest part at the start of the text (not empty) that could begin a character; `whole` if it is one.
std::size_t longest_start(std::string_view text, bool& whole) noexcept {
  ByteRange range;
  const std::size_t length = length_by_lead(static_cast<unsigned char>(text[0]), range);
  std::size_t got = 1;
  for (; got < length && got < text.size(); ++got) {
    const auto byte = static_cast<unsigned char>(text[got]);
    if (byte < range.low || byte > range.high) break;
    range = {};
  }
  whole = got == length;
  return got;
}

// How many bytes at the end of a text may begin a character that ends beyond it.
std::size_t unfinished(std::string_view text) noexcept {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::string_view end = text.substr(text.size() - back);
    if ((static_cast<unsigned char>(end[0]) & 0xC0) == 0x80) continue;
    ByteRange range;
    bool whole = false;
    return longest_start(end, whole) == back && !whole &&
                   length_by_lead(static_cast<unsigned char>(end[0]), range) > back
               ? back
               : 0;
  }
  return 0;
}

}  // namespace

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

std::string with_replacements(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (true) {
    const std::size_t good = first_invalid_utf8(bytes);
    text += bytes.substr(0, good);
    if (good == std::string_view::npos) return text;
    bytes.remove_prefix(good);
    bool whole = false;
    bytes.remove_prefix(longest_start(bytes, whole));
    text += kReplacement;
  }
}

std::string Recoder::recode(std::string_view part, bool last) {
  if (encoding_ == Encoding::latin1) return latin1_to_utf8(part);
  std::string bytes = std::exchange(held_, {}) + std::string(part);
  if (!last) {
    held_ = bytes.substr(bytes.size() - unfinished(bytes));
    bytes.resize(bytes.size() - held_.size());
  }
  return encoding_ == Encoding::replace ? with_replacements(bytes) : bytes;
}

}  // namespace plumb
