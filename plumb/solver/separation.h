// Classes that a hyperplane tells apart have no finite optimum without a penalty: along a direction d with
// y_i x_i.d >= 0 for all rows, and > 0 for some, the loss falls for ever. This finds such a direction, or that there is
// none. The proof is the direction itself: its margins are computed anew, in double-double.
#pragma once

#include <vector>

#include "plumb/objective/objective.h"

namespace plumb {

struct Separation {
  // quasi: some rows lie on the hyperplane. undecided: weights run away, and neither a direction nor an optimum is
  // proved.
  enum class Kind { none, complete, quasi, undecided };
  Kind kind = Kind::none;
  std::vector<double> direction;     // in the units of the design matrix, the largest component 1
  std::vector<std::size_t> columns;  // that take part, ascending
};

// Only columns without penalty can take part. `point`: where a fit ended; `certified`: with a certificate.
Separation find_separation(Objective& f, const Objective::Point& point, bool certified);

// Whether a single column, with the bias if that has no penalty, tells a class from the others but for ties: by
// comparisons alone, in one pass for any number of columns.
Separation separated_by_column(const Objective& f);

// Whether the direction, penalised columns left out, is a proof; it is put right first where it should leave the scores
// of some rows alone and rounding does not quite let it.
Separation proved_separation(const Objective& f, std::vector<double> direction);

}  // namespace plumb
