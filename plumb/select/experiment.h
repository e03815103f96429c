// One model on shared rows: trained on some of them, with features, vocabulary and labels learnt from those alone, and
// evaluated on others. The building block of compare, tune and curve.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/outcome.h"
#include "plumb/select/classes.h"
#include "plumb/select/shared_rows.h"
#include "plumb/select/splitter.h"
#include "plumb/train/trainer.h"

namespace plumb {

class Experiment {
 public:
  // All of them must outlive this. The plan's target must be of the kind that the trainer takes; with split options the
  // plan comes from plan_split.
  Experiment(const SharedRows& shared, const FeaturePlan& plan, const Trainer& trainer,
             const ClassOptions& options = {}, const SplitOptions& split = {});
  // The same rows, classes and splits with other features of the same target, or another trainer.
  Experiment with(const FeaturePlan& plan, const Trainer& trainer) const { return {*this, plan, trainer}; }

  bool labels() const noexcept { return content_->labels; }
  const Classes& classes() const noexcept { return content_->classes; }  // of all rows
  const Splitter& splitter() const noexcept { return content_->splitter; }
  const FeaturePlan& plan() const noexcept { return plan_; }
  const Trainer& trainer() const noexcept { return trainer_; }
  // Rows that take part: all, or those of --classes.
  const RowSet& rows() const noexcept { return content_->rows; }
  std::uint64_t bytes() const noexcept { return shared_.bytes(); }  // of the rows as read
  bool has_idle_entries() const { return shared_.have_idle_entries(plan_); }
  // Whether the two learn the same features from the same rows.
  bool same_features(const Experiment& other) const;

  // All rows under features that were learnt from some of them.
  struct Prepared {
    FeatureMap map;
    Examples examples;
    std::vector<std::string> labels;  // of their targets: the fit's first
    std::size_t known = 0;            // how many of them the fit knows
    std::optional<RowSet> complete;   // rows without a missing number, if the fit is to those alone
    std::vector<std::string> warnings;

    // Those of the training rows that are fitted to.
    RowSet fitted(const RowSet& training) const { return complete ? training.intersection(*complete) : training; }
  };
  Prepared prepare(const RowSet& training, const Run& run) const;
  // `start`, if any, is a model of the same features and labels to start from.
  Trained train(const Prepared& prepared, const RowSet& training, const Run& run,
                const SavedModel* start = nullptr) const;
  // The rows in row order; labels are those of all rows, whatever the fit saw.
  Outcome predict(const Prepared& prepared, const LinearModel& model, const RowSet& rows, const Run& run) const;

  struct Fitted {
    Trained fit;
    Prepared prepared;
    std::vector<std::string> warnings;
  };
  Fitted fit(const RowSet& training, const Run& run) const;
  Outcome predict(const Fitted& fitted, const RowSet& rows, const Run& run) const {
    return predict(fitted.prepared, fitted.fit.model, rows, run);
  }

 private:
  // Whatever the features are.
  struct Content {
    bool labels;
    std::string positive;
    Classes classes;
    RowSet rows;
    std::vector<std::string> all_labels;  // of the rows that take part, in label order
    Splitter splitter;
  };
  Experiment(const Experiment& other, const FeaturePlan& plan, const Trainer& trainer)
      : shared_(other.shared_), plan_(plan), trainer_(trainer), content_(other.content_) {}

  const SharedRows& shared_;
  const FeaturePlan& plan_;
  const Trainer& trainer_;
  std::shared_ptr<const Content> content_;
};

}  // namespace plumb
