// A column of numbers in the narrowest form that keeps their bits: nothing at all while every one is 1, floats while
// every one is a float, doubles otherwise. Most sparse data are ones or short decimals and take half the room or less.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "plumb/base/span.h"

namespace plumb {

class Values {
 public:
  enum class Form { ones, floats, doubles };

  // The form widens as the value asks, and never narrows again.
  void push(double value) {
    if (form_ == Form::doubles) {
      doubles_.push_back(value);
    } else if (form_ == Form::floats && fits_float(value)) {
      floats_.push_back(static_cast<float>(value));
    } else if (form_ == Form::floats || value != 1.0) {
      widen_and_push(value);
    }
    ++size_;
  }
  // The same as pushing one after the other.
  void append(In values);
  // Values that are in a form already.
  static Values of_ones(std::size_t size);
  static Values of(std::vector<float> floats);
  static Values of(std::vector<double> doubles);
  // Leaves the first `size` values.
  void truncate(std::size_t size);
  void reserve(std::size_t size);
  // Gives back room that was reserved and not needed, where it is worth a copy.
  void shrink();

  std::size_t size() const noexcept { return size_; }
  Form form() const noexcept { return form_; }
  double operator[](std::size_t i) const noexcept {
    return form_ == Form::doubles ? doubles_[i] : form_ == Form::floats ? double{floats_[i]} : 1.0;
  }
  // Values begin, begin + 1, ... of as many as `out` holds.
  void decode(std::size_t begin, Out out) const noexcept;
  std::size_t bytes() const noexcept { return floats_.size() * sizeof(float) + doubles_.size() * sizeof(double); }

 private:
  // A double beyond the floats may not even be converted. NaN is a double: a float might not keep its bits.
  static bool fits_float(double value) noexcept {
    return std::abs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
  }
  void widen_and_push(double value);

  Form form_ = Form::ones;
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
  std::vector<float> floats_;    // Form::floats
  std::vector<double> doubles_;  // Form::doubles
};

}  // namespace plumb
