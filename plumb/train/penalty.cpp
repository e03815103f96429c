#include "plumb/train/penalty.h"

#include <cmath>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

bool is_strength(const ParsedNumber& number) {
  return number.fault == NumberFault::none && number.value >= 0.0 && std::isfinite(number.value);
}

}  // namespace

Strength OptionText<Strength>::read(std::string_view text) {
  if (text == "auto") return {0.0, true};
  const ParsedNumber number = parse_number(text);
  if (!is_strength(number)) throw OptionFault{"a number of at least 0, or auto"};
  return {number.value, false};
}

std::string OptionText<Strength>::text(const Strength& strength) {
  return strength.automatic ? "auto" : number_text(strength.value);
}

std::vector<double> penalty_factors(const std::vector<std::string>& given, const FeatureMap& map) {
  const std::vector<std::string> names = map.names();
  std::vector<double> factors(names.size(), 1.0);
  for (const std::string& item : given) {
    const std::size_t equals = item.rfind('=');
    const ParsedNumber factor = parse_number(equals == item.npos ? "" : std::string_view(item).substr(equals + 1));
    if (!is_strength(factor))
      throw Error(ErrorCode::usage,
                  "--penalty-factor is " + in_quotes(item) + "; COL=F was expected, F a number of at least 0",
                  "--penalty-factor " + as_typed_item(item.substr(0, equals) + "=0") + " leaves a feature unpenalised");
    const std::string name = item.substr(0, equals);
    bool found = false;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (names[j] != name && !names[j].starts_with(name + "=")) continue;
      factors[j] = factor.value;
      found = true;
    }
    if (!found) throw unknown_choice("feature", name, names, "--penalty-factor ");
  }
  return factors;
}

}  // namespace plumb
