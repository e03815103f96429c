// A Trainer turns Examples into a LinearModel. Options are given when it is made; training changes nothing in it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/feature/feature_map.h"
#include "plumb/model/model.h"
#include "plumb/model/model_file.h"
#include "plumb/model/record.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

class Basis;
class LockstepFits;
class Refitter;
struct RefitData;

struct Trained {
  LinearModel model;
  Record record;                      // what the trainer knows of it; the caller adds its name, options, seed and data
  std::vector<std::string> warnings;  // bad news that is still a result
  std::shared_ptr<const Basis> basis = nullptr;  // for inference, where theory has any: plumb/infer/inference.h
  // What rounding to doubles took from the weights, and from the bias: residuals are those of the unrounded solution.
  std::vector<double> weight_lows = {};
  double bias_low = 0.0;
  bool stopped = false;                // the observer asked to: this is the best there was by then
  bool promises_optimum = true;        // whether falling short of it is worth an exit code
  std::string solver_reason = {};      // why this solver, where it was chosen from the data
  std::vector<SolverStep> trace = {};  // of an iterative solver
};

// What to learn from. The map made the examples, and goes into the model.
struct Problem {
  const Examples& examples;
  const FeatureMap& map;
  std::span<const std::string> labels = {};  // of a category target: target t of an example stands for labels[t]
  const SavedModel* start = nullptr;         // a model of the same features and labels to train further
  std::span<const std::string> labels_elsewhere = {};  // that only rows which are not trained on have, if it is known
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // What it asks of the features, before they are learnt.
  virtual Wishes wishes() const { return {}; }
  // Bytes that train() takes beside the examples, as far as they grow with the data.
  virtual std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const = 0;
  // Throws Error(resources) for features it cannot train on, Error(usage) for an offset that it has no use for. train()
  // does so too; this is for before the rows are made.
  virtual void check(const FeatureMap& map) const;
  // Asked to stop, an iterative trainer gives back the best it has, marked; one that has nothing yet, or no use for
  // half a fit, throws Error(interrupted).
  virtual Trained train(const Problem& problem, const Run& run) const = 0;
  // What to tell the user about features that were learnt, before the fit.
  virtual std::vector<std::string> notes(const FeatureMap& map) const;

  // What it can do beside training (plumb/train/refitter.h). refitter() and lockstep() may still give nothing: with
  // rows or features like these it can not.
  struct Skills {
    bool starts_anywhere = false;  // there is one optimum, so a fit may begin at the weights of another model
    bool refits = false;           // refitter()
    bool lockstep = false;         // lockstep()
  };
  virtual Skills skills() const { return {}; }
  virtual std::unique_ptr<Refitter> refitter(const RefitData& data) const;
  // All rows that any of the fits learns from, which will be in so many groups.
  virtual std::unique_ptr<LockstepFits> lockstep(const Problem& all, std::size_t groups, const Run& run) const;
};

// Throws Error(resources) if the examples and what the trainer takes beside them are more than the run has.
void expect_memory(const Trainer& trainer, const Examples& examples, const Run& run);

// A trainer's options while they are being set, and the trainer they make.
class TrainerSetup {
 public:
  virtual ~TrainerSetup() = default;
  virtual OptionGroup options() = 0;  // bound to this object
  virtual std::unique_ptr<Trainer> make() const = 0;
};

// What a fit is held back by where it follows the rows too closely, and what a kind of model has in common.
enum class Family {
  penalised,  // by a penalty, --l2
  online,     // by few passes, --passes
  counting,   // by --smoothing; training further adds to the sums, so that features and labels may grow
};

struct TrainerEntry {
  std::string_view name;
  std::string_view meaning;
  Kind target = Kind::number;  // what the target column must hold: a number, or the labels of classes
  bool gate = false;           // whether a fit that fell short of its optimum ends with exit code 1
  Family family = Family::penalised;
  bool compared = false;  // by `compare` where no model is named and the target is of this kind
  std::function<std::unique_ptr<TrainerSetup>()> setup;
};

// THE list of trainers.
std::span<const TrainerEntry> trainer_list();

// The model for a target where none is named: the first of the list that is compared.
const TrainerEntry& default_trainer(Kind target);

// By name; throws Error(usage) that names the nearest. The second gives null where there is none: a custom loss.
const TrainerEntry& find_trainer(std::string_view name);
const TrainerEntry* listed_trainer(std::string_view name);

}  // namespace plumb
