// NB weighting of Wang and Manning ("Baselines and Bigrams", ACL 2012): a linear model of features that are multiplied
// by naive Bayes log-count ratios, and then interpolated with naive Bayes itself. docs/logistic_regression.md
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/base/span.h"
#include "plumb/data/examples.h"

namespace plumb {

class RowLoss;

enum class FeatureWeighting { none, nb };
template <>
struct EnumNames<FeatureWeighting> {
  static constexpr std::string_view names[] = {"none", "nb"};
};

// For each plane and feature ln((p_j / |p|) / (q_j / |q|)): p are its sums over the rows of the plane's label, q over
// all others, each plus 1. Two labels have one plane, of the second. Throws Error(data) for a feature whose sum is
// below 0. Rows of weight w count w times.
std::vector<std::vector<double>> count_ratios(const Examples& examples, std::size_t labels, std::size_t features,
                                              const Run& run);

// The penalty of a weight relative to that of the ratio's multiple: a fit to features times ratios is a fit to the
// features with this penalty.
double ratio_penalty(double ratio) noexcept;

// The weights of features times ratios, mixed with the mean size of all: naive Bayes gets three quarters.
void interpolate(Out weights, In ratios) noexcept;

// The bias of least loss for these weights, of rows whose target is this label, or (of two) the second.
double best_bias(In weights, const Examples& examples, const RowLoss& loss, double label, const Run& run);

}  // namespace plumb
