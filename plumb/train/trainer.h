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
struct Curvature;
class LockstepFits;
class Refitter;
struct RefitData;

struct Trained {
  LinearModel model;
  Record record;                                 // the trainer's part; the caller adds its name, options, seed and data
  std::vector<std::string> warnings;             // bad news that is still a result
  std::shared_ptr<const Basis> basis = nullptr;  // for inference, if the model has any: plumb/infer/inference.h
  // Rounding errors of the weights, and of the bias: residuals are those of the unrounded solution.
  std::vector<double> weight_lows = {};
  double bias_low = 0.0;
  bool stopped = false;                // the observer asked to stop: this is the best so far
  bool promises_optimum = true;        // whether falling short of it is worth an exit code
  std::string solver_reason = {};      // the reason for this solver, if it was chosen from the data
  std::vector<SolverStep> trace = {};  // for an iterative solver
  // For inference by maximum likelihood, if the problem asks for it and the fit has it: plumb/train/curvature.h
  std::shared_ptr<const Curvature> curvature = nullptr;
};

// The training data. The map made the examples, and goes into the model.
struct Problem {
  const Examples& examples;
  const FeatureMap& map;
  std::span<const std::string> labels = {};            // of a category target: target t of an example means labels[t]
  const SavedModel* start = nullptr;                   // a model of the same features and labels to train further
  std::span<const std::string> labels_elsewhere = {};  // features that only held-out rows have, if known
  bool infers = false;  // inference follows, so that the fit keeps its curvature, if it has one
};

// All that the memory of a fit depends on, beside options.
struct FitSize {
  std::uint32_t features = 0;
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;  // stored values
  bool sparse = false;
  std::size_t classes = 2;

  static FitSize of(const Examples& examples, std::size_t classes);
  std::size_t planes() const noexcept { return classes > 2 ? classes : 1; }
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // Its requirements for the features, before they are learnt.
  virtual Wishes wishes() const { return {}; }
  // Bytes that train() allocates beside the examples, as far as they grow with the data.
  virtual std::uint64_t memory(const FitSize& size, const Executor& executor) const = 0;
  // Throws Error(resources) for features it cannot train on, Error(usage) for an offset that it cannot use. train()
  // does so too; this is for a check before the rows are made.
  virtual void check(const FeatureMap& map) const;
  // If asked to stop, an iterative trainer returns the best so far, marked; one that has nothing yet, or cannot use
  // half a fit, throws Error(interrupted).
  virtual Trained train(const Problem& problem, const Run& run) const = 0;
  // Notes for the user about the learnt features, before the fit.
  virtual std::vector<std::string> notes(const FeatureMap& map) const;

  // Its skills beside training (plumb/train/refitter.h). refitter() and lockstep() may still return null for rows or
  // features that they do not support.
  struct Skills {
    bool starts_anywhere = false;  // there is one optimum, so a fit may start from the weights of another model
    bool refits = false;           // refitter()
    bool lockstep = false;         // lockstep()
  };
  virtual Skills skills() const { return {}; }
  virtual std::unique_ptr<Refitter> refitter(const RefitData& data) const;
  // All training rows of any of the fits, in that many groups.
  virtual std::unique_ptr<LockstepFits> lockstep(const Problem& all, std::size_t groups, const Run& run) const;
};

// Throws Error(resources) if the examples and the trainer's own memory exceed the run's.
void expect_memory(const Trainer& trainer, const Examples& examples, std::size_t classes, const Run& run);

// A trainer's options while they are being set, and the trainer they make.
class TrainerSetup {
 public:
  virtual ~TrainerSetup() = default;
  virtual OptionGroup options() = 0;  // bound to this object
  virtual std::unique_ptr<Trainer> make() const = 0;
};

// How a fit can be regularised, and other common properties of a kind of model.
enum class Family {
  penalised,  // by a penalty, --l2
  online,     // by few passes, --passes
  counting,   // by --smoothing; training further adds to the sums, so that features and labels may grow
};

struct TrainerEntry {
  std::string_view name;
  std::string_view meaning;
  Kind target = Kind::number;  // the required kind of target: a number, or the labels of classes
  bool gate = false;           // whether a fit that fell short of its optimum ends with exit code 1
  Family family = Family::penalised;
  bool compared = false;  // by `compare` if no model is named and the target is of this kind
  std::function<std::unique_ptr<TrainerSetup>()> setup;
  bool log_link = false;                        // predicts e^score, so the target cannot be a formula
  std::string_view for_labels = "-m logistic";  // what to use instead of a model of numbers
};

// THE list of trainers.
std::span<const TrainerEntry> trainer_list();

// The default model for a target: the first of the list that is compared.
const TrainerEntry& default_trainer(Kind target);

// By name; throws Error(usage) that names the nearest. The second returns null if there is none: a custom loss.
const TrainerEntry& find_trainer(std::string_view name);
const TrainerEntry* listed_trainer(std::string_view name);

}  // namespace plumb
