// A target that a model predicts through a formula of one column with an inverse, such as log(wage): the fit is to the
// formula, and predictions are taken back to the units of the column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/feature/formula.h"
#include "plumb/feature/formula_node.h"

namespace plumb {

class TargetScale {
 public:
  // Nothing for a formula that has no inverse here, is of other than one column, or uses it twice.
  static std::optional<TargetScale> of(const Formula& formula);

  const Formula& formula() const noexcept { return formula_; }
  const std::string& column() const noexcept { return formula_.columns().front(); }
  // From the formula's units to those of the column; not finite where there is no such value.
  double back(double value) const noexcept;
  // "geometric mean", or what the mean of the formula is once it is taken back.
  std::string mean() const;

 private:
  struct Step {  // outermost first
    formula::Operation operation = formula::Operation::number;
    double constant = 0.0;
    bool on_left = false;
  };
  explicit TargetScale(const Formula& formula) : formula_(formula) {}

  Formula formula_;
  std::vector<Step> steps_;
};

}  // namespace plumb
