// Models of naive Bayes that kept their sums are added up, and forget rows: exactly the model of the rows together, and
// of those that remain.
#pragma once

#include <span>
#include <string>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model_file.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Labels, levels and terms are those of both. Counts are whole and exact; means and variances agree to some 1e-15 with
// those of a single training. Throws Error(model) if a model is of another kind or kept no sums, Error(usage) if their
// columns or options differ.
Trained merge_models(const SavedModel& left, const SavedModel& right);

// For training a model further: its map with the levels, names and terms that only the map of further rows has. Throws
// Error(usage) where these cannot be one map.
FeatureMap grown_map(const SavedModel& start, const FeatureMap& further);

// The sums that a model kept, under a map and labels that hold its own: what NaiveBayes::train adds to. Throws
// Error(usage) if it kept none or counted other events. What sums do not depend on, such as the smoothing, may differ.
class NaiveBayesTrainer;
struct EventCounts;
EventCounts counts_to_add_to(const SavedModel& start, const NaiveBayesTrainer& trainer, const FeatureMap& map,
                             std::span<const std::string> labels);

// `rows` are made by the model's map, their targets are places among its labels. What no row shows any more (levels,
// terms, labels) is forgotten too. Throws Error(data) if rows were never learnt from, as far as the sums can tell.
Trained forget_rows(const SavedModel& model, const Examples& rows, const Run& run);

}  // namespace plumb
