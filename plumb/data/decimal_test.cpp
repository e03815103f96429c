#include "plumb/data/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <string>

#include "plumb/base/number.h"

namespace plumb {
namespace {

std::string digits(int least, int most) {
  return *rc::gen::resize(20,
                          rc::gen::container<std::string>(static_cast<std::size_t>(*rc::gen::inRange(least, most + 1)),
                                                          rc::gen::inRange('0', ':')));
}

// What read_decimal takes from the text, or "" if it refuses.
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

// What programs write to keep every bit: 15 to 17 digits.
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
}  // namespace plumb
