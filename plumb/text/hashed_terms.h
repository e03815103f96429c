// Columns without a vocabulary: the id of a term is some bits of its hash, so memory is bounded for any stream of
// terms. Each column is named after the first term it met, and columns that other terms share are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/text_list.h"

namespace plumb {

// The same on every machine, and for ever, because models contain it.
std::uint64_t term_hash(std::string_view term) noexcept;

class HashedTerms {
 public:
  static constexpr unsigned kMostBits = 28;
  // The least memory of a column while terms are met and their names are passed on.
  static constexpr std::uint64_t kColumnBytes = sizeof(std::string) + sizeof(std::uint64_t);

  explicit HashedTerms(unsigned bits);                                // 1 to kMostBits
  HashedTerms(unsigned bits, const std::vector<std::string>& names);  // as in a model; "" for an unused column

  // The same number; throws Error(usage) if it is not 1 to kMostBits.
  static unsigned checked_bits(unsigned bits);

  unsigned bits() const noexcept { return bits_; }
  std::uint32_t columns() const noexcept { return std::uint32_t{1} << bits_; }
  std::uint32_t id(std::string_view term) const noexcept {
    return static_cast<std::uint32_t>(term_hash(term)) & (columns() - 1);
  }

  // Adds the terms of a piece, in the order of pieces: local id -> id.
  std::vector<std::uint32_t> meet(const TextList& terms);

  const std::string& name(std::uint32_t id) const noexcept { return names_[id]; }  // "" if no term was met
  std::uint64_t met() const noexcept;                                              // columns that have a term
  std::uint64_t shared() const noexcept;                                           // columns that different terms share

 private:
  unsigned bits_;
  std::vector<std::string> names_;
  std::vector<bool> shared_;
};

}  // namespace plumb
