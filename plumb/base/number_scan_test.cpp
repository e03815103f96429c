#include "plumb/base/number_scan.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "plumb/base/number.h"
#include "plumb/base/random.h"

namespace plumb {
namespace {

// The text with enough behind it to be scanned.
std::string padded(const std::string& text, char after = ',') { return text + std::string(kScanBytes, after); }

// The length that was taken for a number, or 0.
std::size_t scanned(const std::string& text, double& value) {
  const std::string bytes = padded(text);
  const char* const end = scan_number(bytes.data(), value);
  return end == nullptr ? 0 : static_cast<std::size_t>(end - bytes.data());
}

TEST(NumberScan, TakesShortDecimalNumbers) {
  double value = 0;
  EXPECT_EQ(scanned("0", value), 1u);
  EXPECT_EQ(value, 0.0);
  EXPECT_EQ(scanned("-1.5", value), 4u);
  EXPECT_EQ(value, -1.5);
  EXPECT_EQ(scanned("+12345678.1234567", value), 17u);
  EXPECT_EQ(value, 12345678.1234567);
  EXPECT_EQ(scanned("123456789.5", value), 11u);
  EXPECT_EQ(value, 123456789.5);
  EXPECT_EQ(scanned(".25", value), 3u);
  EXPECT_EQ(value, 0.25);
  EXPECT_EQ(scanned("7.", value), 2u);
  EXPECT_EQ(value, 7.0);
  EXPECT_EQ(scanned("-0", value), 2u);
  EXPECT_TRUE(std::signbit(value));
  EXPECT_EQ(scanned("123456789012345", value), 15u);
  EXPECT_EQ(value, 123456789012345.0);
}

TEST(NumberScan, LeavesEverythingElseToTheParser) {
  double value = 0;
  for (const char* text : {"",
                           "-",
                           ".",
                           "-.",
                           "x",
                           "1e5",
                           "1E5",
                           "1.5e-3",
                           "1234567890123456",
                           "12345678901234567890",
                           "0.1234567890123456",
                           "123456789.1234567",
                           "nan",
                           "inf",
                           "--1",
                           "+-1",
                           " 1",
                           "/",
                           ":",
                           "\xB1"})
    EXPECT_EQ(scanned(text, value), 0u) << text;
}

TEST(NumberScan, StopsAtTheFirstByteThatIsNoPartOfTheNumber) {
  double value = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if ((c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E') continue;
    EXPECT_EQ(scanned(std::string("3.25") + c + "9", value), 4u) << byte;
    EXPECT_EQ(value, 3.25);
    EXPECT_EQ(scanned(std::string("12345678") + c, value), 8u) << byte;
  }
}

// What the scan takes, the parser takes as the same bits. Texts of digits, points, signs and exponents by chance.
TEST(NumberScan, AgreesWithTheParser) {
  const RandomKey random{31, 5};
  const std::string_view letters = "0123456789012345678901234567890123456789.-+e";
  const std::uint64_t rounds = std::getenv("PLUMB_FULL") != nullptr ? 100'000'000 : 1'000'000;
  std::uint64_t taken = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::uint64_t bits = random.bits(3 * round);
    const std::size_t length = 1 + bits % 18;
    bits = random.bits(3 * round + 1);
    std::uint64_t more = random.bits(3 * round + 2);
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      std::uint64_t& from = i < 9 ? bits : more;
      text += letters[from % letters.size()];
      from /= letters.size();
    }
    double value = 0;
    const std::size_t end = scanned(text, value);
    if (end != text.size()) continue;
    ++taken;
    const ParsedNumber parsed = parse_number(text);
    ASSERT_EQ(parsed.fault, NumberFault::none) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(parsed.value), std::bit_cast<std::uint64_t>(value)) << text;
  }
  EXPECT_GT(taken, rounds / 4);
}

TEST(NumberScan, TakesWholeNumbersUpToSixteenDigits) {
  std::uint64_t value = 0;
  std::string digits;
  std::uint64_t expected = 0;
  for (unsigned count = 1; count <= 16; ++count) {
    digits += static_cast<char>('0' + (7 * count) % 10);
    expected = expected * 10 + (7 * count) % 10;
    const std::string bytes = padded(digits, ':');
    EXPECT_EQ(scan_digits(bytes.data(), value), bytes.data() + count);
    EXPECT_EQ(value, expected);
  }
  const std::string longer = padded("12345678901234567", ':');
  EXPECT_EQ(scan_digits(longer.data(), value), nullptr);
  const std::string none = padded("", ':');
  EXPECT_EQ(scan_digits(none.data(), value), nullptr);
}

}  // namespace
}  // namespace plumb
