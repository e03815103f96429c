// Options of naive Bayes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/train/estimate_rules.h"

namespace plumb {

// --beta A,B: both at least 1; 0,0 means not given.
struct BetaPrior {
  double a = 0.0;
  double b = 0.0;
  bool none() const noexcept { return a == 0.0; }
};
template <>
struct OptionText<BetaPrior> {
  static BetaPrior read(std::string_view text);
  static std::string text(const BetaPrior& prior);
};

// --prior: "empirical", "uniform" or a file, which a record stores as "file".
struct PriorChoice {
  std::string text = "empirical";
  bool empirical() const noexcept { return text == "empirical"; }
  bool uniform() const noexcept { return text == "uniform"; }
};
template <>
struct OptionText<PriorChoice> {
  static PriorChoice read(std::string_view text);
  static std::string text(const PriorChoice& choice);
  static std::string file(const PriorChoice& choice) {
    return choice.empirical() || choice.uniform() ? "" : choice.text;
  }
};

struct NaiveBayesOptions {
  std::vector<std::string> event = {};
  double smoothing = 1.0;
  double virtual_examples = -1.0;  // below 0: not given, and the smoothing applies
  PriorChoice virtual_prior = {"uniform"};
  BetaPrior beta = {};
  PriorChoice prior = {};
  VarianceOf variance = VarianceOf::class_feature;
  VarianceDivisor divisor = VarianceDivisor::unbiased;
  double variance_add = 1e-9;
  std::uint32_t entries = 0;
  bool keep_statistics = false;

  static OptionTable table();
};

}  // namespace plumb
