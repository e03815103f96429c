// An array that owns its elements, or borrows them from memory that somebody else keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace plumb {

// Reads like a vector. To change it, call own(), which copies borrowed elements.
template <class T>
class Array {
 public:
  using value_type = T;
  using const_iterator = const T*;

  Array() = default;
  Array(std::vector<T> own) noexcept : own_(std::move(own)) {}
  Array(std::initializer_list<T> own) : own_(own) {}
  // Borrowed: the pointer, which may be an alias, keeps the elements.
  Array(std::shared_ptr<const T> first, std::size_t size) noexcept : at_(std::move(first)), size_(size) {}

  bool borrowed() const noexcept { return at_ != nullptr; }
  std::size_t size() const noexcept { return borrowed() ? size_ : own_.size(); }
  bool empty() const noexcept { return size() == 0; }
  const T* data() const noexcept { return borrowed() ? at_.get() : own_.data(); }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size(); }
  const T& back() const noexcept { return data()[size() - 1]; }
  std::size_t bytes() const noexcept { return own_.size() * sizeof(T); }  // owned elements

  std::vector<T>& own() {
    if (borrowed()) {
      own_.assign(begin(), end());
      at_.reset();
    }
    return own_;
  }
  void push_back(T value) { own().push_back(value); }
  void reserve(std::size_t size) { own().reserve(size); }
  void resize(std::size_t size) { own().resize(size); }
  // Releases owned memory that is not needed, if that is worth a copy.
  void shrink() {
    if (own_.capacity() > own_.size() + own_.size() / 4) own_.shrink_to_fit();
  }

  friend bool operator==(const Array& a, const Array& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<T> own_;
  std::shared_ptr<const T> at_;  // the first borrowed element; null if owned
  std::size_t size_ = 0;
};

}  // namespace plumb
