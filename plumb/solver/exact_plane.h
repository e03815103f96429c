// Planes of doubles that have the rows of two classes apart, checked without rounding. Where the rows hang on the last
// digits, rounding the weights or the bias of a plane that does may end at one that does not.
#pragma once

#include <optional>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/row_table.h"
#include "plumb/math/double_double.h"

namespace plumb {

struct ExactPlane {
  std::vector<double> weights;
  double bias = 0.0;
};

// Whether y (w.x + b) > 0 in every row, in exact arithmetic. What would take products beyond the doubles counts as no.
bool has_apart(const RowTable& rows, In w, double b);

// A plane of doubles near this one that has the rows apart: the plane itself, or a multiple of it, which rounds
// otherwise, with a bias between the classes. Nothing if none of them does.
std::optional<ExactPlane> plane_in_doubles(const RowTable& rows, std::span<const math::DoubleDouble> w, double b,
                                           bool bias);

}  // namespace plumb
