#include "plumb/math/big_integer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace plumb::math {
namespace {

constexpr int kBits = 32;

void trim(std::vector<std::uint32_t>& words) {
  while (!words.empty() && words.back() == 0) words.pop_back();
}

// words * 2^bits for bits below 32, with one word more.
std::vector<std::uint32_t> shifted(const std::vector<std::uint32_t>& words, int bits) {
  std::vector<std::uint32_t> out(words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t wide = std::uint64_t{words[i]} << bits;
    out[i] |= static_cast<std::uint32_t>(wide);
    out[i + 1] = static_cast<std::uint32_t>(wide >> kBits);
  }
  return out;
}

}  // namespace

BigInteger::BigInteger(std::int64_t value) : negative_(value < 0) {
  std::uint64_t size = static_cast<std::uint64_t>(value);
  if (negative_) size = 0 - size;
  for (; size != 0; size >>= kBits) words_.push_back(static_cast<std::uint32_t>(size));
}

BigInteger BigInteger::of(double value, int shift) {
  if (value == 0.0) return {};
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent += shift - 53;
  while (exponent < 0) {
    assert(mantissa % 2 == 0);
    mantissa /= 2;
    ++exponent;
  }
  BigInteger result(mantissa);
  result.words_ = shifted(result.words_, exponent % kBits);
  trim(result.words_);
  result.words_.insert(result.words_.begin(), static_cast<std::size_t>(exponent / kBits), 0);
  return result;
}

BigInteger::Approximate BigInteger::approximate() const noexcept {
  if (words_.empty()) return {};
  double top = 0.0;
  std::size_t used = 0;
  for (; used < std::min<std::size_t>(3, words_.size()); ++used)
    top += std::ldexp(static_cast<double>(words_[words_.size() - 1 - used]), -kBits * static_cast<int>(used));
  int exponent = 0;
  const double mantissa = std::frexp(top, &exponent);
  return {negative_ ? -mantissa : mantissa,
          exponent + static_cast<std::int64_t>(kBits) * static_cast<std::int64_t>(words_.size() - 1)};
}

BigInteger BigInteger::operator-() const {
  BigInteger result = *this;
  result.negative_ = !negative_ && !words_.empty();
  return result;
}

int BigInteger::compare(const Words& a, const Words& b) noexcept {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

void BigInteger::add_to(Words& a, const Words& b) {
  a.resize(std::max(a.size(), b.size()) + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    carry += std::uint64_t{a[i]} + (i < b.size() ? b[i] : 0);
    a[i] = static_cast<std::uint32_t>(carry);
    carry >>= kBits;
  }
  trim(a);
}

void BigInteger::subtract_from(Words& a, const Words& b) {
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    borrow += std::int64_t{a[i]} - (i < b.size() ? std::int64_t{b[i]} : 0);
    a[i] = static_cast<std::uint32_t>(borrow);
    borrow >>= kBits;  // 0 or -1
  }
  trim(a);
}

void BigInteger::add_signed(const BigInteger& other, bool negative) {
  if (negative_ == negative) {
    add_to(words_, other.words_);
  } else if (compare(words_, other.words_) >= 0) {
    subtract_from(words_, other.words_);
  } else {
    Words larger = other.words_;
    subtract_from(larger, words_);
    words_ = std::move(larger);
    negative_ = negative;
  }
  if (words_.empty()) negative_ = false;
}

BigInteger& BigInteger::operator+=(const BigInteger& other) {
  if (!other.words_.empty()) add_signed(other, other.negative_);
  return *this;
}
BigInteger& BigInteger::operator-=(const BigInteger& other) {
  if (!other.words_.empty()) add_signed(other, !other.negative_);
  return *this;
}

BigInteger operator*(const BigInteger& a, const BigInteger& b) {
  BigInteger result;
  if (a.words_.empty() || b.words_.empty()) return result;
  result.words_.assign(a.words_.size() + b.words_.size(), 0);
  for (std::size_t i = 0; i < a.words_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.words_.size(); ++j) {
      carry += std::uint64_t{a.words_[i]} * b.words_[j] + result.words_[i + j];
      result.words_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= kBits;
    }
    result.words_[i + b.words_.size()] = static_cast<std::uint32_t>(carry);
  }
  trim(result.words_);
  result.negative_ = a.negative_ != b.negative_;
  return result;
}

// Knuth, The Art of Computer Programming, volume 2, algorithm 4.3.1 D; the remainder is 0.
BigInteger exact_quotient(const BigInteger& a, const BigInteger& b) {
  assert(!b.words_.empty());
  BigInteger result;
  const std::size_t n = b.words_.size();
  if (a.words_.size() < n) return result;
  const int bits = std::countl_zero(b.words_.back());
  std::vector<std::uint32_t> left = shifted(a.words_, bits), right = shifted(b.words_, bits);
  right.pop_back();
  const std::size_t m = a.words_.size() - n;
  result.words_.assign(m + 1, 0);
  for (std::size_t j = m + 1; j-- > 0;) {
    const std::uint64_t top = (std::uint64_t{left[j + n]} << kBits) + left[j + n - 1];
    std::uint64_t guess = top / right[n - 1], rest = top % right[n - 1];
    while (guess >> kBits != 0 || (n > 1 && guess * right[n - 2] > ((rest << kBits) + left[j + n - 2]))) {
      --guess;
      rest += right[n - 1];
      if (rest >> kBits != 0) break;
    }
    std::int64_t borrow = 0;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
      carry += guess * right[i];
      borrow += std::int64_t{left[i + j]} - static_cast<std::int64_t>(carry & 0xFFFFFFFFu);
      left[i + j] = static_cast<std::uint32_t>(borrow);
      borrow >>= kBits;
      carry >>= kBits;
    }
    borrow += std::int64_t{left[j + n]} - static_cast<std::int64_t>(carry);
    left[j + n] = static_cast<std::uint32_t>(borrow);
    if (borrow < 0) {  // one too many
      --guess;
      std::uint64_t back = 0;
      for (std::size_t i = 0; i < n; ++i) {
        back += std::uint64_t{left[i + j]} + right[i];
        left[i + j] = static_cast<std::uint32_t>(back);
        back >>= kBits;
      }
      left[j + n] += static_cast<std::uint32_t>(back);
    }
    result.words_[j] = static_cast<std::uint32_t>(guess);
  }
  trim(result.words_);
  result.negative_ = !result.words_.empty() && a.negative_ != b.negative_;
  return result;
}

double quotient(const BigInteger& a, const BigInteger& b) noexcept {
  const BigInteger::Approximate top = a.approximate(), bottom = b.approximate();
  const std::int64_t exponent = std::clamp<std::int64_t>(top.exponent - bottom.exponent, -5000, 5000);
  return std::ldexp(top.mantissa / bottom.mantissa, static_cast<int>(exponent));
}

}  // namespace plumb::math
