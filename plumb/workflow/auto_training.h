// Training whose model, features and settings are chosen from the training rows: -m auto, the default.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/select/shared_rows.h"
#include "plumb/workflow/auto_search.h"
#include "plumb/workflow/training.h"

namespace plumb {

class AutoTraining final : public Training {
 public:
  AutoTraining(TrainRequest& request, Source& source, Messages& say, const Run& run)
      : Training(request, source, say, run) {}

  void choose(bool planned) override;

 private:
  std::string model_name() override;
  void select() override;
  Tables read_tables() override;
  Calibrate wanted_calibration() const override {
    return was_given(request_.given, "calibrate") ? request_.options.calibrate : Calibrate::automatic;
  }
  void take(const AutoSetting& setting);
  std::string command() const;

  std::vector<AutoSetting> settings_;
  std::vector<FeaturePlan> plans_;
  std::optional<SharedRows> shared_;
};

// Whether the request leaves the model open, and nothing in it is for one kind of model: a given option of a model says
// that the user has one in mind, unless -m auto says otherwise.
bool wants_search(TrainRequest& request);

// A training of this request; all must outlive it.
std::unique_ptr<Training> new_training(TrainRequest& request, Source& source, Messages& say, const Run& run);

}  // namespace plumb
