// A formula as steps over chunks of rows. Arithmetic uses pairs of doubles (double-double), so a slot has two arrays;
// functions and comparisons use the first of a pair, which is the pair rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/feature/formula_node.h"

namespace plumb::formula {

struct Operand {
  bool column = false;  // otherwise a slot
  bool pair = false;    // a slot whose second array is used
  std::uint32_t index = 0;
};

struct Step {
  Operation operation = Operation::number;
  std::uint32_t slot = 0;  // where the result goes
  Operand left;
  Operand right;
  bool whole = false;   // power: left^count; multiply: left times the column on the right, |count| times
  int count = 0;        // -kHighestPower to kHighestPower
  double number = 0.0;  // number: fills the slot
  std::uint32_t node = 0;
};

class Program {
 public:
  static constexpr std::size_t kChunk = 256;  // rows at a time: two arrays of 2 KiB a slot stay in the L1 cache

  struct Fault {
    std::size_t row;
    std::uint32_t node;
  };

  Program() = default;
  explicit Program(std::span<const Node> nodes);

  std::size_t room() const noexcept { return slots_ * 2 * kChunk; }  // doubles that run() needs
  // The first row with an operation that has no finite result, and the first such operation in it. `low` receives the
  // second parts of the results, or is empty.
  std::optional<Fault> run(std::span<const double* const> columns, std::span<double> out, std::span<double> low,
                           double* room) const;

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_use_;  // node of the first use of each column
  Operand result_;
  std::size_t slots_ = 0;
};

}  // namespace plumb::formula
