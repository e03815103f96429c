#include "plumb/text/hashed_terms.h"

#include <algorithm>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"

namespace plumb {

std::uint64_t term_hash(std::string_view term) noexcept { return digest64(term); }

unsigned HashedTerms::checked_bits(unsigned bits) {
  if (bits < 1 || bits > kMostBits) {
    throw Error(ErrorCode::usage,
                "hashes of " + std::to_string(bits) + " bits were asked for; 1 to " + std::to_string(kMostBits) +
                    " were expected",
                "--hash-bits 18");
  }
  return bits;
}

HashedTerms::HashedTerms(unsigned bits) : bits_(checked_bits(bits)), names_(columns()), shared_(columns()) {}

HashedTerms::HashedTerms(unsigned bits, const std::vector<std::string>& names) : HashedTerms(bits) {
  if (names.size() != columns()) {
    throw Error(ErrorCode::model, std::to_string(names.size()) + " names of hashed terms; " +
                                      std::to_string(columns()) + " were expected");
  }
  names_ = names;
}

std::vector<std::uint32_t> HashedTerms::meet(const TextList& terms) {
  std::vector<std::uint32_t> ids(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t at = ids[i] = id(terms[i]);
    if (names_[at].empty()) {
      names_[at] = terms[i];
    } else if (names_[at] != terms[i]) {
      shared_[at] = true;
    }
  }
  return ids;
}

std::uint64_t HashedTerms::met() const noexcept {
  return columns() - static_cast<std::uint64_t>(std::ranges::count(names_, std::string()));
}

std::uint64_t HashedTerms::shared() const noexcept {
  return static_cast<std::uint64_t>(std::ranges::count(shared_, true));
}

}  // namespace plumb
