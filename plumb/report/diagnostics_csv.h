// RowDiagnostics as CSV, one line per training row.
#pragma once

#include <cstddef>
#include <string>

#include "plumb/infer/diagnostics.h"

namespace plumb {

// For rows begin to end; before the first row the heading: row (from 1), actual, weight, fitted, residual, of a
// likelihood deviance_residual, leverage, standardised, cook, left_out. Empty if there is no number.
std::string diagnostics_csv(const RowDiagnostics& rows, std::size_t begin, std::size_t end);

}  // namespace plumb
