#include "plumb/data/kind_guess.h"

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/date_text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostCodes = 20;

}  // namespace

bool KindGuess::see(std::string_view value) {
  const ParsedNumber number = parse_number(value);
  if (number.fault == NumberFault::empty) return true;
  see_date(value);
  if (number.fault == NumberFault::not_a_number) return false;
  ++numbers_;  // also "1,5", "0x10" and "nan": numbers that are written wrongly should be said, not coded
  if (distinct_.size() <= kMostCodes && number.fault == NumberFault::none) distinct_.insert(number.value);
  return true;
}

void KindGuess::see_text(std::string_view value) {
  if (!trimmed(value).empty()) see_date(value);
}

void KindGuess::see_date(std::string_view value) {
  if (dates_ == seen_ && is_date(trimmed(value))) ++dates_;
  ++seen_;
}

Kind KindGuess::kind() const noexcept {
  if (seen_ > 0 && dates_ == seen_) return Kind::date;
  if (numbers_ == 0) return Kind::category;
  if (numbers_ * 10 >= seen_ * 9) return Kind::number;
  return numbers_ * 2 >= seen_ && distinct_.size() > kMostCodes ? Kind::number : Kind::category;
}

}  // namespace plumb
