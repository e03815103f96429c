// The terms of one document after the other, in order of first appearance, and their counts.
//
// Entries are numbered through all documents, and each term keeps the place of its last entry. The place tells whether
// this document has met the term before, so there is no sorting and no map per document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

class DocumentTally {
 public:
  // Places are counted from `first_place` on, which is not 0.
  explicit DocumentTally(std::uint32_t first_place) : first_place_(first_place) {}

  struct Entries {
    std::span<const std::uint32_t> terms, counts;

    std::size_t size() const noexcept { return terms.size(); }
  };
  // For this document; valid until more are added.
  Entries entries() const noexcept { return {std::span(terms_).first(size_), std::span(counts_).first(size_)}; }
  std::uint32_t size() const noexcept { return size_; }
  // A place from there on is one of this document.
  std::uint32_t first_place() const noexcept { return first_place_; }

  // Starts the next document. Its places begin after those of the last one and `more`.
  void begin(std::uint32_t more = 0) {
    std::fill_n(counts_.begin(), size_, 0);
    first_place_ += size_ + more;
    size_ = 0;
  }
  // The same, with places from `first_place` on.
  void restart(std::uint32_t first_place) {
    begin();
    first_place_ = first_place;
  }
  // Makes room for that many entries: to be called before they are added.
  void reserve(std::size_t more) {
    if (terms_.size() > size_ + more) return;
    terms_.resize(2 * (size_ + more + 1));
    counts_.resize(2 * (size_ + more + 1));
  }

  // The entries in registers while some are added.
  class Adder {
   public:
    explicit Adder(DocumentTally& tally) noexcept
        : terms_(tally.terms_.data()),
          counts_(tally.counts_.data()),
          first_place_(tally.first_place_),
          size_(tally.size_) {}

    // Adds an occurrence. Whether the document has met the term before is unpredictable, so there is no branch: the
    // term is written behind the others, and stays or is overwritten.
    [[gnu::always_inline]] void add(std::uint32_t& place, std::uint32_t term) noexcept {
      const std::uint32_t at = std::min(place - first_place_, size_);
      terms_[size_] = term;
      ++counts_[at];
      place = first_place_ + at;
      size_ += at == size_ ? 1 : 0;
    }
    void put_back(DocumentTally& tally) const noexcept { tally.size_ = size_; }

   private:
    std::uint32_t* terms_;
    std::uint32_t* counts_;
    std::uint32_t first_place_;
    std::uint32_t size_;
  };

 private:
  std::uint32_t first_place_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> terms_, counts_;  // that many, and spare room; counts behind them are 0
};

}  // namespace plumb
