// Training a model further: with its own options, from its weights or sums. A model that counts accepts new labels,
// levels and terms: the new rows are counted as they were then, and the sums are added. The features and labels of
// other models stay.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model_file.h"
#include "plumb/workflow/training.h"

namespace plumb {

// Sets the model's options that the request does not set, and adds their names to `given`. Options for reading files,
// holding out rows and saving are the request's own. Throws Error(usage) for options that contradict the model, or
// cannot be recovered: a prior from a file.
void take_up(const SavedModel& start, TrainRequest& request);

class FurtherTraining final : public Training {
 public:
  // After take_up(). All must outlive this.
  FurtherTraining(const SavedModel& start, TrainRequest& request, Source& source, Messages& say, const Run& run);

 private:
  std::string model_name() override;
  FeaturePlan make_plan() const override;
  void select() override;
  Classes find_classes() const override;
  SplitKeys split_by(RandomKey& key) override;
  Learnt learn_map(Wishes wishes) const override;
  std::vector<std::string> labels_of_training(const Classes& classes) const override;
  std::string unseen_place() const override;
  const SavedModel* start() const noexcept override { return &start_; }
  std::string target() const;

  const SavedModel& start_;
  bool stays_;          // its features and labels
  TableLayout layout_;  // the columns of a model whose features stay
};

// Throws Error(data), with the hint, for a training row whose label the model does not know.
void expect_known_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                         const std::string& source, const std::string& hint);

}  // namespace plumb
