// Classes that a hyperplane tells apart have no finite optimum without a penalty: along a direction d with
// y_i x_i.d >= 0 for all rows, and > 0 for some, the loss falls for ever. This finds such a direction, or that there is
// none. The proof is the direction itself: its margins are computed anew.
#pragma once

#include <vector>

#include "plumb/objective/objective.h"

namespace plumb {

struct Separation {
  enum class Kind { none, complete, quasi };  // quasi: some rows lie on the hyperplane
  Kind kind = Kind::none;
  std::vector<double> direction;     // in the units of the design matrix, the largest component 1
  std::vector<std::size_t> columns;  // that take part, ascending
};

// Only columns without penalty can take part. `w`: where a fit ended.
Separation find_separation(const Objective& f, const std::vector<double>& w);

// Whether the fit itself, penalised columns left out, has every row strictly on its right side: a proof, of any number
// of columns, that costs one product.
Separation separated_by(const Objective& f, const std::vector<double>& w);

// Whether scores are so large that it is worth a look.
bool may_be_separated(const Objective& f, const Objective::Point& point);

}  // namespace plumb
