#include "plumb/report/diagnostics_csv.h"

#include <cmath>

#include "plumb/base/number.h"

namespace plumb {

std::string diagnostics_csv(const RowDiagnostics& rows, std::size_t begin, std::size_t end) {
  const bool deviance = !rows.deviance.empty();
  std::string text = begin > 0
                         ? ""
                         : "row,actual,weight,fitted,residual," + std::string(deviance ? "deviance_residual," : "") +
                               "leverage,standardised,cook,left_out\n";
  for (std::size_t i = begin; i < end; ++i) {
    text += std::to_string(rows.number[i] + 1);
    const auto add = [&](double each) {
      text += ',';
      if (std::isfinite(each)) append_number(text, each);
    };
    for (const double each : {rows.actual[i], rows.weight[i], rows.fitted[i], rows.residual[i]}) add(each);
    if (deviance) add(rows.deviance[i]);
    for (const double each : {rows.leverage[i], rows.standardised[i], rows.cook[i], rows.left_out[i]}) add(each);
    text += '\n';
  }
  return text;
}

}  // namespace plumb
