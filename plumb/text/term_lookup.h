// A document at prediction: the ids and counts of its known terms, ascending, without allocating once warm.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "plumb/text/hashed_terms.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/vocabulary.h"

namespace plumb {

// One per thread. Its arguments must outlive it.
class TermLookup {
 public:
  TermLookup(const Tokeniser& tokeniser, const Vocabulary& vocabulary);
  TermLookup(const Tokeniser& tokeniser, unsigned hash_bits);
  ~TermLookup();
  TermLookup(TermLookup&&) noexcept;
  TermLookup& operator=(TermLookup&&) noexcept;

  struct Found {
    std::span<const std::uint32_t> id;  // ascending; valid until the next call
    std::span<const std::uint32_t> count;
    std::uint64_t unseen = 0;  // occurrences of terms that are not in the vocabulary
  };
  Found look_up(std::string_view document);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace plumb
