// How much each feature varies over the training rows: what makes weights of features in different units comparable.
#pragma once

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/record.h"

namespace plumb {

// Adds the standard deviations of the features to the record, unless there are very many features.
void add_feature_spreads(Record& record, const Examples& rows, const Run& run);

}  // namespace plumb
