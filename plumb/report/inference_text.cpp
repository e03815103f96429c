#include "plumb/report/inference_text.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/infer/least_squares_terms.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/report/likelihood_text.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

using Shown = std::string (*)(double);
std::string estimate(double number) { return four_digits(number); }

// Adds "words number" if the record has it.
bool add(std::string& line, const Record& record, std::string_view name, std::string_view words,
         Shown shown = estimate) {
  const double* const value = find_number(record, name);
  if (value == nullptr) return false;
  line += (line.empty() ? "" : "   ") + std::string(words) + " " + shown(*value);
  return true;
}

// " (size)": the feature with that value.
std::string most_inflated(const LinearModel& model, const Record& record) {
  const Statistic* const found = find_statistic(record, "vif");
  const auto* const inflation = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (inflation == nullptr || inflation->empty() || inflation->size() != model.features()) return "";
  const auto most = std::max_element(inflation->begin(), inflation->end()) - inflation->begin();
  return " (" + escaped_for_terminal(model.parts().map.name(static_cast<std::uint32_t>(most))) + ")";
}

}  // namespace

std::string p_text(double p) {
  if (std::isnan(p)) return "";
  return p < 2e-16 ? "<2e-16" : number_text(p, 3);
}

std::string inference_lines(const LinearModel& model, const Record& record) {
  if (has_likelihood(record)) return likelihood_lines(record);
  std::string quantiles, spread, test, outside;
  if (const Statistic* const found = find_statistic(record, kResidualQuantiles)) {
    const auto* const values = std::get_if<std::vector<double>>(&found->values);
    constexpr const char* kNames[] = {"min", "1Q", "median", "3Q", "max"};
    for (std::size_t i = 0; values != nullptr && values->size() == std::size(kNames) && i < values->size(); ++i)
      quantiles += (i == 0 ? "residuals: " : "   ") + std::string(kNames[i]) + " " + four_digits((*values)[i]);
  }
  if (add(spread, record, "residual_sd", "residual sd"))
    if (const double* freedom = find_number(record, "degrees_of_freedom"))
      spread += " on " + four_digits(*freedom) + (*freedom == 1 ? " degree of freedom" : " degrees of freedom");
  if (!spread.empty()) {
    add(spread, record, "r_squared", "R^2");
    add(spread, record, "adjusted_r_squared", "adjusted");
  }
  if (add(test, record, "f_statistic", "F")) {
    const double* const above = find_number(record, "f_numerator_degrees");
    const double* const below = find_number(record, "f_denominator_degrees");
    const double* const p = find_number(record, "f_p");
    if (above != nullptr && below != nullptr) test += " on " + four_digits(*above) + " and " + four_digits(*below);
    if (p != nullptr) test += ", p " + p_text(*p);
  }
  add(test, record, "log_likelihood", "log-likelihood", two_decimals);
  add(test, record, "aic", "AIC", two_decimals);
  add(test, record, "bic", "BIC", two_decimals);
  if (add(outside, record, "loo_rmse", "leave-one-out rmse"))
    if (const double* alone = find_number(record, "loo_rows_without"))
      outside += " (without " + counted(static_cast<std::uint64_t>(*alone), "row") + " that alone " +
                 (*alone == 1 ? "decides" : "decide") + " a weight)";
  if (add(outside, record, "largest_vif", "largest VIF")) outside += most_inflated(model, record);
  std::string text;
  for (const std::string& line : {quantiles, spread, test, outside})
    if (!line.empty()) text += line + "\n";
  return text;
}

}  // namespace plumb
