// The strength of a penalty, as the user gives it.
#pragma once

#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// A number of at least 0, or "auto": chosen from the data.
struct Strength {
  double value = 0.0;
  bool automatic = false;
  bool given = false;  // by the user, not a default

  constexpr Strength(double number = 0.0, bool by_data = false) noexcept : value(number), automatic(by_data) {}

  bool none() const noexcept { return !automatic && value == 0.0; }
};

template <>
struct OptionText<Strength> {
  static Strength read(std::string_view text);
  static std::string text(const Strength& strength);
};

}  // namespace plumb
