// RowDiagnostics as CSV, one line per training row.
#pragma once

#include <string>

#include "plumb/infer/diagnostics.h"

namespace plumb {

// row (from 1), actual, weight, fitted, residual, leverage, standardised, cook, left_out; empty where there is no
// number.
std::string diagnostics_csv(const RowDiagnostics& rows);

}  // namespace plumb
