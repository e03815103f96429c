// How the rows of this command were given, for the commands that it suggests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/evaluate/metrics.h"
#include "plumb/feature/feature_map.h"
#include "plumb/report/remedies.h"
#include "plumb/train/trainer.h"

namespace plumb {

// `groups` are those for reading data, the roles of columns and the split, and from `own`, the command's, the seed and
// the held-out rows; `model` are those of the trainer. The given ones are repeated.
TypedData typed_data(const std::vector<std::string>& operands, const std::vector<OptionGroup>& groups,
                     const OptionGroup& own, const OptionGroup& model, const std::vector<std::string>& given,
                     const FeaturePlan& plan);
std::vector<TypedOption> typed_options(const OptionGroup& model, const std::vector<std::string>& given);

// How many features of a map are terms of texts.
std::uint64_t terms_of_texts(const FeatureMap& map);

// At most 20,000 rows of the set, evenly, and fewer for many labels: enough to know an error by.
RowSet some_rows(const RowSet& rows, std::uint64_t labels);

// The error of classes, or the rmse of numbers, on training and held-out rows; empty if the sampling error of the
// latter is unknown.
std::optional<SeenErrors> seen_errors(const std::vector<Metric>& seen, const std::vector<Metric>& unseen,
                                      const std::vector<Metric>& baseline);

// Whether its --l2 is above 0, or chosen from the rows.
bool is_penalised(TrainerSetup& setup);

}  // namespace plumb
