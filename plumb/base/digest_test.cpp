#include "plumb/base/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace plumb::digest_test {
namespace {

// The input of the reference vectors of xxHash: the high bytes of a multiplicative sequence.
std::string sanity_buffer(std::size_t length) {
  std::string buffer;
  std::uint64_t generator = 2654435761u;
  for (std::size_t i = 0; i < length; ++i) {
    buffer += static_cast<char>(generator >> 56);
    generator *= 11400714785074694797u;
  }
  return buffer;
}

TEST(Digest64, GivesTheReferenceVectorsOfXxh3) {
  EXPECT_EQ(digest64(""), 0x2D06800538D394C2u);
  EXPECT_EQ(digest64(sanity_buffer(1)), 0xC44BDFF4074EECDBu);
  EXPECT_EQ(digest64(sanity_buffer(6)), 0x27B56A84CD2D7325u);
  EXPECT_EQ(digest64(sanity_buffer(12)), 0xA713DAF0DFBB77E7u);
  EXPECT_EQ(digest64(sanity_buffer(24)), 0xA3FE70BF9D3510EBu);
  EXPECT_EQ(digest64(sanity_buffer(48)), 0x397DA259ECBA1F11u);
  EXPECT_EQ(digest64(sanity_buffer(80)), 0xBCDEFBBB2C47C90Au);
  EXPECT_EQ(digest64(sanity_buffer(195)), 0xCD94217EE362EC3Au);
  EXPECT_EQ(digest64(sanity_buffer(403)), 0xCDEB804D65C6DEA4u);
  EXPECT_EQ(digest64(sanity_buffer(512)), 0x617E49599013CB6Bu);
  EXPECT_EQ(digest64(sanity_buffer(2048)), 0xDD59E2C3A5F038E0u);
  EXPECT_EQ(digest64(sanity_buffer(2240)), 0x6E73A90539CF2948u);
}

TEST(Digest128, GivesTheReferenceVectorOfXxh3ForNothing) {
  EXPECT_EQ(Digest128().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest128, GivesTheReferenceVectorOfXxh3ForOneByte) {
  Digest128 digest;
  digest.add(sanity_buffer(1));
  EXPECT_EQ(digest.value()[1], 0xC44BDFF4074EECDBu);
  EXPECT_EQ(digest.value()[0], 0xA6CD5E9392000F6Au);
}

RC_GTEST_PROP(Digest128, DoesNotDependOnHowTheBytesAreCut, (const std::string& seed)) {
  const std::string text = seed + sanity_buffer(3000) + seed;
  Digest128 whole, pieces;
  whole.add(text);
  for (std::size_t at = 0; at < text.size();) {
    const auto length = *rc::gen::inRange<std::size_t>(1, 700);
    pieces.add(std::string_view(text).substr(at, length));
    at += length;
  }
  RC_ASSERT(pieces.hex() == whole.hex());
  RC_ASSERT(digest128(text) == whole.value());
}

TEST(Digest128, MayBeAskedInBetween) {
  Digest128 asked, quiet;
  asked.add("a");
  const std::string early = asked.hex();
  asked.add("b");
  quiet.add("ab");
  EXPECT_EQ(asked.hex(), quiet.hex());
  EXPECT_NE(asked.hex(), early);
}

TEST(Digest128, ChangesWithEveryBit) {
  const std::string text = sanity_buffer(300);
  std::set<std::string> seen;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    Digest128 digest;
    digest.add(changed);
    seen.insert(digest.hex());
  }
  EXPECT_EQ(seen.size(), 8 * text.size());
}

RC_GTEST_PROP(Hex16, RoundTrips, (std::uint64_t value)) {
  const std::string text = hex16(value);
  RC_ASSERT(text.size() == 16u);
  RC_ASSERT(parse_hex16(text) == value);
}

TEST(Hex16, KeepsLeadingZeros) {
  EXPECT_EQ(hex16(0), "0000000000000000");
  EXPECT_EQ(hex16(0x1F), "000000000000001f");
  EXPECT_EQ(hex16(~std::uint64_t{0}), "ffffffffffffffff");
}

TEST(Hex16, ReadsNothingButItsOwnForm) {
  for (const std::string_view text : {"", "0", "000000000000000", "00000000000000000", "000000000000000F",
                                      "0x00000000000000", " 00000000000000f", "-00000000000000f", "000000000000000g"}) {
    EXPECT_EQ(parse_hex16(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_hex16(std::string_view("000000000000000\0", 16)), std::nullopt);
}

}  // namespace
}  // namespace plumb::digest_test
