#include "plumb/solver/row_arithmetic.h"

#include <cmath>

#include "plumb/base/error.h"

namespace plumb {

void expect_finite_norms(const RowTable& rows) {
  RowReader reader(rows);
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(reader.with_row(i, [](const auto& x) { return squared_norm(x); })))
      throw Error(ErrorCode::data,
                  "the values of a row are so large that the sum of their squares is beyond 1.8e308, where numbers end",
                  "rescale columns of large numbers, for example with --scale standard");
}

}  // namespace plumb
