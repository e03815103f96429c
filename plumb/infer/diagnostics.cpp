#include "plumb/infer/diagnostics.h"

#include <cmath>

namespace plumb {

double leave_one_out_rmse(const RowDiagnostics& rows) {
  double weight = 0.0;
  for (std::size_t i = 0; i < rows.left_out.size(); ++i)
    if (!std::isnan(rows.left_out[i])) weight += rows.weight[i];
  return std::sqrt(rows.press / weight);
}

}  // namespace plumb
