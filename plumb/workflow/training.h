// Training, stage by stage: plan, read, split, learn, fit, judge, and the bytes to save. plumb train and plumb::fit
// call the stages in this order; training a model further (further_training.h) overrides the stages that differ.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/block_cache.h"
#include "plumb/data/first_rows.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/evaluate/threshold.h"
#include "plumb/feature/feature_map.h"
#include "plumb/infer/diagnostics.h"
#include "plumb/infer/inference.h"
#include "plumb/report/diagnostics_csv.h"
#include "plumb/report/fit_rows.h"
#include "plumb/report/plot.h"
#include "plumb/report/report.h"
#include "plumb/report/trace.h"
#include "plumb/select/shared_rows.h"
#include "plumb/select/splitter.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/auto_list.h"
#include "plumb/workflow/messages.h"
#include "plumb/workflow/request.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

struct TrainOptions {
  std::string model;
  std::string output = "model.plumb";
  TestChoice test;
  TestChoice dev = {TestChoice::What::none, 0.0, 0, ""};
  bool refit_all = false;
  Calibrate calibrate = Calibrate::none;
  ThresholdChoice threshold;
  std::uint64_t seed = 42;
  std::string cache;
  std::string diagnostics;
  std::string trace;
  std::string start;
  std::uint64_t rows = 0;
  double time_limit = 0.0;

  static OptionTable table();
};

// The request to a training. Sources: those of --test FILE and --dev FILE, or null.
struct TrainRequest {
  DataRequest data;
  InferenceOptions inference;
  TrainOptions options;
  TrainerChoice trainers;
  AutoOptions search;
  std::vector<std::string> given;  // names of the options that were set
  std::vector<std::string> tuned;  // of these, the ones chosen from rows
  bool wants_figure = false;
  const CachedSource* cache = nullptr;  // the source, with --cache

  std::vector<OptionGroup> groups();  // of all options, for the record
};

class Training {
 public:
  // All must outlive this.
  Training(TrainRequest& request, Source& source, Messages& say, const Run& run);
  virtual ~Training() = default;
  // Rows of a separate file that are held out, or scored separately.
  void use_test(Source* test, Source* dev) {
    test_source_ = test;
    dev_source_ = dev;
  }

  void plan();   // which columns are features, and as what
  void read();   // bytes to tables
  void split();  // which rows are held out: with classes a share of each
  // Which model to fit, and with which features, where the request leaves that open. With `planned` only the first that
  // would be tried.
  virtual void choose(bool planned = false) { static_cast<void>(planned); }
  // Which probabilities the scores of the model stand for, and from which on the second label is predicted, by fits
  // without some of the training rows; with --calibrate and --threshold.
  void calibrate();
  void learn();  // tables to examples, by a map learnt from the training rows alone
  void check();  // warnings about the rows, before the fit
  void fit();    // examples to a model, and statistical inference
  void judge();  // the model on held-out rows
  void refit();  // with --refit-all: the model to save, from the held-out rows as well
  // The model file, with its record filled in.
  std::string bytes();

  const TrainerEntry& entry() const noexcept { return *entry_; }
  const FeaturePlan& planned() const noexcept { return plan_; }
  const FeatureMap& map() const noexcept { return learnt_.map; }
  const MemoryPlan& memory() const noexcept { return memory_; }
  std::uint64_t training_rows() const noexcept { return training_.count(); }
  std::uint64_t heldout_rows() const noexcept { return heldout_->rows.size(); }
  Trained& trained() { return *trained_; }
  std::vector<std::string>& warnings() noexcept { return warnings_; }
  // The observer asked to stop during the fit: the remaining stages run unobserved.
  bool stopped() const noexcept { return trained_ && trained_->stopped; }
  // False if a fit that promises an optimum fell short of it.
  bool converged() const noexcept;
  RowDiagnostics diagnostics() const;
  void expect_diagnostics() { needs_diagnostics_ = true; }
  // Empty if the model has too many dimensions to draw.
  std::optional<Figure> figure() const;
  TrainReport report() const;

 protected:
  virtual std::string model_name();
  virtual FeaturePlan make_plan() const;
  virtual void select();
  virtual Tables read_tables() { return read_all(source_, run_); }
  virtual Classes find_classes() const;
  // Also the meaning of --test, and the key of the rows' draws.
  virtual SplitKeys split_by(RandomKey& key);
  virtual Learnt learn_map(Wishes wishes) const;
  virtual std::vector<std::string> labels_of_training(const Classes& classes) const;
  virtual std::string unseen_place() const;
  virtual const SavedModel* start() const noexcept { return nullptr; }
  virtual Calibrate wanted_calibration() const { return request_.options.calibrate; }

  TrainRequest& request_;
  Source& source_;
  Messages& say_;
  Run run_;
  std::size_t chosen_ = 0;  // of request_.trainers
  SearchReport search_;     // what choose() found
  const TrainerEntry* entry_ = nullptr;
  FeaturePlan plan_;
  Tables tables_;
  Tables kept_;  // the same, for refit()
  RowSet training_{0}, test_{0}, dev_{0};
  std::vector<std::string> warnings_;

 private:
  struct FileRows {
    Examples rows;
    std::vector<std::string> labels;  // of the targets, the model's first
  };
  bool labels() const noexcept { return entry_->target == Kind::category; }
  std::vector<std::string> model_labels() const;
  void refuse_class_options() const;
  void expect_two_classes() const;
  PredictedClasses rows_out_of_fold();
  void choose_calibration(const PredictedClasses& rows);
  void apply_calibration(Trained& trained) const;
  void learn_labels();
  Problem to_infer(Problem problem) const;
  FileRows rows_of(Source* source, const std::string& path, const RowSet& rows);
  FileRows read_file(Source& source, const std::string& path, const Run& run);
  void judge_fit();
  FitVerdict verdict(const std::vector<Metric>& seen);
  void fill_record(Record& record);
  HowRead reading() const;

  std::vector<std::uint32_t> clusters_;  // of the rows, if --cluster names a column
  bool guessed_labels_ = false;          // no model was named, and the target is one of few numbers
  std::string kind_note_;
  Source* test_source_ = nullptr;
  Source* dev_source_ = nullptr;
  Classes classes_;
  std::unique_ptr<Trainer> trainer_;
  Learnt learnt_;
  FeatureMap::Unseen unseen_;
  std::optional<Examples> examples_;
  std::optional<FileRows> heldout_, development_;
  std::optional<std::vector<double>> column_;  // for a figure
  MemoryPlan memory_;
  bool needs_diagnostics_ = false;
  bool scored_ = true;  // false if the observer stopped the fit
  Run fitting_;         // with the memory that the rows leave
  std::optional<FoundCalibration> calibration_;
  std::optional<ChosenThreshold> threshold_;
  std::optional<Trained> trained_;
  std::vector<Metric> heldout_metrics_, baseline_, development_metrics_;
  std::string baseline_name_;
  std::optional<SharedRows> sample_;  // of the training rows, to try remedies on
  FitVerdict verdict_;
};

}  // namespace plumb
