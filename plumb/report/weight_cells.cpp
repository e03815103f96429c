#include "plumb/report/weight_cells.h"

#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/utf8.h"
#include "plumb/infer/robust_errors.h"
#include "plumb/report/inference_text.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

std::string option_of(const Record& record, std::string_view name) {
  for (const auto& [option, value] : record.options)
    if (option == name) return value;
  return "";
}

}  // namespace

std::vector<std::string> weight_heading(const Record& record, const std::optional<WeightTests>& tests) {
  if (record.standard_errors.empty()) return {"feature", "weight"};
  const std::string kind = option_of(record, "errors");
  const std::string error = find_number(record, kClusters) != nullptr  ? "cluster error"
                            : kind.empty() || kind == "classic"        ? "std error"
                            : kind.starts_with("bootstrap")            ? "boot error"
                                                                       : escaped_for_terminal(kind) + " error";
  if (!tests) return {"feature", "weight", error};
  if (tests->bootstrap) return {"feature", "weight", error, "95% low", "95% high"};
  const std::string test = !tests->chi_square.empty() ? "chi^2" : tests->normal ? "z" : "t";
  return {"feature", "weight", error, test, "p", "95% low", "95% high"};
}

std::vector<std::string> weight_line(const std::string& name, double weight, const Record& record,
                                     const std::optional<WeightTests>& tests, std::vector<double> ModelNumbers::*part,
                                     std::size_t i) {
  std::vector<std::string> cells = {name, four_digits(weight)};
  if ((record.standard_errors.*part).empty()) return cells;
  cells.push_back(four_digits((record.standard_errors.*part)[i]));
  if (!tests || std::isnan(((tests->bootstrap ? tests->low : tests->t).*part)[i])) return cells;
  if (!tests->bootstrap) {
    cells.push_back(number_text(((tests->chi_square.empty() ? tests->t : tests->chi_square).*part)[i], 4));
    cells.push_back(p_text((tests->p.*part)[i]));
  }
  for (const ModelNumbers* const end : {&tests->low, &tests->high})
    cells.push_back(std::isnan((end->*part)[i]) ? "none" : four_digits((end->*part)[i]));
  return cells;
}

}  // namespace plumb
