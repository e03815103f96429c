// What a user may write where a column's name could stand: a product of whole powers of columns, such as height^3 or
// a*b^2. Models carry expressions and are untrusted, so length, factors and powers are capped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

inline constexpr std::size_t kMostFactors = 64;
inline constexpr std::uint32_t kHighestPower = 100;

struct Factor {
  std::string column;
  std::uint32_t power = 1;
  bool operator==(const Factor&) const = default;
};

// Never empty once parsed.
struct Expression {
  std::vector<Factor> factors;
  bool operator==(const Expression&) const = default;

  bool plain_column() const { return factors.size() == 1 && factors.front().power == 1; }
  // In one form whatever was typed: "a*b^2"; names that are not plain words are in double quotes.
  std::string text() const;
};

//   product := power { "*" power }     power := name [ "^" whole number ]
//   name    := letters, digits, "_", "." and bytes above 127, or any text in double quotes ("" inside stands for ")
// Throws Error(usage) that points at the character.
Expression parse_expression(std::string_view text);

}  // namespace plumb
