// Naive Bayes: the features are independent given the class, each column with a distribution of its own family.
// Training counts in one pass, and the posterior is a softmax of hyperplanes: docs/naive_bayes.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/train/estimate_rules.h"
#include "plumb/train/event.h"
#include "plumb/train/trainer.h"

namespace plumb {

struct EventCounts;

// --beta A,B: both at least 1; 0,0 stands for none.
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

// --prior: "empirical", "uniform" or a file, which a record knows as "file".
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
  double virtual_examples = -1.0;  // below 0: none are given, and the smoothing holds
  PriorChoice virtual_prior = {"uniform"};
  BetaPrior beta = {};
  PriorChoice prior = {};
  VarianceOf variance = VarianceOf::class_feature;
  VarianceDivisor divisor = VarianceDivisor::unbiased;
  double variance_add = 1e-9;
  std::uint32_t entries = 0;
  bool keep_statistics = false;

  static constexpr auto table() {
    using O = NaiveBayesOptions;
    return std::tuple{
        option(
            "event", &O::event,
            "what a row shows: multinomial (counts), bernoulli (there or not), categorical, gaussian, complement; of "
            "all columns, or COL=EVENT")
            .value("EVENT,...")
            .otherwise("auto: numbers gaussian, categories categorical, texts and entries multinomial"),
        option("smoothing", &O::smoothing, "added to the count of every outcome, not to those of classes; 0: none")
            .value("A")
            .in(between(0.0, 1e300)),
        option("virtual", &O::virtual_examples,
               "in place of --smoothing: M examples more, spread over classes and outcomes by --virtual-prior")
            .value("M")
            .in(at_least(0.0))
            .otherwise("none"),
        option("virtual-prior", &O::virtual_prior,
               "uniform, or a file with lines LABEL,P and LABEL,FEATURE,P: how likely a class, and a value together "
               "with it, are in the examples of --virtual")
            .value("uniform|FILE")
            .reads_file(),
        option("beta", &O::beta, "of bernoulli features, in place of both: (count + A - 1)/(n + A + B - 2)")
            .value("A,B")
            .otherwise("none"),
        option("prior", &O::prior,
               "of the classes: empirical, uniform, or a file with a label and its probability in each line")
            .value("empirical|uniform|FILE")
            .reads_file(),
        option("variance", &O::variance,
               "of gaussian features: one for each class and feature, for each feature, for each class, or one")
            .value("OF"),
        option("variance-divisor", &O::divisor, "n-1: unbiased; n: the most likely").value("N"),
        option("variance-add", &O::variance_add, "times the largest variance of a feature, is added to every variance")
            .value("F")
            .in(at_least(0.0)),
        option("entries", &O::entries, "of LIBSVM rows: features are numbered up to N, whether rows hold them or not")
            .value("N")
            .in(between(std::uint32_t{1}, Wishes::kMostNumbers))
            .otherwise("the highest number"),
        option("keep-statistics", &O::keep_statistics,
               "keep the sums in the model, so that it can be merged, trained further, and forget rows")};
  }
};

class NaiveBayesTrainer final : public Trainer {
 public:
  explicit NaiveBayesTrainer(NaiveBayesOptions options = {});

  Wishes wishes() const override;
  std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  Trained train(const Problem& problem, const Run& run) const override;
  std::vector<std::string> notes(const FeatureMap& map) const override;
  Skills skills() const override { return {.refits = true}; }
  std::unique_ptr<Refitter> refitter(const RefitData& data) const override;  // plumb/train/naive_bayes_refits.cpp

  EventPlan plan(const FeatureMap& map) const;
  // Reads the file of --prior.
  EstimateRules rules(std::span<const std::string> labels, std::span<const std::string> elsewhere = {}) const;
  const NaiveBayesOptions& options() const noexcept { return options_; }
  // The numbers of the file of --prior, where the file is not at hand.
  void set_prior(std::vector<double> prior) { prior_ = std::move(prior); }
  // The model of these sums, with what its record keeps. Rows are those that were counted.
  Trained fit(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
              std::span<const std::string> labels, std::span<const std::string> elsewhere = {}) const;

 private:
  std::vector<std::string> idle_options(const EventPlan& plan) const;

  NaiveBayesOptions options_;
  EventChoices events_;
  std::vector<double> prior_;
};

}  // namespace plumb
