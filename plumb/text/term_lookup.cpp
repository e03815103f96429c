#include "plumb/text/term_lookup.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/text/document_counter.h"
#include "plumb/text/row_sorter.h"
#include "plumb/text/word_ids.h"

namespace plumb {
namespace {

// How many terms are remembered with their ids; then the memory is cleared, so that it stays bounded.
constexpr std::size_t kMostRemembered = std::size_t{1} << 18;

}  // namespace

// For terms other than words: a document is counted under local numbers, as in training, and each number is given its
// id when it is new.
class TermLookup::Work {
 public:
  Work(const Tokeniser& tokeniser, const Vocabulary* vocabulary, unsigned bits)
      : vocabulary_(vocabulary), mask_((std::uint32_t{1} << bits) - 1) {
    const std::uint32_t columns = vocabulary != nullptr ? vocabulary->size() : mask_ + 1;
    if (!WordIds::serves(tokeniser.rules()))
      terms_.emplace(tokeniser, columns);
    else if (vocabulary != nullptr)
      words_.emplace(tokeniser, *vocabulary);
    else
      words_.emplace(tokeniser, bits);
  }

  Found look_up(std::string_view document) {
    if (!words_) return terms_->look_up(document, [this](std::string_view term) { return find(term); });
    const WordIds::Found found = words_->look_up(document);
    return {found.id, found.count, found.unseen};
  }

 private:
  class Terms {
   public:
    Terms(const Tokeniser& tokeniser, std::uint32_t columns) : counter_(tokeniser), row_(columns) {}

    template <class Find>
    Found look_up(std::string_view document, Find find) {
      if (counter_.terms().size() > kMostRemembered) {
        counter_.clear();
        id_of_.clear();
      }
      const DocumentCounter::Entries entries = counter_.count(document);
      for (std::size_t i = id_of_.size(); i < counter_.terms().size(); ++i) {
        text_.clear();
        counter_.terms().append_text(i, text_);
        id_of_.push_back(find(text_));
      }
      ids_.clear();
      counts_.clear();
      row_.begin(entries.size());
      std::uint64_t unseen = 0;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint32_t id = id_of_[entries.terms[i]];
        if (id == kNoTerm) {
          unseen += entries.counts[i];
        } else {
          row_.add(id, entries.counts[i]);
        }
      }
      row_.take([&](std::uint32_t id, std::uint32_t times) {
        ids_.push_back(id);
        counts_.push_back(times);
      });
      return {ids_, counts_, unseen};
    }

   private:
    DocumentCounter counter_;
    RowSorter row_;
    std::vector<std::uint32_t> id_of_;  // by the counter's numbers
    std::vector<std::uint32_t> ids_, counts_;
    std::string text_;
  };

  std::uint32_t find(std::string_view term) const {
    return vocabulary_ != nullptr ? vocabulary_->find(term) : static_cast<std::uint32_t>(term_hash(term)) & mask_;
  }

  const Vocabulary* vocabulary_;  // or null, and then ids are hashes
  std::uint32_t mask_;
  std::optional<WordIds> words_;  // one of the two
  std::optional<Terms> terms_;
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
