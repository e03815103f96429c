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

  void add(In x, std::size_t label, EventCounts& counts);
  bool in_place() const noexcept { return in_place_; }  // else rows must be copied, by add
  // A row of another weight than 1, by the steps of DoubleDouble.
  void add_weighted(In x, std::size_t label, double weight);
  void finish(EventCounts& counts);

 private:
  static constexpr std::size_t kBatch = 16;
  static constexpr std::size_t kMostRows = 4096, kMostPlainRows = 256;
  // What the columns of a class are summed about.
  struct Choice {
    std::vector<double> centre, about;
  };
  struct Sums {
    std::array<const double*, kBatch> row = {};
    std::size_t waiting = 0;
    std::size_t rows = 0, look_at = 0;         // in the sums; how many of them are looked at anew
    bool chosen = false;                       // what the sums are about
    Choice choice;                             // what they are about, as moments_about_add has it
    std::vector<double> sums, plain, counted;  // the same
    std::vector<double> copies;                // of rows that wait
    std::vector<double> weighted, centre;      // as weighted_moments_add has them, about the first of the rows
    math::DoubleDouble weight;                 // of those
  };

  // Many rows at once, which are given by their first number. Fetches others meanwhile, as moments_about_add does.
  void add_rows(std::span<const double* const> rows, std::size_t label, EventCounts& counts, const double* next,
                std::size_t stride);
  void prepare(Sums& own) const;
  void choose(Sums& own, std::span<const double* const> rows) const;
  const double* next_rows(std::size_t rows);
  void move(Sums& own, std::size_t label, EventCounts& counts) const;

  const EventPlan& plan_;
  const std::size_t numbers_, width_;
  bool in_place_ = false;
  std::size_t step_ = 1;  // from a number to the next, in rows that wait
  const bool fetches_;
  std::vector<Sums> of_class_;
  std::vector<double> gathered_;
  const double* latest_ = nullptr;  // the row that came last
  std::size_t stride_ = 0;          // from a row to the next
  std::uintptr_t fetched_ = 0;      // rows before this were asked for
};

}  // namespace plumb
