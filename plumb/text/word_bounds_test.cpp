#include "plumb/text/word_bounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::word_bounds_test {
namespace {

using Bounds = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Byte by byte.
Bounds plain_bounds(const WordScan& scan, std::uint32_t min_length) {
  const auto in_word = [&](std::size_t i) { return i < scan.size() && (scan.words()[i / 64] >> i % 64 & 1) != 0; };
  Bounds found;
  for (std::size_t begin = 0; begin < scan.size(); ++begin) {
    if (!in_word(begin)) continue;
    std::size_t end = begin, characters = 0;
    for (; in_word(end); ++end) characters += (scan.text()[end] & 0xC0) != 0x80 ? 1 : 0;
    if (characters >= min_length) found.emplace_back(begin, end);
    begin = end;
  }
  return found;
}

TEST(WordBounds, EveryInstructionSetFindsTheWordsThatALoopOverBytesFinds) {
  const RandomKey random{9, 1};
  // Few and many words, words of one letter, words that go on through blocks, words beyond ASCII.
  const std::vector<std::vector<std::string>> alphabets = {{"a", " "},
                                                           {"a ", "a ", "b ", "cd "},
                                                           {"a", "b", "c", "d", "e", "f", "g", "h", " "},
                                                           {"a", "\xC3\xA4", " "},
                                                           {"x"}};
  for (const math::Simd simd : {math::Simd::scalar, math::Simd::avx2, math::Simd::avx512, math::Simd::neon}) {
    if (math::kernels_for(simd) == nullptr) continue;
    const TokenRules rules;
    WordScan scan(rules, simd);
    WordBounds bounds(simd);
    std::uint64_t draw = 0;
    for (const std::vector<std::string>& alphabet : alphabets)
      for (const std::size_t letters : {0, 1, 63, 64, 65, 511, 512, 513, 600, 1024, 3000})
        for (const std::uint32_t min_length : {1u, 2u, 3u, 5u}) {
          std::string text;
          for (std::size_t i = 0; i < letters; ++i) text += alphabet[random.bits(draw++) % alphabet.size()];
          scan.scan(text);
          Bounds found;
          bounds.for_each_batch(scan, min_length, [&](std::size_t count) {
            ASSERT_LE(count, WordBounds::kMost);
            for (std::size_t i = 0; i < count; ++i) found.emplace_back(bounds.begin(i), bounds.end(i));
          });
          ASSERT_EQ(found, plain_bounds(scan, min_length)) << text << ", at least " << min_length;
        }
  }
}

}  // namespace
}  // namespace plumb::word_bounds_test
