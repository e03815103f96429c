// Numbers of dense rows on their way into the counts of naive Bayes: all columns side by side, about a
// number that is near those of the column, so that sums need no more steps to keep the digits of their squares. Rows
// wait for some of their class, so that the sums are fetched once for them all. When sums are moved into the counts,
// and what they are about, follows from the rows alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/train/event.h"
#include "plumb/train/event_counts.h"

namespace plumb {

class NumberSums {
 public:
  // Lasting rows stay where they are, others must be copied to wait. It fetches the rows that come next, unless there
  // are others beside it that get some of them.
  NumberSums(const EventPlan& plan, std::size_t classes, bool lasting, bool fetches = true);

  // What the columns of a class are summed about.
  struct Choice {
    std::vector<double> centre, about;
  };
  // Sums of several parts of the rows may be about the same numbers, of each class those that were chosen first: to
  // look for some takes as long as to sum a hundred rows. The choices must stay where they are.
  void share(std::vector<Choice>& choices) { shared_ = &choices; }

  void add(In x, std::size_t label, EventCounts& counts);
  // Many rows at once, which are given by their first number. Fetches others meanwhile, as moments_about_add does.
  void add_rows(std::span<const double* const> rows, std::size_t label, EventCounts& counts, const double* next,
                std::size_t stride);
  bool in_place() const noexcept { return in_place_; }  // else rows must be copied, by add
  // A row of another weight than 1, by the steps of DoubleDouble.
  void add_weighted(In x, std::size_t label, double weight);
  void finish(EventCounts& counts);

 private:
  static constexpr std::size_t kBatch = 16;
  static constexpr std::size_t kMostRows = 4096, kMostPlainRows = 256;
  struct Sums {
    std::array<const double*, kBatch> row = {};
    std::size_t waiting = 0;
    std::size_t rows = 0, look_at = 0;         // in the sums; how many of them are looked at anew
    bool chosen = false;                       // what the sums are about
    bool copied = false;                       // that was so from others, once: it may not do
    Choice choice;                             // what they are about, as moments_about_add has it
    std::vector<double> sums, plain, counted;  // the same
    std::vector<double> copies;                // of rows that wait
    std::vector<double> weighted, centre;      // as weighted_moments_add has them, about the first of the rows
    math::DoubleDouble weight;                 // of those
  };

  void prepare(Sums& own) const;
  void choose(Sums& own, std::span<const double* const> rows, std::size_t label);
  const double* next_rows(std::size_t rows);
  void move(Sums& own, std::size_t label, EventCounts& counts) const;

  const EventPlan& plan_;
  const std::size_t numbers_, width_;
  bool in_place_ = false;
  std::size_t step_ = 1;  // from a number to the next, in rows that wait
  const bool fetches_;
  std::vector<Choice>* shared_ = nullptr;
  std::vector<Sums> of_class_;
  std::vector<double> gathered_;
  const double* latest_ = nullptr;  // the row that came last
  std::size_t stride_ = 0;          // from a row to the next
  std::uintptr_t fetched_ = 0;      // rows before this were asked for
};

// Rows with numbers alone, where they lie, on their way to the sums of their parts and classes: each waits for some of
// its own, so that a step of these costs as little as it can. Sums must be in place.
class NumberRows {
 public:
  // Of each part. All must stay where they are.
  NumberRows(std::span<NumberSums> sums, std::span<EventCounts> counts, const EventPlan& plan);

  // Rows begin to end of the piece; part_of has the part of each, or is empty for the first. Rows of no part are left
  // out.
  void add(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::span<const std::uint32_t> part_of);
  // Counts these rows too.
  void finish();

 private:
  static constexpr std::uint32_t kEnough = 16;  // rows are summed at once, or a few more
  static constexpr std::size_t kMostLooked = 16;
  static constexpr std::size_t kMost = kEnough + kMostLooked;

  void sum(std::size_t slot, const double* next, std::size_t stride);
  const double* next_rows(const double* latest, std::size_t stride, std::size_t rows);

  const std::span<NumberSums> sums_;
  const std::span<EventCounts> counts_;
  const std::size_t classes_, first_, ahead_;
  // Of each part and class:
  std::vector<const double*> rows_;                     // those that wait, in room for kMost
  std::vector<std::uint32_t> waiting_;                  // how many
  std::vector<std::uint64_t> summed_;                   // and how many no longer do
  std::size_t looked_ = 0;                              // rows that were shared out since some were summed
  std::array<std::size_t, kMostLooked + 1> full_ = {};  // of whom enough wait since then
  std::size_t full_count_ = 0;
  std::uintptr_t fetched_ = 0;  // rows before this were asked for
};

}  // namespace plumb
