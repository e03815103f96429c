#include "plumb/text/word_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "plumb/text/unicode.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace plumb {
namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kRoom = 64;  // bytes past the end that can be read and written

// The class of 16 bytes, a bit for each.
struct Classes {
  std::uint32_t word;
  std::uint32_t beyond_ascii;
};

#ifdef __SSE2__

// Whether bytes are in [low, low + count): after shifting them to the smallest values of a byte, one comparison is
// enough.
__m128i in_set(__m128i bytes, char low, char count) noexcept {
  return _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(count - 128)),
                        _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(128 - low))));
}

// Copies 16 bytes, in lowercase if requested. Setting one bit makes a letter lowercase, and no other byte a letter.
template <bool lowercase, bool underscore>
[[gnu::always_inline]] inline Classes classify(const char* from, char* to) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), small = _mm_set1_epi8(0x20);
  const __m128i letter = in_set(_mm_or_si128(bytes, small), 'a', 26);
  __m128i word = _mm_or_si128(letter, in_set(bytes, '0', 10));
  if (underscore) word = _mm_or_si128(word, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   lowercase ? _mm_or_si128(bytes, _mm_and_si128(letter, small)) : bytes);
  return {static_cast<std::uint32_t>(_mm_movemask_epi8(word)), static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))};
}

// The same with 32 bytes in a register, for whole words of 64 (scan_ascii).
[[gnu::target("avx2")]] inline __m256i in_set(__m256i bytes, char low, char count) noexcept {
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count - 128)),
                           _mm256_add_epi8(bytes, _mm256_set1_epi8(static_cast<char>(128 - low))));
}

template <bool lowercase, bool underscore>
[[gnu::target("avx2")]] std::size_t scan_ascii_avx2(const char* from, std::size_t size, bool stop_beyond, char* to,
                                                    std::uint64_t* words) noexcept {
  const __m256i small = _mm256_set1_epi8(0x20);
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    std::uint64_t word = 0;
    std::uint32_t beyond = 0;
    for (unsigned i = 0; i < 64; i += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at + i));
      const __m256i letter = in_set(_mm256_or_si256(bytes, small), 'a', 26);
      __m256i parts = _mm256_or_si256(letter, in_set(bytes, '0', 10));
      if (underscore) parts = _mm256_or_si256(parts, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('_')));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at + i),
                          lowercase ? _mm256_or_si256(bytes, _mm256_and_si256(letter, small)) : bytes);
      word |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(parts))} << i;
      beyond |= static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    }
    if (beyond != 0 && stop_beyond) break;
    words[at / 64] = word;
  }
  return at;
}

#else

constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;

// The high bit of each byte says whether the byte is in [low, high]; all bytes are below 128.
std::uint64_t in_set(std::uint64_t bytes, unsigned char low, unsigned char high) noexcept {
  return (bytes + kOnes * (0x80u - low)) & ~(bytes + kOnes * (0x7Fu - high)) & kHigh;
}

// Eight bytes in one word, the first in the lowest bits.
std::uint32_t high_bits(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes >> 7) * 0x0102040810204080 >> 56);
}

template <bool lowercase, bool underscore>
[[gnu::always_inline]] inline Classes classify(const char* from, char* to) noexcept {
  Classes classes{0, 0};
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t all;
    std::memcpy(&all, from + 8 * half, 8);
    const std::uint64_t beyond = all & kHigh, bytes = all & ~kHigh;
    const std::uint64_t small = bytes | in_set(bytes, 'A', 'Z') >> 2;
    std::uint64_t word = in_set(small, 'a', 'z') | in_set(bytes, '0', '9');
    if (underscore) word |= in_set(bytes, '_', '_');
    const std::uint64_t out = (lowercase ? all | (in_set(bytes, 'A', 'Z') & ~beyond) >> 2 : all);
    std::memcpy(to + 8 * half, &out, 8);
    classes.word |= high_bits(word & ~beyond) << 8 * half;
    classes.beyond_ascii |= high_bits(beyond) << 8 * half;
  }
  return classes;
}

#endif

// Whole words of 64 bytes while there are any; stops before the first with a byte beyond ASCII, if those matter.
// Returns how many bytes were done.
template <bool lowercase, bool underscore>
std::size_t scan_ascii(const char* from, std::size_t size, bool stop_beyond, char* to, std::uint64_t* words) noexcept {
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    std::uint64_t word = 0;
    std::uint32_t beyond = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const Classes classes = classify<lowercase, underscore>(from + at + kStep * i, to + at + kStep * i);
      word |= std::uint64_t{classes.word} << kStep * i;
      beyond |= classes.beyond_ascii;
    }
    if (beyond != 0 && stop_beyond) break;
    words[at / 64] = word;
  }
  return at;
}

// Writes the bytes of a character; four can always be written.
std::size_t write_character(char* to, char32_t code) noexcept {
  if (code < 0x80) {
    to[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    to[0] = static_cast<char>(0xC0 | code >> 6);
    to[1] = static_cast<char>(0x80 | (code & 63));
    return 2;
  }
  if (code < 0x10000) {
    to[0] = static_cast<char>(0xE0 | code >> 12);
    to[1] = static_cast<char>(0x80 | (code >> 6 & 63));
    to[2] = static_cast<char>(0x80 | (code & 63));
    return 3;
  }
  to[0] = static_cast<char>(0xF0 | code >> 18);
  to[1] = static_cast<char>(0x80 | (code >> 12 & 63));
  to[2] = static_cast<char>(0x80 | (code >> 6 & 63));
  to[3] = static_cast<char>(0x80 | (code & 63));
  return 4;
}

using ScanAscii = std::size_t (*)(const char*, std::size_t, bool, char*, std::uint64_t*) noexcept;
using Classify = Classes (*)(const char*, char*) noexcept;

template <bool lowercase, bool underscore>
ScanAscii scan_by(math::Simd simd) noexcept {
#ifdef __SSE2__
  if (simd == math::Simd::avx2 || simd == math::Simd::avx512) return scan_ascii_avx2<lowercase, underscore>;
#endif
  (void)simd;
  return scan_ascii<lowercase, underscore>;
}

ScanAscii scan_by(math::Simd simd, bool lowercase, bool underscore) noexcept {
  if (lowercase) return underscore ? scan_by<true, true>(simd) : scan_by<true, false>(simd);
  return underscore ? scan_by<false, true>(simd) : scan_by<false, false>(simd);
}

}  // namespace

WordScan::WordScan(const TokenRules& rules) : WordScan(rules, math::kernels().simd) {}

WordScan::WordScan(const TokenRules& rules, math::Simd simd)
    : unicode_(rules.tokens == Tokens::word),
      underscore_(rules.tokens == Tokens::word),
      lowercase_(rules.lowercase),
      scan_ascii_(scan_by(simd, lowercase_, underscore_)) {}

void WordScan::scan(std::string_view document) {
  // Lowercase letters may be longer: I with a dot above grows most, from 2 bytes to 3.
  const std::size_t most = document.size() + (unicode_ ? document.size() / 2 : 0) + kRoom;
  if (text_.size() < most) {
    text_.resize(std::max(most, 2 * text_.size()));
    words_.resize(text_.size() / 64 + 2);
  }
  std::size_t done = scan_ascii_(document.data(), document.size(), unicode_, text_.data(), words_.data());
  ascii_ = true;
  if (document.size() - done < 64) {  // the rest, behind zeros
    char rest[64] = {};
    std::memcpy(rest, document.data() + done, document.size() - done);
    if (scan_ascii_(rest, 64, unicode_, text_.data() + done, words_.data() + done / 64) == 64) {
      size_ = document.size();
      return;
    }
  }
  if (document.size() > done) scan_unicode(document, done);
}

// The output may be shorter or longer than the input, so bits are appended one by one.
void WordScan::scan_unicode(std::string_view document, std::size_t from) {
  ascii_ = false;
  const Classify step = lowercase_ ? classify<true, true> : classify<false, true>;
  char* const text = text_.data();
  std::size_t at = from, out = from;
  std::uint64_t pending = 0;  // the bits of the word that contains bit `out`
  const auto push = [&](std::uint64_t bits, std::size_t count) {
    const std::size_t shift = out & 63;
    pending |= bits << shift;
    out += count;
    if (shift + count < 64) return;
    words_[out / 64 - 1] = pending;
    pending = shift == 0 ? 0 : bits >> (64 - shift);
  };

  while (at < document.size()) {
    const std::size_t left = document.size() - at;
    char last[kStep] = {};
    if (left < kStep) std::memcpy(last, document.data() + at, left);
    const Classes classes = step(left < kStep ? last : document.data() + at, text + out);
    const std::size_t plain =
        std::min<std::size_t>(left, static_cast<std::size_t>(std::countr_zero(classes.beyond_ascii | 1u << kStep)));
    push(classes.word & ((1u << plain) - 1), plain);
    at += plain;
    while (at < document.size() && (document[at] & 0x80) != 0) {
      const Character character = character_at(document, at);
      if (character.code == kNoCharacter) {
        text[out] = document[at];
        push(0, 1);
      } else {
        const Folded folded = folded_at(document, at, character);
        const std::size_t length = write_character(text + out, lowercase_ ? folded.code : character.code);
        push(folded.word ? (1u << length) - 1 : 0, length);
        if (lowercase_ && folded.dotted) {  // a combining dot, which is not part of a word
          write_character(text + out, 0x307);
          push(0, 2);
        }
      }
      at += character.length;
    }
  }
  words_[out / 64] = pending;
  size_ = out;
}

}  // namespace plumb
