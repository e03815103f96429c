// The terms of some documents, numbered. A token is kept as its text, an n-gram as two numbers: the n-gram without its
// last token, and that token. So an n-gram takes eight bytes, and is found and compared as one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/text_list.h"

namespace plumb {

class TermTree {
 public:
  struct Parts {
    std::uint32_t prefix;
    std::uint32_t last;

    bool operator==(const Parts&) const = default;
  };

  std::size_t size() const noexcept { return nodes_.size(); }
  bool empty() const noexcept { return nodes_.empty(); }

  bool only_tokens() const noexcept { return tokens_.size() == nodes_.size(); }
  std::string_view token_bytes() const noexcept { return tokens_.bytes(); }  // of all of them
  bool is_token(std::size_t i) const noexcept { return (nodes_[i] & kToken) != 0; }
  std::string_view token(std::size_t i) const noexcept { return tokens_[nodes_[i] & ~kToken]; }
  Parts parts(std::size_t i) const noexcept {
    return {static_cast<std::uint32_t>(nodes_[i] >> 32), static_cast<std::uint32_t>(nodes_[i])};
  }

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

  // Numbers are below 2^31; the parts of an n-gram are added before it.
  void add_token(std::string_view text) {
    nodes_.push_back(kToken | tokens_.size());
    tokens_.add(text);
  }
  void add_ngram(Parts parts) { nodes_.push_back(std::uint64_t{parts.prefix} << 32 | parts.last); }
  // Up to `most` n-grams at once: the caller writes their parts, the prefix above and the last below, and then says how
  // many of them are left out at the end.
  std::uint64_t* begin_ngrams(std::size_t most) {
    nodes_.resize(nodes_.size() + most);
    return nodes_.data() + nodes_.size() - most;
  }
  void end_ngrams(std::size_t left_out) { nodes_.resize(nodes_.size() - left_out); }

  void prefetch(std::size_t i) const noexcept {
    if (i < nodes_.size()) __builtin_prefetch(&nodes_[i]);
  }
  void reserve(std::size_t nodes, std::size_t tokens, std::size_t bytes) {
    nodes_.reserve(nodes);
    tokens_.reserve(tokens, bytes);
  }
  void clear() noexcept {
    nodes_.clear();
    tokens_.clear();
  }
  std::size_t memory() const noexcept { return nodes_.capacity() * sizeof nodes_[0] + tokens_.memory(); }

  bool operator==(const TermTree&) const = default;

 private:
  static constexpr std::uint64_t kToken = std::uint64_t{1} << 63;

  std::vector<std::uint64_t> nodes_;  // kToken and which of tokens_, or the parts
  TextList tokens_;
};

}  // namespace plumb
