// The numbers of a column: owned, or borrowed from the caller's memory, as doubles or floats at a stride. So a column
// of a matrix stays in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumb {

class Numbers {
 public:
  using value_type = double;

  Numbers() = default;
  Numbers(std::vector<double> own) noexcept : own_(std::move(own)) {}
  Numbers(std::initializer_list<double> own) : own_(own) {}
  // first[0], first[stride], ...: the pointer, which may be an alias, keeps them.
  template <class T>
  requires std::is_same_v<T, double> || std::is_same_v<T, float> Numbers(std::shared_ptr<const T> first,
                                                                         std::size_t size, std::size_t stride = 1)
      : at_(std::move(first)), floats_(std::is_same_v<T, float>), size_(size), stride_(stride) {}

  std::size_t size() const noexcept { return borrowed() ? size_ : own_.size(); }
  bool empty() const noexcept { return size() == 0; }
  double operator[](std::size_t i) const noexcept {
    return !borrowed() ? own_[i] : floats_ ? double{floats()[i * stride_]} : doubles()[i * stride_];
  }

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    using pointer = const double*;
    using reference = double;
    const_iterator() = default;
    const_iterator(const Numbers* numbers, std::size_t i) noexcept : numbers_(numbers), i_(i) {}
    double operator*() const noexcept { return (*numbers_)[i_]; }
    const_iterator& operator++() noexcept { return ++i_, *this; }
    const_iterator operator++(int) noexcept { return {numbers_, i_++}; }
    bool operator==(const const_iterator&) const = default;

   private:
    const Numbers* numbers_ = nullptr;
    std::size_t i_ = 0;
  };
  const_iterator begin() const noexcept { return {this, 0}; }
  const_iterator end() const noexcept { return {this, size()}; }
  double back() const noexcept { return (*this)[size() - 1]; }

  bool borrowed() const noexcept { return at_ != nullptr; }
  std::size_t stride() const noexcept { return stride_; }
  // The array that the numbers were borrowed from, if it has this type.
  template <class T>
  std::shared_ptr<const T> lent() const noexcept {
    if (floats_ != std::is_same_v<T, float>) return nullptr;
    return {at_, static_cast<const T*>(at_.get())};
  }
  // The doubles if they are contiguous; null if they are floats or have gaps.
  const double* data() const noexcept {
    return !borrowed() ? own_.data() : floats_ || (stride_ != 1 && size_ > 1) ? nullptr : doubles();
  }
  // `count` of the borrowed numbers from `begin` on.
  Numbers part(std::size_t begin, std::size_t count) const {
    Numbers some = *this;
    const void* const from =
        floats_ ? static_cast<const void*>(floats() + begin * stride_) : doubles() + begin * stride_;
    some.at_ = {at_, from};
    some.size_ = count;
    return some;
  }
  std::size_t bytes() const noexcept { return own_.size() * sizeof(double); }  // owned numbers

  // Copies borrowed numbers to owned ones.
  std::vector<double>& own() {
    if (borrowed()) {
      own_.assign(begin(), end());
      at_.reset();
    }
    return own_;
  }
  void push_back(double number) { own().push_back(number); }
  void reserve(std::size_t size) { own().reserve(size); }
  void resize(std::size_t size) { own().resize(size); }

  friend bool operator==(const Numbers& a, const Numbers& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  const double* doubles() const noexcept { return static_cast<const double*>(at_.get()); }
  const float* floats() const noexcept { return static_cast<const float*>(at_.get()); }

  std::vector<double> own_;
  std::shared_ptr<const void> at_;  // the first borrowed number; null if owned
  bool floats_ = false;
  std::size_t size_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace plumb
