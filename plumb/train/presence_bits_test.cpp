#include "plumb/train/presence_bits.h"

#include <gtest/gtest.h>

#include "plumb/base/random.h"

namespace plumb::presence_bits_test {
namespace {

TEST(PresenceBits, CountEveryPairAsALoopOverTheRowsDoes) {
  if (!PresenceBits::can()) GTEST_SKIP() << "this machine has no AVX2";
  const RandomKey random{4, 2};
  std::uint64_t draw = 0;
  for (const std::size_t slots : {1, 2, 3, 4, 5, 63, 127, 128})
    for (const std::size_t classes : {1, 2, 3})
      for (const std::size_t rows : {0, 1, 64, 255, 256, 257, 700}) {
        PresenceBits bits(slots, classes);
        std::vector<std::uint64_t> expected(classes * slots * slots), found = expected;
        for (std::size_t r = 0; r < rows; ++r) {
          const std::size_t label = random.bits(draw++) % classes;
          std::vector<std::uint32_t> held = {0};
          for (std::uint32_t slot = 1; slot < slots; ++slot)
            if (random.bits(draw++) % 3 != 0) held.push_back(slot);
          bits.add(held, label);
          for (const std::uint32_t a : held)
            for (const std::uint32_t b : held)
              if (b <= a) ++expected[(label * slots + a) * slots + b];
          if (r == 300) bits.move_to(found);  // and goes on
        }
        bits.move_to(found);
        ASSERT_EQ(found, expected) << slots << " slots, " << classes << " classes, " << rows << " rows";
      }
}

}  // namespace
}  // namespace plumb::presence_bits_test
