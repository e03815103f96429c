// Plots of a model of probabilities: the posterior of each label along a single feature, and the sigmoid of the score
// with the observed shares. How to read them: docs/plots.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/examples.h"
#include "plumb/model/model.h"
#include "plumb/report/plot.h"

namespace plumb {

// Rows in groups of about equal size by a number, and the share of a label in each: the observed counterpart of a
// probability.
struct ObservedShares {
  std::vector<double> at;     // mean of the number in the group
  std::vector<double> share;  // weighted
};
ObservedShares observed_shares(const std::vector<double>& number, const std::vector<double>& is,
                               const std::vector<double>& weight);

// The features of a model without the centred squares that naive Bayes adds after each.
struct PlotColumns {
  struct Each {
    std::uint32_t feature = 0;
    std::optional<double> centre = {};
  };
  std::vector<Each> columns;
  std::size_t features = 0;

  // All features of a row whose columns have these values.
  std::vector<double> row(double first, double second = 0.0) const;
};
std::optional<PlotColumns> plot_columns(const LinearModel& model);  // empty if squares are elsewhere

// For a model whose link is logistic or softmax, along one column or with two labels. Empty for others.
std::optional<Figure> posterior_figure(const LinearModel& model, const std::string& target, const Examples& rows);

}  // namespace plumb
