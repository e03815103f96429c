#include "plumb/base/number.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <locale>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::number_test {
namespace {

using Random = std::mt19937_64;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }

// ---- kinds of text; each is a number -------------------------------------------------------------------------------

double random_double(Random& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

std::string shortest(double x, std::chars_format format = std::chars_format::scientific) {
  char buffer[400];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, format).ptr};
}

std::string digits(Random& random, std::size_t count) {
  std::string text(count, '0');
  for (char& c : text) c = static_cast<char>('0' + below(random, 10));
  return text;
}

std::string shortest_form(Random& random) { return shortest(random_double(random)); }

std::string fixed_form(Random& random) {
  const double x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(below(random, 120)) - 100);
  return shortest(x, std::chars_format::fixed);
}

std::string seventeen_digits(Random& random) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, random_double(random), std::chars_format::scientific,
                                 15 + static_cast<int>(below(random, 4)));
  return {buffer, end.ptr};
}

// Typical numbers of data files: a few digits around a point.
std::string everyday_form(Random& random) {
  std::string text = below(random, 2) ? "-" : "";
  text += digits(random, 1 + below(random, 6));
  if (below(random, 4)) text.append(".").append(digits(random, below(random, 10)));
  return text;
}

std::string any_exponent(Random& random) {
  std::string text = below(random, 2) ? "-" : "";
  text += digits(random, 1 + below(random, 12)) + "." + digits(random, below(random, 12));
  const char* const signs[] = {"e", "E", "e-", "E-", "e+"};
  return text + signs[below(random, 5)] + std::to_string(below(random, 401));
}

std::string many_zeros(Random& random) {
  const auto zeros = [&] { return std::string(below(random, 50), '0'); };
  return zeros() + digits(random, below(random, 20)) + zeros() + "." + zeros() + digits(random, 1 + below(random, 20)) +
         zeros() + "e" + std::to_string(static_cast<int>(below(random, 200)) - 100);
}

// (2m + 1) half units in the last place, in few enough digits that the fast path must see the tie: w 10^q with w <
// 2^64.
std::string short_tie(Random& random) {
  const std::uint64_t odd_54_bits = (random() >> 11) | 1ull << 53 | 1;
  if (below(random, 2)) {  // m / 2^k = m 5^k / 10^k
    const auto k = below(random, 5);
    std::uint64_t w = odd_54_bits;
    for (std::uint64_t i = 0; i < k; ++i) w *= 5;
    return std::to_string(w) + "e-" + std::to_string(k);
  }
  const auto q = below(random, 23);  // w 5^q 2^(q + j), w 5^q an odd number of 54 bits
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < q; ++i) power *= 5;
  const std::uint64_t w = ((1ull << 53) / power + below(random, (1ull << 53) / power + 1)) | 1;
  const auto room = static_cast<std::uint64_t>(std::countl_zero(w));
  return std::to_string(w << below(random, room + 1)) + "e" + std::to_string(q);
}

struct ExactText {
  std::string digits;  // without trailing zeros
  mpfr_exp_t exponent;

  std::string text() const { return "0." + digits + "e" + std::to_string(exponent); }
};

// The middle between a double and the next larger one, up to 770 digits of it; 2^1024 comes after the largest double.
ExactText exact_middle(double x) {
  mpfr_t middle, next;
  mpfr_inits2(60, middle, next, nullptr);
  mpfr_set_d(middle, x, MPFR_RNDN);
  if (x == largest) {
    mpfr_set_ui_2exp(next, 1, 1024, MPFR_RNDN);
  } else {
    mpfr_set_d(next, std::nextafter(x, infinity), MPFR_RNDN);
  }
  mpfr_add(middle, middle, next, MPFR_RNDN);
  mpfr_div_ui(middle, middle, 2, MPFR_RNDN);
  ExactText result;
  char* const digits = mpfr_get_str(nullptr, &result.exponent, 10, 800, middle, MPFR_RNDN);
  result.digits = digits;
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  mpfr_free_str(digits);
  mpfr_clears(middle, next, nullptr);
  return result;
}

// A middle or a neighbour of it.
std::string long_tie(Random& random) {
  ExactText tie = exact_middle(std::abs(random_double(random)));
  switch (below(random, 5)) {
    case 0: tie.digits.back() == '9' ? tie.digits.push_back('1') : void(++tie.digits.back()); break;
    case 1: --tie.digits.back(); break;
    case 2: tie.digits.append(below(random, 100), '0').push_back('1'); break;
    case 3: tie.digits.resize(std::min<std::size_t>(tie.digits.size(), 17 + below(random, 10))); break;
    default: break;
  }
  return tie.text();
}

std::string long_mantissa(Random& random) {
  return digits(random, below(random, 400)) + "." + digits(random, 1 + below(random, 400)) + "e" +
         std::to_string(static_cast<int>(below(random, 801)) - 400);
}

struct Kind {
  const char* name;
  std::string (*text)(Random&);
  std::uint64_t share;  // of 256
};

constexpr Kind kinds[] = {
    {"shortest form", shortest_form, 64}, {"fixed form", fixed_form, 32},     {"16 to 19 digits", seventeen_digits, 64},
    {"everyday form", everyday_form, 32}, {"any exponent", any_exponent, 24}, {"many zeros", many_zeros, 16},
    {"short tie", short_tie, 16},         {"long tie", long_tie, 4},          {"long mantissa", long_mantissa, 4},
};

// ---- two references ------------------------------------------------------------------------------------------------

// std::from_chars; results out of range become zero or infinity by the sign of the text's decimal exponent.
double by_from_chars(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return error == std::errc::result_out_of_range ? std::strtod(text.c_str(), nullptr) : value;
}

// MPFR in 53 bits with the exponents of a double, subnormal numbers included. Shares nothing with the code under test.
double by_mpfr(const std::string& text) {
  const auto least_before = mpfr_get_emin(), largest_before = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  mpfr_t x;
  mpfr_init2(x, 53);
  const int rounded = mpfr_strtofr(x, text.c_str(), nullptr, 10, MPFR_RNDN);
  mpfr_subnormalize(x, rounded, MPFR_RNDN);
  const double value = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  mpfr_set_emin(least_before);
  mpfr_set_emax(largest_before);
  return value;
}

bool agrees(const ParsedNumber& parsed, double expected) {
  if (std::isinf(expected)) return parsed.fault == NumberFault::too_large && std::isnan(parsed.value);
  return parsed.fault == NumberFault::none && same_bits(parsed.value, expected);
}

void compare(double (*reference)(const std::string&), std::uint64_t numbers, std::uint64_t seed) {
  Random random(seed);
  for (const Kind& kind : kinds) {
    for (std::uint64_t i = 0; i < numbers * kind.share / 256; ++i) {
      const std::string text = kind.text(random);
      ASSERT_TRUE(agrees(parse_number(text), reference(text))) << kind.name << ": " << text;
    }
  }
}

const bool full = std::getenv("PLUMB_FULL") != nullptr;

TEST(Number, ParsesToTheBitsOfFromChars) { compare(by_from_chars, full ? 100'000'000 : 1'000'000, 1); }

TEST(Number, ParsesToTheBitsOfExactArithmetic) { compare(by_mpfr, full ? 5'000'000 : 100'000, 2); }

TEST(Number, ParsesEveryPowerOfTenLikeExactArithmetic) {
  for (int q = -400; q <= 400; ++q) {
    for (const char* w : {"1", "9007199254740993", "18446744073709551615", "9999999999999999999"}) {
      const std::string text = std::string(w) + "e" + std::to_string(q);
      EXPECT_TRUE(agrees(parse_number(text), by_mpfr(text))) << text;
    }
  }
}

// ---- closed forms --------------------------------------------------------------------------------------------------

double value_of(std::string_view text) {
  const ParsedNumber parsed = parse_number(text);
  EXPECT_EQ(parsed.fault, NumberFault::none) << text;
  return parsed.value;
}

TEST(Number, AcceptsPointsSignsExponentsAndBlanks) {
  EXPECT_EQ(value_of("0"), 0);
  EXPECT_EQ(value_of("42"), 42);
  EXPECT_EQ(value_of("+42"), 42);
  EXPECT_EQ(value_of("-42"), -42);
  EXPECT_EQ(value_of(".5"), 0.5);
  EXPECT_EQ(value_of("5."), 5);
  EXPECT_EQ(value_of("-.5e1"), -5);
  EXPECT_EQ(value_of("5.e-1"), 0.5);
  EXPECT_EQ(value_of("1E+3"), 1000);
  EXPECT_EQ(value_of("007"), 7);
  EXPECT_EQ(value_of(" \t1.25\t "), 1.25);
  EXPECT_EQ(value_of("1e000000000000000000000000000001"), 10);
}

TEST(Number, KeepsTheSignOfZero) {
  EXPECT_TRUE(same_bits(value_of("-0"), -0.0));
  EXPECT_TRUE(same_bits(value_of("-0.000e17"), -0.0));
  EXPECT_TRUE(same_bits(value_of("+0"), 0.0));
}

TEST(Number, RoundsWhatIsTooSmallToZeroOfItsSign) {
  EXPECT_TRUE(same_bits(value_of("1e-400"), 0.0));
  EXPECT_TRUE(same_bits(value_of("-1e-400"), -0.0));
  EXPECT_TRUE(same_bits(value_of("1e-99999999999999999999"), 0.0));
  EXPECT_TRUE(same_bits(value_of("0e99999999999999999999"), 0.0));
  EXPECT_TRUE(same_bits(value_of("-" + std::string(3000, '9') + "e-9999"), -0.0));
  EXPECT_EQ(value_of("4.9e-324"), least);
  EXPECT_EQ(value_of("2.4703282292062328e-324"), least);  // just above half of it
  EXPECT_EQ(value_of("2.4703282292062327e-324"), 0);
}

TEST(Number, FindsWhereDoublesEnd) {
  EXPECT_EQ(value_of("1.7976931348623157e308"), largest);
  EXPECT_EQ(value_of("1.7976931348623158e308"), largest);  // below the middle to 2^1024
  for (const char* text : {"1.7976931348623159e308", "1e309", "-1e400", "1e99999999999999999999"}) {
    EXPECT_EQ(parse_number(text).fault, NumberFault::too_large) << text;
  }
  EXPECT_EQ(parse_number(std::string(310, '9')).fault, NumberFault::too_large);
}

TEST(Number, RoundsTheExactMiddlesAtBothEndsToEven) {
  ExactText bottom = exact_middle(0), top = exact_middle(largest);  // zero is even, and so is infinity
  EXPECT_TRUE(same_bits(value_of("-" + bottom.text()), -0.0));
  EXPECT_EQ(parse_number(top.text()).fault, NumberFault::too_large);
  --top.digits.back();
  ++bottom.digits.back();
  EXPECT_EQ(value_of(bottom.text()), least);
  EXPECT_EQ(value_of(top.text()), largest);
}

TEST(Number, BalancesManyDigitsWithALargeExponent) {
  const std::string zeros(5000, '0');
  EXPECT_EQ(value_of("1" + zeros + "e-5000"), 1);
  EXPECT_EQ(value_of("0." + zeros + "1e5001"), 1);
  EXPECT_EQ(value_of("." + zeros + "25e+5002"), 25);
  EXPECT_EQ(value_of("0." + zeros + "9007199254740993000000000000000000001e5016"), 9007199254740994);
}

TEST(Number, RoundsTiesToEven) {
  EXPECT_EQ(value_of("9007199254740993"), 9007199254740992);
  EXPECT_EQ(value_of("9007199254740995"), 9007199254740996);
  EXPECT_EQ(value_of("9007199254740993.0000000000000000000000000000000000001"), 9007199254740994);
}

TEST(Number, ReadsNothingBeyondTheEndOfTheText) {
  const std::string longer = "1234567890.12345678901234567890e12";
  for (std::size_t size = 1; size <= longer.size(); ++size) {
    const std::vector<char> exact(longer.data(), longer.data() + size);  // so that the sanitizer sees the end
    const ParsedNumber parsed = parse_number({exact.data(), size});
    if (longer[size - 1] == 'e') {
      EXPECT_EQ(parsed.fault, NumberFault::not_a_number);
    } else {
      EXPECT_TRUE(agrees(parsed, by_mpfr(longer.substr(0, size))));
    }
  }
}

// ---- refusals ------------------------------------------------------------------------------------------------------

void expect_fault(NumberFault fault, std::initializer_list<std::string_view> texts) {
  for (const auto text : texts) {
    const ParsedNumber parsed = parse_number(text);
    EXPECT_EQ(parsed.fault, fault) << '"' << text << '"';
    EXPECT_TRUE(std::isnan(parsed.value)) << text;
  }
}

TEST(Number, RefusesNothing) { expect_fault(NumberFault::empty, {"", " ", "\t", " \t "}); }

TEST(Number, RefusesNanAndInfinityInAnyCase) {
  expect_fault(NumberFault::not_finite,
               {"nan", "NaN", "NAN", "-nan", "inf", "Inf", "+INF", "-inf", "infinity", " Infinity ", "-INFINITY"});
}

TEST(Number, RefusesHexadecimal) {
  expect_fault(NumberFault::hexadecimal, {"0x1F", "0X1f", "-0x1", "+0x1.8p3", "0x.8p-1", " 0xff "});
}

TEST(Number, RefusesCommas) {
  expect_fault(NumberFault::comma, {"1,5", "-1,5", "1,000", "1,000.5", "1,5e3", ",5", "5,", "1,000,000"});
}

TEST(Number, RefusesDigitSeparators) {
  expect_fault(NumberFault::separator, {"1_000", "-1_000.5", "1'000", "1_000e3", "1'000'000"});
}

TEST(Number, RefusesEverythingElse) {
  expect_fault(NumberFault::not_a_number,
               {"a",   "NA",    "n/a",   "-",     "+",      ".",    "-.",    "e5", ".e5", "1e",       "1e+",
                "1e-", "1.2.3", "--1",   "+-1",   "1 2",    "1e5.", "1e1e1", "5x", "x5",  "1.5 ,",    "0x",
                "0xg", "0x.",   "nano",  "infin", "nan(1)", "1\n",  "\v1",   ",",  "_",   "'",        "1_",
                "_1",  "1__0",  "1e1_0", "1e1,0", "1,_5",   "1.5f", "1d5",   "$5", "5%",  "1\xc2\xa0"});
  expect_fault(NumberFault::not_a_number, {std::string_view("1\0", 2), std::string_view("\0", 1)});
}

TEST(Number, DescribesEveryFault) {
  for (int fault = 1; fault <= static_cast<int>(NumberFault::separator); ++fault) {
    EXPECT_TRUE(describe(static_cast<NumberFault>(fault)).starts_with("is ")) << fault;
  }
}

// ---- locales -------------------------------------------------------------------------------------------------------

void expect_points() {
  EXPECT_EQ(value_of("1.5"), 1.5);
  EXPECT_EQ(value_of("9007199254740993.0000000000000000000000000000001"), 9007199254740994);  // needs every digit
  EXPECT_EQ(parse_number("1,5").fault, NumberFault::comma);
  EXPECT_EQ(number_text(1234.5), "1234.5");
  EXPECT_EQ(number_text(1234.5, 6), "1234.5");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(Number, DoesNotCareForTheLocaleOfC) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8") && !std::setlocale(LC_ALL, "de_DE")) {
    GTEST_SKIP() << "there is no German locale here";
  }
  expect_points();
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Number, DoesNotCareForTheLocaleOfCpp) {
  struct German : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  expect_points();
  std::locale::global(before);
}

// ---- integers ------------------------------------------------------------------------------------------------------

template <class Integer>
void expect_integer(std::string_view text, Integer expected) {
  Integer value = 17;
  EXPECT_TRUE(parse_integer(text, value)) << text;
  EXPECT_EQ(value, expected);
}

template <class Integer>
void expect_no_integer(std::initializer_list<std::string_view> texts) {
  for (const auto text : texts) {
    Integer value = 17;
    EXPECT_FALSE(parse_integer(text, value)) << text;
    EXPECT_EQ(value, Integer{17});
  }
}

TEST(Integer, ParsesTheWholeRange) {
  expect_integer<std::int64_t>("0", 0);
  expect_integer<std::int64_t>("+12", 12);
  expect_integer<std::int64_t>(" \t-12 ", -12);
  expect_integer<std::int64_t>("9223372036854775807", std::numeric_limits<std::int64_t>::max());
  expect_integer<std::int64_t>("-9223372036854775808", std::numeric_limits<std::int64_t>::min());
  expect_integer<std::uint64_t>("18446744073709551615", std::numeric_limits<std::uint64_t>::max());
  expect_integer<std::uint64_t>("+007", 7);
}

TEST(Integer, RefusesWhatDoesNotFit) {
  expect_no_integer<std::int64_t>({"9223372036854775808", "-9223372036854775809", "99999999999999999999999"});
  expect_no_integer<std::uint64_t>({"18446744073709551616", "-1", "-0"});
}

TEST(Integer, RefusesOtherText) {
  expect_no_integer<std::int64_t>({"", " ", "-", "+", "+-1", "-+1", "--1", "1.0", "1e3", "0x10", "1,000", "1 2", "a"});
  expect_no_integer<std::uint64_t>({"", "+", "++1", "+-1", "1.", "nan"});
}

// ---- printing ------------------------------------------------------------------------------------------------------

TEST(NumberText, ComesBackAsTheSameBits) {
  Random random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double x = random_double(random);
    ASSERT_TRUE(same_bits(value_of(number_text(x)), x)) << number_text(x);
  }
  for (const double x : {0.0, -0.0, 0.1, 1e22, 1e23, largest, -largest, least, 0x1p-1022, 1.0 / 3}) {
    EXPECT_TRUE(same_bits(value_of(number_text(x)), x)) << number_text(x);
  }
}

TEST(NumberText, IsShort) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(100), "100");
  EXPECT_EQ(number_text(1e22), "1e+22");
  EXPECT_EQ(number_text(5e-324), "5e-324");
}

TEST(NumberText, NamesWhatIsNotFinite) {
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(-std::nan("")), "nan");
  EXPECT_EQ(number_text(infinity), "inf");
  EXPECT_EQ(number_text(-infinity), "-inf");
  EXPECT_EQ(number_text(-std::nan(""), 6), "nan");
  EXPECT_EQ(number_text(-infinity, 6), "-inf");
}

TEST(NumberText, IsAppended) {
  std::string text = "w=";
  append_number(text, 2.5);
  EXPECT_EQ(text, "w=2.5");
}

TEST(NumberText, ForPeopleHasTheDigitsAskedFor) {
  EXPECT_EQ(number_text(3.14159265358979, 6), "3.14159");
  EXPECT_EQ(number_text(2.5, 6), "2.5");
  EXPECT_EQ(number_text(2.0, 6), "2");
  EXPECT_EQ(number_text(0.1 + 0.2, 6), "0.3");
  EXPECT_EQ(number_text(123456.7, 6), "123457");
  EXPECT_EQ(number_text(1234567.0, 6), "1.23457e+06");
  EXPECT_EQ(number_text(-0.0, 6), "0");
  EXPECT_EQ(number_text(1.0 / 3, 0), "0.3");               // at least one
  EXPECT_EQ(number_text(0.1, 99), "0.10000000000000001");  // at most 17
  EXPECT_EQ(number_text(-largest, 17), "-1.7976931348623157e+308");
}

TEST(CountText, SeparatesThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(5572), "5,572");
  EXPECT_EQ(count_text(123456), "123,456");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace plumb::number_test
