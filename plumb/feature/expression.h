// A product of whole powers of columns, such as height^3 or a*b^2: the simplest formulas, with a form of their own.
// They come from untrusted models, so factors and powers are limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

inline constexpr std::size_t kMostFactors = 64;
inline constexpr std::uint32_t kHighestPower = 100;

struct Factor {
  std::string column;
  std::uint32_t power = 1;
  bool operator==(const Factor&) const = default;
};

// Never empty once made.
struct Expression {
  std::vector<Factor> factors;
  bool operator==(const Expression&) const = default;

  bool plain_column() const { return factors.size() == 1 && factors.front().power == 1; }
  // "a*b^2"; a name that is not letters, digits, "_", "." and bytes above 127 is in double quotes, where "" means a
  // quote. A column alone is its bare name.
  std::string text() const;
};

}  // namespace plumb
