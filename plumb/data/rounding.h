// Values rounded to floats on request, and what that lost. Half the memory for values that no float holds exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/base/span.h"

namespace plumb {

enum class ValuePrecision { exact, f32 };

template <>
struct EnumNames<ValuePrecision> {
  static constexpr std::string_view names[] = {"exact", "f32"};
};

struct ValueOptions {
  ValuePrecision values = ValuePrecision::exact;

  static OptionTable table();
};

struct RoundingLoss {
  std::uint64_t values = 0;   // that were rounded
  std::uint64_t changed = 0;  // to another number
  double largest = 0.0;       // relative change of one value; 1 where a float had nothing but 0 for it

  // Rounds each value to the nearest float; the place of the first that is beyond all floats, if there is one.
  std::optional<std::size_t> round(Out values);
  void add(const RoundingLoss& other);
  // Values so small that floats have fewer digits for them changed by more than rounding does, half of 2^-23.
  bool beyond_rounding() const noexcept { return largest > 0x1p-24; }
  std::string text() const;  // a sentence for the user
};

}  // namespace plumb
