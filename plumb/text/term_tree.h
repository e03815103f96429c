// The numbered terms of some documents. A token is kept as its text, an n-gram as two numbers: the n-gram without its
// last token, and that token. So an n-gram takes eight bytes, and is found and compared as one number.
//
// A lasting tree has only tokens, all that were ever stored, in their order: taken from piece to piece, a token keeps
// its number, a known token writes nothing, and data about a token by its number are valid in all these pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/text_list.h"

namespace plumb {

// The content of the list, with little spare memory; the list is then empty, with room for as much again. Pieces are
// about as large as the last one, so mostly the memory itself is passed on and nothing is copied.
template <class T, class Allocator>
std::vector<T, Allocator> taken(std::vector<T, Allocator>& list) {
  const std::size_t size = list.size();
  const bool fits = list.capacity() <= size + size / 8;
  std::vector<T, Allocator> all = fits ? std::move(list) : std::vector<T, Allocator>(list);
  list = {};
  list.reserve(size + size / 16);
  return all;
}

class TermTree {
 public:
  struct Parts {
    std::uint32_t prefix;
    std::uint32_t last;

    bool operator==(const Parts&) const = default;
  };
  // Where the text of a token is. Trees of pieces that were counted one after the other share lists of texts, so that a
  // text is written once and not in every piece: equal list and place mean the same token.
  struct Place {
    std::uint32_t list;
    std::uint32_t index;
  };

  TermTree() = default;
  static TermTree lasting() {
    TermTree tree;
    tree.starts_ = {0};
    return tree;
  }

  std::size_t size() const noexcept { return is_lasting() ? starts_.back() + texts_.size() : nodes_.size(); }
  bool empty() const noexcept { return size() == 0; }

  bool is_lasting() const noexcept { return !starts_.empty(); }
  bool only_tokens() const noexcept { return tokens_ == nodes_.size(); }
  bool is_token(std::size_t i) const noexcept { return is_lasting() || (nodes_[i] & kToken) != 0; }
  std::string_view token(std::size_t i) const noexcept { return text(place(i)); }
  Place place(std::size_t i) const noexcept {
    if (is_lasting()) {
      const auto list = static_cast<std::size_t>(std::ranges::upper_bound(starts_, i) - starts_.begin()) - 1;
      return {static_cast<std::uint32_t>(list), static_cast<std::uint32_t>(i - starts_[list])};
    }
    return {static_cast<std::uint32_t>((nodes_[i] & ~kToken) >> 32), static_cast<std::uint32_t>(nodes_[i])};
  }
  Parts parts(std::size_t i) const noexcept {
    return {static_cast<std::uint32_t>(nodes_[i] >> 32), static_cast<std::uint32_t>(nodes_[i])};
  }
  std::string_view text(Place place) const noexcept { return list(place.list)[place.index]; }
  std::size_t lists() const noexcept { return shared_.size() + 1; }
  const TextList& list(std::size_t i) const noexcept { return i < shared_.size() ? *shared_[i] : texts_; }
  // For a lasting tree the number of the first text of a list.
  std::size_t start(std::size_t list) const noexcept { return starts_[list]; }
  // For a tree that was taken, the list of the texts that were stored for it: each was first met in its documents, in
  // their order. kNoList if there is none.
  static constexpr std::size_t kNoList = static_cast<std::size_t>(-1);
  std::size_t own_list() const noexcept { return own_; }

  // The tokens of an n-gram joined by blanks.
  void append_text(std::size_t i, std::string& out) const {
    if (is_token(i)) {
      out += token(i);
    } else {
      append_text(parts(i).prefix, out);  // as deep as an n-gram is long
      out += ' ';
      out += token(parts(i).last);
    }
  }
  std::size_t text_size(std::size_t i) const noexcept {
    std::size_t size = 0;
    for (; !is_token(i); i = parts(i).prefix) size += 1 + token(parts(i).last).size();
    return size + token(i).size();
  }
  std::string operator[](std::size_t i) const {
    std::string out;
    append_text(i, out);
    return out;
  }

  // Numbers are below 2^31; the parts of an n-gram are added before it. In a lasting tree this adds what is stored.
  void add_token(std::string_view text) { add_token(store(text)); }
  // A token whose text was stored before, or is in a shared list.
  void add_token(Place place) {
    nodes_.push_back(kToken | std::uint64_t{place.list} << 32 | place.index);
    ++tokens_;
  }
  // Shares a list of another tree, and returns its number here; kNoList if that tree does not share it.
  std::size_t share(const TermTree& other, std::size_t list) {
    if (list >= other.shared_.size()) return kNoList;
    shared_.push_back(other.shared_[list]);
    return shared_.size() - 1;
  }
  Place store(std::string_view text) {
    texts_.add(text);
    return {static_cast<std::uint32_t>(shared_.size()), static_cast<std::uint32_t>(texts_.size() - 1)};
  }
  void add_ngram(Parts parts) { nodes_.push_back(std::uint64_t{parts.prefix} << 32 | parts.last); }
  // Up to `most` n-grams at once: the caller writes their parts, the prefix above and the last below, and then says how
  // many at the end are dropped.
  std::uint64_t* begin_ngrams(std::size_t most) {
    nodes_.resize(nodes_.size() + most);
    return nodes_.data() + nodes_.size() - most;
  }
  void end_ngrams(std::size_t left_out) { nodes_.resize(nodes_.size() - left_out); }

  void prefetch(std::size_t i) const noexcept {
    if (i < nodes_.size()) __builtin_prefetch(&nodes_[i]);
  }
  void reserve(std::size_t nodes) { nodes_.reserve(nodes); }
  // Returns the tree, with little spare memory; this one then forgets all terms, but the places of their texts stay
  // valid. A lasting tree forgets nothing.
  TermTree take() {
    TermTree all;
    if (!texts_.empty()) {
      all.own_ = shared_.size();
      texts_.shrink_to_fit();
      shared_.push_back(std::make_shared<const TextList>(std::move(texts_)));
      texts_ = {};
      if (is_lasting()) starts_.push_back(starts_.back() + shared_.back()->size());
    }
    all.starts_ = starts_;
    all.nodes_ = taken(nodes_);
    all.tokens_ = std::exchange(tokens_, 0);
    all.shared_ = shared_;
    return all;
  }
  void clear() noexcept {
    nodes_.clear();
    tokens_ = 0;
    shared_.clear();
    own_ = kNoList;
    texts_.clear();
    if (is_lasting()) starts_ = {0};
  }
  // Of the shared lists the last one counts: the others are older, and belong to earlier trees.
  std::size_t memory() const noexcept {
    return nodes_.capacity() * sizeof nodes_[0] + texts_.memory() + shared_.capacity() * sizeof shared_[0] +
           starts_.capacity() * sizeof starts_[0] + (shared_.empty() ? 0 : shared_.back()->memory());
  }

  // Whether they have the same terms under the same numbers.
  bool operator==(const TermTree& other) const {
    if (size() != other.size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_token(i) != other.is_token(i)) return false;
      if (is_token(i) ? token(i) != other.token(i) : !(parts(i) == other.parts(i))) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kToken = std::uint64_t{1} << 63;

  std::vector<std::uint64_t> nodes_;  // kToken and the place of a text, or the parts
  std::size_t tokens_ = 0;            // among them
  std::vector<std::shared_ptr<const TextList>> shared_;
  std::size_t own_ = kNoList;        // among those
  TextList texts_;                   // the list behind those
  std::vector<std::size_t> starts_;  // for a lasting tree: the number of the first text of each list
};

}  // namespace plumb
