#include "plumb/data/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <string>

#include "plumb/base/number.h"

namespace plumb::decimal_test {
namespace {

std::string digits(int least, int most) {
  return *rc::gen::resize(20,
                          rc::gen::container<std::string>(static_cast<std::size_t>(*rc::gen::inRange(least, most + 1)),
                                                          rc::gen::inRange('0', ':')));
}

// The result of read_decimal for the text, or "" if it refuses.
std::string taken(const std::string& text, double& value) {
  const std::string padded = text + " " + std::string(kDecimalRoom, '7');
  const char* const end = read_decimal(padded.data(), value);
  return end == nullptr ? "" : padded.substr(0, static_cast<std::size_t>(end - padded.data()));
}

RC_GTEST_PROP(DecimalProperty, WhatIsTakenHasTheBitsOfParseNumber, ()) {
  const std::string fraction = digits(0, 22);
  const std::string text = std::string(*rc::gen::element("", "-")) + digits(0, 9) +
                           (*rc::gen::arbitrary<bool>() ? "." + fraction : "") +
                           *rc::gen::element("", "e5", ":", "\x8f");
  double value = 0;
  const std::string number = taken(text, value);
  if (number.empty()) return;
  RC_ASSERT(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(parse_number(number).value));
  RC_ASSERT(number.size() == text.size() || std::string("e: \x8f").find(text[number.size()]) != std::string::npos);
}

// The output of programs that keep every bit: 15 to 17 digits.
RC_GTEST_PROP(DecimalProperty, NumbersBelowTenAsWrittenInFullAreTaken, ()) {
  const std::string text = std::string(*rc::gen::element("", "-")) + *rc::gen::element("0", "7") + "." + digits(15, 18);
  double value = 0;
  RC_ASSERT(taken(text, value) == text);
  RC_ASSERT(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(parse_number(text).value));
}

RC_GTEST_PROP(DecimalProperty, NumbersOfUpToSevenDigitsAroundThePointAreTaken, ()) {
  const std::string text = std::string(*rc::gen::element("", "-")) + digits(1, 7) + "." + digits(1, 7);
  double value = 0;
  RC_ASSERT(taken(text, value) == text);
}

// The same for a number whose end is known.
RC_GTEST_PROP(DecimalProperty, ANumberThatIsReadToAKnownEndHasTheBitsOfParseNumber, ()) {
  const std::string fraction = digits(0, 20);
  const std::string text = std::string(*rc::gen::element("", "-")) + digits(1, 2) + *rc::gen::element(".", "", ":") +
                           fraction + *rc::gen::element("", "e5", "/1", ":", "\x8f", "-1");
  const std::string before = *rc::gen::element("1", "7", " ", ".", "\xff");
  std::string padded(kDecimalRoom, before.front());
  padded += text + " " + std::string(kDecimalRoom, '7');
  const char* const begin = padded.data() + kDecimalRoom;
  double value = 0;
  const bool read = read_decimal_to(begin, begin + text.size(), value);
  const ParsedNumber number = parse_number(text);
  if (read) {
    RC_ASSERT(number.fault == NumberFault::none);
    RC_ASSERT(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(number.value));
  }
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool plain = text.size() > sign + 1 && text[sign + 1] == '.' && !fraction.empty() && fraction.size() <= 18 &&
                     text.size() == sign + 2 + fraction.size();
  RC_ASSERT(read == plain);
}

TEST(Decimal, NumbersOfSixteenDigitsAreRoundedOnceOnBothSidesOfTheLargestWholeDoubles) {
  for (const char* text : {"0.9007199254740991", "0.9007199254740992", "0.9007199254740993", "0.09007199254740993",
                           "0.009007199254740992", "0.9999999999999999", "9.007199254740993", "9.007199254740992",
                           "0.000000000000000001", "9.999999999999999999", "0.999999999999999999"}) {
    double value = 0;
    EXPECT_EQ(taken(text, value), text);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(parse_number(text).value)) << text;
    const std::string padded = std::string(kDecimalRoom, '3') + text + std::string(kDecimalRoom, '3');
    const char* const begin = padded.data() + kDecimalRoom;
    value = 0;
    EXPECT_TRUE(read_decimal_to(begin, begin + std::string(text).size(), value)) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(parse_number(text).value)) << text;
  }
}

TEST(Decimal, WhatItCannotRoundExactlyOrIsNoNumberIsLeft) {
  double value = 0;
  for (const char* text : {"", "-", ".5", "-.5", "5.", "--1", "+1", "12345678", "1.1234567890123456789",
                           "0.12345678901234567890", ":", "/.5", "x.5"})
    EXPECT_EQ(taken(text, value), "") << text;
  EXPECT_EQ(taken("1.12345678901234", value), "1.12345678901234");          // 15 digits, the most that are divided
  EXPECT_EQ(taken("1.123456789012345678", value), "1.123456789012345678");  // 19 digits, the most
  EXPECT_EQ(taken("-0.9999999999999999999", value), "-0.9999999999999999999");
  EXPECT_EQ(value, -1.0);
  EXPECT_EQ(taken("0.00000000", value), "0.00000000");
  EXPECT_TRUE(taken("-0", value) == "-0" && std::bit_cast<std::uint64_t>(value) == 1ull << 63);
}

TEST(Decimal, DigitsAreCountedUpToEight) {
  const std::string text = "123456789012345678901234567890";
  for (unsigned count = 0; count <= 8; ++count) {
    const std::string cut = text.substr(0, count) + "/:\xff\xb0xyz0123456789";
    const DigitRun run = leading_digits(cut.data());
    EXPECT_EQ(run.count, count);
    EXPECT_EQ(run.value(), count == 0 ? 0u : std::stoull(text.substr(0, count)));
  }
}

}  // namespace
}  // namespace plumb::decimal_test
