// Training a model further: with the options it was made with, from the weights or sums it has. A model that counts
// takes in new labels, levels and terms: rows are learnt from as they were then, and the sums added up. The features
// and labels of others stay.
#pragma once

#include <string>
#include <vector>

#include "plumb/model/model_file.h"
#include "plumb/workflow/training.h"

namespace plumb {

// Sets what the model was made with and the request does not say, and adds the names of these to `given`. How files are
// read, what is held out and what is saved are the request's own. Throws Error(usage) for what contradicts the model,
// or cannot be known: a prior from a file.
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
  TableLayout layout_;  // where the columns of a model that stays are
};

// Throws Error(data), with the hint, for a training row whose label the model does not know.
void expect_known_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                         const std::string& source, const std::string& hint);

}  // namespace plumb
