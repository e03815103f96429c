// Many texts, concatenated in one string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

class TextList {
 public:
  TextList() = default;
  // The ends ascend, the last is the number of bytes.
  TextList(std::string bytes, std::vector<std::uint64_t> ends) : bytes_(std::move(bytes)), ends_(std::move(ends)) {}

  std::size_t size() const noexcept { return ends_.size(); }
  bool empty() const noexcept { return ends_.empty(); }
  std::string_view operator[](std::size_t i) const noexcept {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

  // All of them; valid until the list changes.
  std::vector<std::string_view> views() const {
    std::vector<std::string_view> views;
    views.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) views.push_back((*this)[i]);
    return views;
  }

  void add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
  void reserve(std::size_t texts, std::size_t bytes) {
    ends_.reserve(texts);
    bytes_.reserve(bytes);
  }
  // Keeps the first `count`.
  void truncate(std::size_t count) {
    ends_.resize(count);
    bytes_.resize(count == 0 ? 0 : ends_.back());
  }
  void clear() noexcept {
    ends_.clear();
    bytes_.clear();
  }
  void shrink_to_fit() {
    ends_.shrink_to_fit();
    bytes_.shrink_to_fit();
  }

  std::string_view bytes() const noexcept { return bytes_; }
  const std::vector<std::uint64_t>& ends() const noexcept { return ends_; }
  std::size_t memory() const noexcept { return bytes_.capacity() + ends_.capacity() * sizeof(std::uint64_t); }

  bool operator==(const TextList&) const = default;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace plumb
