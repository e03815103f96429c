// Naive Bayes: the features are independent given the class, each column with a distribution of its own family.
// Training counts in one pass, and the posterior is a softmax of hyperplanes: docs/naive_bayes.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/train/event.h"
#include "plumb/train/naive_bayes_options.h"
#include "plumb/train/trainer.h"

namespace plumb {

struct EventCounts;

class NaiveBayesTrainer final : public Trainer {
 public:
  explicit NaiveBayesTrainer(NaiveBayesOptions options = {});

  Wishes wishes() const override;
  std::uint64_t memory(const FitSize& size, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  Trained train(const Problem& problem, const Run& run) const override;
  std::vector<std::string> notes(const FeatureMap& map) const override;
  Skills skills() const override { return {.refits = true}; }
  std::unique_ptr<Refitter> refitter(const RefitData& data) const override;  // plumb/train/naive_bayes_refits.cpp

  EventPlan plan(const FeatureMap& map) const;
  // Reads the file of --prior.
  EstimateRules rules(std::span<const std::string> labels, std::span<const std::string> elsewhere = {}) const;
  const NaiveBayesOptions& options() const noexcept { return options_; }
  // The numbers of the file of --prior, if the file is no longer available.
  void set_prior(std::vector<double> prior) { prior_ = std::move(prior); }
  // The model of these sums, with the content of its record. Rows are the counted ones.
  Trained fit(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
              std::span<const std::string> labels, std::span<const std::string> elsewhere = {}) const;

 private:
  std::vector<std::string> idle_options(const EventPlan& plan) const;

  NaiveBayesOptions options_;
  EventChoices events_;
  std::vector<double> prior_;
};

}  // namespace plumb
