// The terms of one document after the other, in order of first appearance, and how often each.
//
// Entries are counted through all documents, and the place of its last entry lies with each term. So the place tells
// whether this document has met the term before, and there is no sorting and no map per document.
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
  // Of this document; valid until more are added.
  Entries entries() const noexcept { return {std::span(terms_).first(size_), std::span(counts_).first(size_)}; }
  std::uint32_t size() const noexcept { return size_; }
  // A place from there on is one of this document.
  std::uint32_t first_place() const noexcept { return first_place_; }

  // The next document. Its places begin behind those of the last one and `more`.
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
  // Room for so many entries more: to be called before they are added.
  void reserve(std::size_t more) {
    if (terms_.size() > size_ + more) return;
    terms_.resize(2 * (size_ + more + 1));
    counts_.resize(2 * (size_ + more + 1));
  }

  // The entries, kept at hand while some are added.
  class Adder {
   public:
    explicit Adder(DocumentTally& tally) noexcept
        : terms_(tally.terms_.data()),
          counts_(tally.counts_.data()),
          first_place_(tally.first_place_),
          size_(tally.size_) {}

    // An occurrence more. Whether the document has met the term before is not to be guessed, so there is no branch: the
    // term is written behind the others, and stays or not.
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
  std::vector<std::uint32_t> terms_, counts_;  // that many, and room for more; counts behind them are 0
};

}  // namespace plumb
