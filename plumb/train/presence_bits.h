// How often two of some things are there together, in rows that hold many of them: a bit for each row and thing, so
// that 256 rows are counted at once. For processors with AVX2; the counts are the same as those of a loop over pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

class PresenceBits {
 public:
  // Whether this machine can.
  static bool can() noexcept;

  // Only on such a machine.
  PresenceBits(std::size_t slots, std::size_t classes);

  // A row of the class, by the slots that it holds, each once.
  void add(std::span<const std::uint32_t> held, std::size_t label);
  // What was counted so far is added to [class][slot][slot], the lower triangle, and begins anew.
  void move_to(std::span<std::uint64_t> pairs);

 private:
  static constexpr std::size_t kGroups = 4;  // of 64 rows
  void count(std::size_t label);

  std::size_t slots_, width_;         // as many, and in whole registers
  std::vector<std::uint64_t> bits_;   // [class][group][slot]
  std::vector<std::uint32_t> rows_;   // [class]: in the bits
  std::vector<std::uint32_t> pairs_;  // [class][slot][slot]: of rows that were counted; beyond the triangle anything
};

}  // namespace plumb
