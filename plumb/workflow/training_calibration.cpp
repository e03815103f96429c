// The stage of a training that finds probabilities and a threshold on out-of-fold rows.
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/workflow/calibrating.h"
#include "plumb/workflow/training.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFewToCalibrateBy = 30;  // training rows, for --calibrate auto
constexpr const char* kNoLongerCalibrated =
    "probabilities are no longer calibrated, and the threshold is 0.5: both need fits to some of all training rows";

}  // namespace

void Training::calibrate() {
  const Calibrate wanted = wanted_calibration();
  const ThresholdChoice& threshold = request_.options.threshold;
  if (start() != nullptr &&
      (find_number(start()->record, kLogLossAfter) != nullptr || start()->model.parts().threshold != 0.5))
    warnings_.push_back(kNoLongerCalibrated);
  const bool optional = wanted == Calibrate::automatic && !threshold.given();
  if (!threshold.given() && (wanted == Calibrate::none || (optional && (!labels() || start() != nullptr)))) return;
  if (start() != nullptr)
    throw Error(ErrorCode::usage,
                std::string(threshold.given() ? "--threshold" : "--calibrate") +
                    " and --continue are given; this needs fits to some of all training rows",
                "leave it out, or train a new model");
  if (threshold.given() || wanted == Calibrate::isotonic) expect_two_classes();
  if (wanted == Calibrate::none && threshold.probability && !threshold.costs) {
    threshold_ = ChosenThreshold{*threshold.probability, {}};
    return;
  }
  PredictedClasses rows;
  try {
    rows = rows_out_of_fold();
  } catch (const Error& error) {
    if (!optional || error.code() == ErrorCode::interrupted) throw;
    say_.detail("not calibrated: " + error.message());
    return;
  }
  choose_calibration(rows);
  if (!threshold.given()) return;
  if (!rows.probable && !calibration_)
    throw Error(ErrorCode::usage, "--threshold needs probabilities; " + std::string(entry_->name) + " has only scores",
                "--calibrate sigmoid");
  threshold_ = threshold.probability && !threshold.costs
                   ? ChosenThreshold{*threshold.probability, {}}
                   : choose_threshold(threshold, rows, calibration_ ? calibration_->calibration : Calibration());
}

void Training::expect_two_classes() const {
  const std::size_t classes = classes_.among(training_.intersection(classes_.counted), "").size();
  if (classes <= 2) return;
  const bool threshold = request_.options.threshold.given();
  throw Error(ErrorCode::usage,
              std::string(threshold ? "--threshold" : "--calibrate isotonic") + " is for two classes, and there are " +
                  std::to_string(classes),
              threshold ? "leave out --threshold" : "--calibrate sigmoid");
}

void Training::choose_calibration(const PredictedClasses& rows) {
  const Calibrate wanted = wanted_calibration();
  if (wanted == Calibrate::none) return;
  calibration_ = find_calibration(rows, wanted);
  // A class that too few rows have may be impossible out of fold.
  if (calibration_ && !std::isfinite(calibration_->after)) calibration_.reset();
  if (calibration_ && calibration_->before && !std::isfinite(*calibration_->before)) calibration_->before.reset();
  if (!calibration_ && wanted != Calibrate::automatic)
    warnings_.push_back("not calibrated: on rows that a fit did not see, its scores say nothing of the label");
  if (!calibration_ || wanted != Calibrate::automatic) return;
  if (!calibration_->helps()) return calibration_.reset();
  // As if it had been asked for.
  request_.options.calibrate = calibration_->by;
  request_.given.emplace_back("calibrate");
  if (search_.empty()) return;
  search_.calibrated =
      " --calibrate " + std::string(EnumNames<Calibrate>::names[static_cast<std::size_t>(calibration_->by)]);
  search_.command += search_.calibrated;
}

PredictedClasses Training::rows_out_of_fold() {
  const RowSet rows = training_.intersection(classes_.counted);
  if (rows.count() < kFewToCalibrateBy && wanted_calibration() == Calibrate::automatic) return {};
  ClassOptions classes = request_.data.classes;
  if (classes.classes.empty()) classes.classes = classes_.among(rows, "");
  SharedRows shared(plan_, std::move(tables_));
  struct Back {
    SharedRows& shared;
    const FeaturePlan& plan;
    Tables& tables;
    ~Back() { tables = shared.taken_for(plan); }
  } const back{shared, plan_, tables_};
  const std::unique_ptr<Trainer> trainer = request_.trainers.setup(chosen_).make();
  const Experiment experiment(shared, plan_, *trainer, classes, request_.data.split);
  return out_of_fold(experiment, rows, {request_.options.seed, 2}, run_);
}

void Training::apply_calibration(Trained& trained) const {
  if (!calibration_ && !threshold_) return;
  if (trained.model.parts().link == Link::vote)
    throw Error(ErrorCode::usage, "--calibrate needs scores, and a voted perceptron has votes",
                "leave out --calibrate");
  if (calibration_) {
    trained.model = trained.model.calibrated(calibration_->calibration);
    if (calibration_->before) trained.record.fit.emplace_back(std::string(kLogLossBefore), *calibration_->before);
    trained.record.fit.emplace_back(std::string(kLogLossAfter), calibration_->after);
  }
  if (!threshold_) return;
  LinearModel::Parts parts = trained.model.parts();
  if (parts.link != Link::logistic)
    throw Error(ErrorCode::usage, "--threshold needs probabilities; " + std::string(entry_->name) + " has only scores",
                "--calibrate sigmoid");
  parts.threshold = threshold_->probability;
  trained.model = LinearModel(std::move(parts));
  if (threshold_->cost) trained.record.fit.emplace_back(std::string(kThresholdCost), *threshold_->cost);
}

}  // namespace plumb
