// Whole numbers of any size, for the few proofs that leave no room for rounding. Schoolbook arithmetic: hundreds of
// digits, not millions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb::math {

class BigInteger {
 public:
  BigInteger() = default;  // 0
  BigInteger(std::int64_t value);
  // value * 2^shift, which must be whole; the value is finite.
  static BigInteger of(double value, int shift);

  int sign() const noexcept { return words_.empty() ? 0 : negative_ ? -1 : 1; }
  std::size_t words() const noexcept { return words_.size(); }  // of 32 bits: what an operation costs
  // mantissa * 2^exponent with the mantissa in [0.5, 1) rounded towards 0, or 0.
  struct Approximate {
    double mantissa = 0.0;
    std::int64_t exponent = 0;
  };
  Approximate approximate() const noexcept;

  BigInteger operator-() const;
  BigInteger& operator+=(const BigInteger& other);
  BigInteger& operator-=(const BigInteger& other);
  friend BigInteger operator+(BigInteger a, const BigInteger& b) { return a += b; }
  friend BigInteger operator-(BigInteger a, const BigInteger& b) { return a -= b; }
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b);
  // For a divisor that leaves nothing over, and is not 0.
  friend BigInteger exact_quotient(const BigInteger& a, const BigInteger& b);
  friend bool operator==(const BigInteger&, const BigInteger&) = default;
  friend bool operator<(const BigInteger& a, const BigInteger& b) { return (a - b).sign() < 0; }

 private:
  using Words = std::vector<std::uint32_t>;  // lowest first; the highest is not 0
  static int compare(const Words& a, const Words& b) noexcept;
  static void add_to(Words& a, const Words& b);
  static void subtract_from(Words& a, const Words& b);  // a >= b
  void add_signed(const BigInteger& other, bool negative);

  Words words_;
  bool negative_ = false;  // false for 0
};

// a / b as a double, correct but for some units in the last place; b is not 0.
double quotient(const BigInteger& a, const BigInteger& b) noexcept;

}  // namespace plumb::math
