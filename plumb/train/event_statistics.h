// The data of naive Bayes in a model file beside the hyperplanes: the event model of each column, its priors, means and
// variances, and on request the sums for merging and training further.
#pragma once

#include <optional>
#include <vector>

#include "plumb/model/record.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/event_estimates.h"

namespace plumb {

// `counts` may be null: they are then not stored.
void add_statistics(Record& record, const EventEstimates& estimates, const EventPlan& plan, const EventCounts* counts);

// The stored sums, if there are any. Throws Error(model) if they do not fit the model, whose file is untrusted.
std::optional<EventCounts> kept_counts(const Record& record, const EventPlan& plan, std::size_t classes);

}  // namespace plumb
