// What a trainer can do cheaper than by training again: predict rows by fits that were not made. A trainer that can
// offers a Refitter (without folds or single rows, or with growing sets of rows), or fits of all folds in lock-step.
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

// One for each fold that has rows: its own rows are tried, those of all other folds are trained on.
std::vector<Trial> trials_of(std::span<const std::uint32_t> fold);

// What one fit of one trial came to.
struct Tried {
  Outcome outcome;                    // on rows it had not seen
  Outcome seen;                       // on those it had, where asked for
  std::vector<std::uint64_t> number;  // of the rows of the outcome
  bool converged = true;
  std::uint64_t copies = 0;  // where asked for, of the first experiment
};

// The numbers of the rows with a weight, in row order.
std::vector<std::uint64_t> numbers_of(const Examples& examples);

// The outcomes of trials without a row in common as one, in row order.
Outcome merged(std::vector<Tried> parts);

// How predictions of fits without some rows are had.
enum class FoldWay {
  refits,     // they are made
  sums,       // what the rows added is taken from the sums of all rows
  leverages,  // of least squares without one row: y - r / (1 - h)
};

// What a refitter is asked about. All must outlive it.
struct RefitData {
  const Problem& problem;                   // all rows that take part
  const FeaturePlan& plan;                  // how their features were made
  const Trained* whole = nullptr;           // the fit to all of them, where there is one
  bool folds_may_hold_a_class = false;      // rows of a class need not be spread over the folds
  std::function<bool()> idle_entries = {};  // whether sparse rows hold entries that count for nothing, such as a 0
};

class Refitter {
 public:
  virtual ~Refitter() = default;
  // The way that without() goes: FoldWay::refits where it cannot. `alone`: every row is a fold of its own.
  virtual FoldWay way(bool alone) const = 0;
  // Predicts each row by the fit to the rows of other folds, or, without folds, to all other rows. The parts have no
  // row in common.
  virtual std::vector<Tried> without(std::span<const std::uint32_t> fold, const Run& run) const = 0;
  // Whether it has a cheap way for training sets that are each a part of the next. `every_class`: all have all classes.
  virtual bool adds(bool every_class) const = 0;
  // Predicts the rows of such trials; nothing for a trial that has to be fitted after all.
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
    virtual std::vector<Found> fit(const Trainer& trainer, const Run& run) = 0;  // one that serves
  };

  virtual ~LockstepFits() = default;
  // Whether the other trainer is the same but for the strength of its penalty.
  virtual bool serves(const Trainer& other) const = 0;
  virtual std::unique_ptr<Group> group(std::span<const RowSet* const> training) const = 0;
};

}  // namespace plumb
