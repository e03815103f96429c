// Columns without a vocabulary: the id of a term is some bits of its hash, so memory is bounded however many terms a
// stream brings. The first term met in each column is kept as its name, and columns where others met it are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/text_list.h"

namespace plumb {

// The same on every machine, and for ever: it is in models.
std::uint64_t term_hash(std::string_view term) noexcept;

class HashedTerms {
 public:
  static constexpr unsigned kMostBits = 28;
  // What a column takes at the least while terms are met and their names are handed on.
  static constexpr std::uint64_t kColumnBytes = sizeof(std::string) + sizeof(std::uint64_t);

  explicit HashedTerms(unsigned bits);                                // 1 to kMostBits
  HashedTerms(unsigned bits, const std::vector<std::string>& names);  // as a model keeps them; "" for a column not met

  // The same number; throws Error(usage) if it is not 1 to kMostBits.
  static unsigned checked_bits(unsigned bits);

  unsigned bits() const noexcept { return bits_; }
  std::uint32_t columns() const noexcept { return std::uint32_t{1} << bits_; }
  std::uint32_t id(std::string_view term) const noexcept {
    return static_cast<std::uint32_t>(term_hash(term)) & (columns() - 1);
  }

  // Meets the terms of a piece, in the order of pieces: local id -> id.
  std::vector<std::uint32_t> meet(const TextList& terms);

  const std::string& name(std::uint32_t id) const noexcept { return names_[id]; }  // "" if no term was met
  std::uint64_t met() const noexcept;                                              // columns in which a term was met
  std::uint64_t shared() const noexcept;  // columns in which different terms were met

 private:
  unsigned bits_;
  std::vector<std::string> names_;
  std::vector<bool> shared_;
};

}  // namespace plumb
