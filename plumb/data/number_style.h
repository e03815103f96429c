// Numbers as people write them: 1.234,50 and 1,234.50, 12 % and $5. How the numbers of a column are written is found
// out from its first rows, where only one reading fits all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/number.h"

namespace plumb {

struct NumberStyle {
  char decimal = '.';
  char thousands = 0;     // 0: none
  std::string unit = {};  // a sign before or after the digits: %, $, ...

  bool plain() const noexcept { return decimal == '.' && thousands == 0 && unit.empty(); }
  std::string text() const;  // "decimal comma, points between thousands"
  bool operator==(const NumberStyle&) const = default;
};

// The whole of `text` as a number of this style, where thousands may be parted or not, and the unit may be there or
// not. Beside a decimal comma points may part thousands although the first rows had none.
ParsedNumber parse_number(std::string_view text, const NumberStyle& style);

// The unit that a number begins or ends with, or nothing.
std::string_view unit_of(std::string_view text) noexcept;

// In which styles all the values that it has seen are numbers.
class StyleGuess {
 public:
  // What the user says: 0 where it is to be found out.
  StyleGuess(char decimal, char thousands);
  StyleGuess() : StyleGuess(0, 0) {}
  static StyleGuess impossible() {
    StyleGuess none;
    none.fitting_ = 0;
    return none;
  }

  void see(std::string_view value);
  // As a number with this character before the decimals.
  bool fits(char decimal) const noexcept;
  bool fits() const noexcept { return fitting_ != 0; }
  // Whether both readings fit, and differ.
  bool ambiguous() const noexcept { return fits('.') && fits(',') && differ_; }
  NumberStyle style(char decimal) const;
  const std::string& first() const noexcept { return first_; }      // the first value that is no plain number
  const std::string& telling() const noexcept { return telling_; }  // the first that both readings have, differently

 private:
  std::uint8_t fitting_ = 0;  // a bit for each pair of marks
  std::string unit_;
  std::string first_, telling_;
  bool differ_ = false;
};

}  // namespace plumb
