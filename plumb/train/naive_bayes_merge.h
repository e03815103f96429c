// Naive Bayes models that stored their sums can be added up, and can forget rows: the result is exactly the model of
// the rows together, or of those that remain.
#pragma once

#include <span>
#include <string>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model_file.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Labels, levels and terms are those of both. Counts are whole and exact; means and variances agree to some 1e-15 with
// those of a single training. Throws Error(model) if a model is of another kind or stored no sums, Error(usage) if
// their columns or options differ.
Trained merge_models(const SavedModel& left, const SavedModel& right);

// For training a model further: its map with the levels, names and terms that only the map of the new rows has. Throws
// Error(usage) if these cannot be one map.
FeatureMap grown_map(const SavedModel& start, const FeatureMap& further);

// The stored sums of a model, under a map and labels that include its own: NaiveBayes::train adds to them. Throws
// Error(usage) if it stored none or counted other events. Options that do not affect the sums, such as the smoothing,
// may differ.
class NaiveBayesTrainer;
struct EventCounts;
EventCounts counts_to_add_to(const SavedModel& start, const NaiveBayesTrainer& trainer, const FeatureMap& map,
                             std::span<const std::string> labels);

// `rows` are made by the model's map, their targets are positions of its labels. Levels, terms and labels that no
// remaining row has are forgotten too. Throws Error(data) if the rows were never learnt from, as far as the sums can
// tell.
Trained forget_rows(const SavedModel& model, const Examples& rows, const Run& run);

}  // namespace plumb
