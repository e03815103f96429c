// Classes that a hyperplane separates have no finite optimum without a penalty: along a direction d with y_i x_i.d >= 0
// for all rows, and > 0 for some, the loss decreases for ever. This finds such a direction, or that there is none. The
// direction itself is the proof: its margins are recomputed in double-double.
#pragma once

#include <vector>

#include "plumb/objective/objective.h"

namespace plumb {

struct Separation {
  // quasi: some rows lie on the hyperplane. undecided: weights grow without end, and neither a direction nor an optimum
  // is proved.
  enum class Kind { none, complete, quasi, undecided };
  Kind kind = Kind::none;
  std::vector<double> direction;     // in the units of the design matrix, the largest component 1
  std::vector<std::size_t> columns;  // with a non-zero component, ascending
};

// Only columns without a penalty can take part. `point`: where a fit ended; `certified`: with a certificate.
Separation find_separation(Objective& f, const Objective::Point& point, bool certified);

// Whether a single column, with the bias if that has no penalty, separates a class from the others except for ties: by
// comparisons alone, in one pass for any number of columns.
Separation separated_by_column(const Objective& f);

// Whether the direction, without penalised columns, is a proof; it is first corrected if it should leave the scores of
// some rows at 0 and rounding does not quite let it.
Separation proved_separation(const Objective& f, std::vector<double> direction);

}  // namespace plumb
