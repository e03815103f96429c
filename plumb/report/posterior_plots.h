// Pictures of what a model of probabilities says: the posterior of each label along a single feature, and the sigmoid
// of the score with what the rows say about it. How to read them: docs/plots.md.
#pragma once

#include <optional>
#include <string>

#include "plumb/data/examples.h"
#include "plumb/model/model.h"
#include "plumb/report/plot.h"

namespace plumb {

// Rows in groups of about equal size by a number, and in each the share of a label: what a probability should be.
struct ObservedShares {
  std::vector<double> at;     // mean of the number in the group
  std::vector<double> share;  // weighted
};
ObservedShares observed_shares(const std::vector<double>& number, const std::vector<double>& is,
                               const std::vector<double>& weight);

// Whether a model has one column of numbers: the only feature, or beside it only its square about a centre.
bool along_one_column(const LinearModel& model);

// Of a model whose link is logistic or softmax, along one column or with two labels. Nothing for others.
std::optional<Figure> posterior_figure(const LinearModel& model, const std::string& target, const Examples& rows);

}  // namespace plumb
