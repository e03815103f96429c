// Votes of many planes in whole numbers. A history (Weights::increments) of planes over counts has whole weights, and a
// row of counts whole scores: exact in any order of adding. Then what a row has in common with every change is added up
// by binary digits, hundreds of changes at once (plumb/math/planes.h), and only changes that differ are looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/math/planes.h"
#include "plumb/model/weights.h"

namespace plumb {

class VoteTable;

// What counting needs besides the table; one per thread.
class VoteRoom {
 public:
  explicit VoteRoom(const VoteTable& table);

 private:
  friend class VoteTable;
  std::vector<std::int32_t> sources;  // planes and slots that wait to be added, by digit
  std::vector<math::PlaneStep> steps;
  std::size_t steps_used = 0;
  std::vector<std::uint32_t> open;  // slots that are free
  std::unique_ptr<std::uint64_t[]> slots;
  std::vector<std::int32_t> common;  // of x with each change
  std::vector<std::int32_t> planes;  // more than two labels: the scores of the hypothesis at hand
  std::vector<std::int32_t> tallies;
};

class VoteTable {
 public:
  // nullptr unless weights, biases and votes are whole numbers that are not too large. `labels`: two, or as many as
  // there are chains at most.
  static std::shared_ptr<const VoteTable> of(const Weights& weights, In bias, In votes, std::size_t labels);

  // The votes for each label: the same as counted from scores in doubles, which are exact here as well. False, and
  // nothing done, if a value of x is not a whole number from 0 on, or too large. Allocates nothing.
  bool count(const Row& x, VoteRoom& room, Out tallies) const noexcept;

 private:
  friend class VoteRoom;
  static constexpr std::size_t kDigits = 31;
  struct Column {             // of a feature
    std::uint32_t plane = 0;  // the first of its planes, and how many
    std::uint32_t digits = 0;
    std::uint64_t begin = 0;  // into entries_: what planes do not have
    std::uint64_t end = 0;
  };
  struct Entry {
    std::uint32_t change;
    std::int32_t value;
  };

  void add_column(std::span<const std::uint32_t> change, In values);
  bool takes(const Row& x) const noexcept;
  bool make_steps(const Row& x, VoteRoom& room, std::span<std::int32_t> last) const noexcept;
  void add_common(const Row& x, VoteRoom& room, std::span<const std::int32_t> last) const noexcept;
  void count_two(VoteRoom& room) const noexcept;
  void count_many(VoteRoom& room) const noexcept;

  std::size_t labels_ = 0;
  std::uint32_t changes_ = 0;
  std::size_t words_ = 0;                // of a plane
  double reach_ = 0.0;                   // the sum of the changes' lengths: no score is above it times |(x, 1)|
  std::vector<std::uint64_t> planes_;    // words_ each, and 8 bytes more
  std::vector<std::uint64_t> negative_;  // changes whose values are below zero
  std::vector<std::int32_t> start_;      // the change of the bias
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // as in Weights, but for two labels the numbers alone
  std::vector<std::uint32_t> chains_;
  std::vector<std::int32_t> votes_;
  std::int32_t all_votes_ = 0;
};

}  // namespace plumb
