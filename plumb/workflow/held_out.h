// Scores a new model on the held-out rows, beside a constant baseline. The baseline's numbers go into the record, for
// evaluate.
#pragma once

#include <string>
#include <vector>

#include "plumb/report/report.h"
#include "plumb/select/classes.h"
#include "plumb/train/trainer.h"

namespace plumb {

void judge_numbers(TrainReport& report, Trained& fit, const Examples& trained_on, const Examples& heldout,
                   const Run& run);
// `labels`: those of the targets, the model's first.
void judge_classes(TrainReport& report, Trained& fit, const Examples& trained_on, const Examples& heldout,
                   const std::vector<std::string>& labels, const Run& run);
// The same for the rows of --dev, if there are any; no labels for a model of numbers.
void judge_development(TrainReport& report, Trained& fit, const Examples& rows, const std::vector<std::string>& labels,
                       const Run& run);

// Scores on training rows, without intervals; no labels for a model of numbers.
std::vector<Metric> metrics_of(const LinearModel& model, const Examples& rows, const std::vector<std::string>& labels,
                               const Run& run);

// If the training rows have too few labels, and held-out rows have others: the same error, with a hint what to type.
void offer_held_out(const Error& error, const Classes& classes, const RowSet& training, const RowSet& test,
                    const RowSet& dev);

}  // namespace plumb
