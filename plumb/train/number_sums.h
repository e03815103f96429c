// Adds the numbers of dense rows to the counts of naive Bayes: all columns in parallel, about a number close to those
// of the column, so that sums need no extra steps to keep the digits of their squares. Rows wait for others of their
// class, so that the sums are loaded once for all of them. The rows alone determine when sums are moved into the
// counts, and what they are about.
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
  // Lasting rows stay in place, others are copied to wait. It prefetches the next rows, unless other counters get some
  // of them.
  NumberSums(const EventPlan& plan, std::size_t classes, bool lasting, bool fetches = true);

  void add(In x, std::size_t label, EventCounts& counts);
  bool in_place() const noexcept { return in_place_; }  // otherwise rows must be copied, by add
  // A row with a weight other than 1, by the steps of DoubleDouble.
  void add_weighted(In x, std::size_t label, double weight);
  void finish(EventCounts& counts);

 private:
  static constexpr std::size_t kBatch = 16;
  static constexpr std::size_t kMostRows = 4096, kMostPlainRows = 256;
  // The centres of the sums of a class's columns.
  struct Choice {
    std::vector<double> centre, about;
  };
  struct Sums {
    std::array<const double*, kBatch> row = {};
    std::size_t waiting = 0;
    std::size_t rows = 0, look_at = 0;         // in the sums; after how many the centres are recomputed
    bool chosen = false;                       // the centres of the sums
    Choice choice;                             // the centres, as for moments_about_add
    std::vector<double> sums, plain, counted;  // the same
    std::vector<double> copies;                // waiting rows
    std::vector<double> weighted, centre;      // as for weighted_moments_add, about the first of the rows
    math::DoubleDouble weight;                 // weight of those
  };

  // Many rows at once, given by their first numbers. Prefetches others meanwhile, as moments_about_add does.
  void add_rows(std::span<const double* const> rows, std::size_t label, EventCounts& counts, const double* next,
                std::size_t stride);
  void prepare(Sums& own) const;
  void choose(Sums& own, std::span<const double* const> rows) const;
  const double* next_rows(std::size_t rows);
  void move(Sums& own, std::size_t label, EventCounts& counts) const;

  const EventPlan& plan_;
  const std::size_t numbers_, width_;
  bool in_place_ = false;
  std::size_t step_ = 1;  // from a number to the next, in waiting rows
  const bool fetches_;
  std::vector<Sums> of_class_;
  std::vector<double> gathered_;
  const double* latest_ = nullptr;  // the row added last
  std::size_t stride_ = 0;          // from a row to the next
  std::uintptr_t fetched_ = 0;      // rows before this were prefetched
};

}  // namespace plumb
