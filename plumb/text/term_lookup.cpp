#include "plumb/text/term_lookup.h"

#include <map>
#include <vector>

namespace plumb {

class TermLookup::Work {
 public:
  Work(const Tokeniser& tokeniser, const Vocabulary* vocabulary, unsigned bits)
      : tokeniser_(tokeniser), vocabulary_(vocabulary), mask_((std::uint32_t{1} << bits) - 1) {}

  Found look_up(std::string_view document) {
    std::map<std::uint32_t, std::uint32_t> counts;
    std::uint64_t unseen = 0;
    for (const std::string& term : tokeniser_.terms(document)) {
      const std::uint32_t id =
          vocabulary_ != nullptr ? vocabulary_->find(term) : static_cast<std::uint32_t>(term_hash(term)) & mask_;
      if (id == kNoTerm) {
        ++unseen;
      } else {
        ++counts[id];
      }
    }
    ids_.clear();
    counts_.clear();
    for (const auto& [id, count] : counts) {
      ids_.push_back(id);
      counts_.push_back(count);
    }
    return {ids_, counts_, unseen};
  }

 private:
  const Tokeniser& tokeniser_;
  const Vocabulary* vocabulary_;
  std::uint32_t mask_;
  std::vector<std::uint32_t> ids_, counts_;
};

TermLookup::TermLookup(const Tokeniser& tokeniser, const Vocabulary& vocabulary)
    : work_(std::make_unique<Work>(tokeniser, &vocabulary, 0)) {}
TermLookup::TermLookup(const Tokeniser& tokeniser, unsigned hash_bits)
    : work_(std::make_unique<Work>(tokeniser, nullptr, HashedTerms::checked_bits(hash_bits))) {}
TermLookup::~TermLookup() = default;
TermLookup::TermLookup(TermLookup&&) noexcept = default;
TermLookup& TermLookup::operator=(TermLookup&&) noexcept = default;

TermLookup::Found TermLookup::look_up(std::string_view document) { return work_->look_up(document); }

}  // namespace plumb
