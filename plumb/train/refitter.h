// Shortcuts of a trainer for cross-validation: it predicts rows by fits that were not made. Such a trainer offers a
// Refitter (without folds or single rows, or with growing sets of rows), or fits of all folds in lock-step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/evaluate/outcome.h"
#include "plumb/feature/plan.h"
#include "plumb/train/trainer.h"

namespace plumb {

inline constexpr std::uint32_t kNoFold = 0xffffffff;  // of a row that is in no fold

struct Trial {
  RowSet training;
  RowSet tried;
};

// One for each fold with rows: trained on those of all other folds, evaluated on its own.
std::vector<Trial> trials_of(std::span<const std::uint32_t> fold);

// The result of one fit of one trial.
struct Tried {
  Outcome outcome;                    // on held-out rows
  Outcome seen;                       // on training rows, if requested
  std::vector<std::uint64_t> number;  // of the rows of the outcome
  bool converged = true;
  std::uint64_t copies = 0;  // if requested, for the first experiment
};

// The numbers of the rows with a weight, in row order.
std::vector<std::uint64_t> numbers_of(const Examples& examples);

// The outcomes of trials without a row in common as one, in row order.
Outcome merged(std::vector<Tried> parts);

// How fits without some rows get their predictions.
enum class FoldWay {
  refits,     // they are made
  sums,       // subtracting the sums of the rows from those of all rows
  leverages,  // least squares without one row: y - r / (1 - h)
};

// The question to a refitter. All must outlive it.
struct RefitData {
  const Problem& problem;                   // all rows that take part
  const FeaturePlan& plan;                  // how their features were made
  const Trained* whole = nullptr;           // the fit to all of them, if there is one
  bool folds_may_hold_a_class = false;      // rows of a class need not be spread over the folds
  std::function<bool()> idle_entries = {};  // whether sparse rows contain entries without effect, such as a 0
};

class Refitter {
 public:
  virtual ~Refitter() = default;
  // The way of without(): FoldWay::refits if it cannot. `alone`: every row is a fold of its own.
  virtual FoldWay way(bool alone) const = 0;
  // Predicts each row by the fit to the rows of other folds, or, without folds, to all other rows. The parts have no
  // row in common.
  virtual std::vector<Tried> without(std::span<const std::uint32_t> fold, const Run& run) const = 0;
  // Whether it has a cheap way for nested training sets. `every_class`: all have all classes.
  virtual bool adds(bool every_class) const = 0;
  // Predicts the rows of such trials; empty for a trial that must be fitted after all.
  virtual std::vector<std::optional<Tried>> with_more(std::span<const Trial> nested, bool seen_too,
                                                      const Run& run) const = 0;
};

// Fits to several sets of rows at once, over one copy of the rows.
class LockstepFits {
 public:
  static constexpr std::size_t kMost = 8;  // sets in a group
  struct Found {
    LinearModel model;
    bool converged;
  };
  class Group {
   public:
    virtual ~Group() = default;
    virtual std::vector<Found> fit(const Trainer& trainer, const Run& run) = 0;  // one that is supported
  };

  virtual ~LockstepFits() = default;
  // Whether the other trainer is the same except for the strength of its penalty.
  virtual bool serves(const Trainer& other) const = 0;
  virtual std::unique_ptr<Group> group(std::span<const RowSet* const> training) const = 0;
};

}  // namespace plumb
