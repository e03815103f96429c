#include "plumb/report/diagnostics_csv.h"

#include <cmath>

#include "plumb/base/number.h"

namespace plumb {

std::string diagnostics_csv(const RowDiagnostics& rows, std::size_t begin, std::size_t end) {
  std::string text =
      begin == 0 ? "row,actual,weight,fitted,residual,leverage,standardised,cook,left_out\n" : std::string();
  for (std::size_t i = begin; i < end; ++i) {
    text += std::to_string(rows.number[i] + 1);
    for (const double each : {rows.actual[i], rows.weight[i], rows.fitted[i], rows.residual[i], rows.leverage[i],
                              rows.standardised[i], rows.cook[i], rows.left_out[i]}) {
      text += ',';
      if (std::isfinite(each)) append_number(text, each);
    }
    text += '\n';
  }
  return text;
}

}  // namespace plumb
