#include "plumb/data/kind_guess.h"

#include "plumb/base/number.h"

namespace plumb {
namespace {

constexpr std::size_t kMostCodes = 20;

}  // namespace

bool KindGuess::see(std::string_view value) {
  const ParsedNumber number = parse_number(value);
  if (number.fault == NumberFault::empty) return true;
  ++seen_;
  if (number.fault == NumberFault::not_a_number) return false;
  ++numbers_;  // also "1,5", "0x10" and "nan": numbers that are written wrongly should be said, not coded
  if (distinct_.size() <= kMostCodes && number.fault == NumberFault::none) distinct_.insert(number.value);
  return true;
}

Kind KindGuess::kind() const noexcept {
  if (numbers_ == 0) return Kind::category;
  if (numbers_ * 10 >= seen_ * 9) return Kind::number;
  return numbers_ * 2 >= seen_ && distinct_.size() > kMostCodes ? Kind::number : Kind::category;
}

}  // namespace plumb
