// The hard-margin problem by dual coordinate descent: min |w|^2 / 2 - sum a over a >= 0, with w = sum a_i y_i x_i. At
// any time the rows bound the margin from below, and weak duality from above.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/margin.h"

namespace plumb {

// A free bias is the constraint sum a y = 0, handled by the method of multipliers: the bias feature of squared size rho
// is its penalty, and after each pass rho sum a y is added to the multiplier b.
class HullDistance {
 public:
  HullDistance(const RowTable& rows, BiasKind bias);

  // Starts from these a, scaled to the optimum along them.
  void start(std::vector<double> a, RowReader& reader);
  // One pass over the active rows.
  void pass(RowReader& reader, const RandomKey& random, std::uint64_t number);
  // Reads all rows: tightens the bounds, and makes every row active again.
  void look(RowReader& reader);

  // A hyperplane from elsewhere, if it gives a better lower bound of the margin.
  void try_plane(In w, double b, RowReader& reader) { lower_bound(w, b, reader); }
  const MarginBounds& bounds() const noexcept { return bounds_; }
  std::vector<double> weights;  // of the best lower bound, and its bias; empty before the first bound
  double bias = 0.0;
  In multipliers() const noexcept { return a_; }

 private:
  double sign(std::uint64_t i) const noexcept { return rows_.target(i) > 0.5 ? 1.0 : -1.0; }
  double upper_bound(RowReader& reader);
  void lower_bound(In w, double b, RowReader& reader);

  const RowTable& rows_;
  BiasKind kind_;
  double rho_;
  std::vector<double> squared_norm_;  // |x_i|^2
  std::vector<double> a_;
  std::vector<double> w_;
  double b_ = 0.0;        // the multiplier
  double balance_ = 0.0;  // sum a y
  std::vector<std::uint64_t> active_;
  double largest_ = std::numeric_limits<double>::infinity();  // violation of the last pass: rows beyond it rest
  MarginBounds bounds_;
};

}  // namespace plumb
