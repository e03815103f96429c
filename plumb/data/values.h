// A column of numbers in the narrowest form that keeps their bits: nothing at all while every one is 1, floats while
// every one is a float, doubles otherwise. Most sparse data are ones or short decimals and take half the memory or
// less. Counts of words may be given as bytes, as long as all are at most 255.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "plumb/base/borrowed.h"
#include "plumb/base/span.h"

namespace plumb {

class Values {
 public:
  enum class Form { ones, bytes, floats, doubles };

  Values() = default;
  Values(std::initializer_list<double> values) { append({values.begin(), values.size()}); }

  // The form widens as needed, and never narrows again.
  void push(double value) {
    if (form_ == Form::doubles) {
      doubles_.push_back(value);
    } else if (form_ == Form::floats && fits_float(value)) {
      floats_.push_back(static_cast<float>(value));
    } else if (form_ == Form::bytes && fits_byte(value)) {
      bytes_.push_back(static_cast<std::uint8_t>(value));
    } else if (form_ != Form::ones || value != 1.0) {
      widen(form_for(value));
      return push(value);
    }
    ++size_;
  }
  // The same as pushing one after the other.
  void append(In values);
  // Values that already have a form.
  static Values of_ones(std::size_t size);
  static Values of(std::vector<std::uint8_t> counts);
  static Values of(Array<float> floats);
  static Values of(Array<double> doubles);
  // Keeps the first `size` values.
  void truncate(std::size_t size);
  void reserve(std::size_t size);
  // Releases unused reserved memory, if that is worth a copy.
  void shrink();
  // At least this form, whatever the values need.
  void widen(Form form);

  std::size_t size() const noexcept { return size_; }
  Form form() const noexcept { return form_; }
  double operator[](std::size_t i) const noexcept {
    return form_ == Form::doubles  ? doubles_[i]
           : form_ == Form::floats ? double{floats_[i]}
           : form_ == Form::bytes  ? static_cast<double>(bytes_[i])
                                   : 1.0;
  }
  // Values begin, begin + 1, ..., as many as fit in `out`.
  void decode(std::size_t begin, Out out) const noexcept;
  // The values themselves, if they are doubles.
  In doubles() const noexcept { return doubles_; }
  // The same for floats.
  std::span<const float> floats() const noexcept { return floats_; }
  std::span<const std::uint8_t> counts() const noexcept { return bytes_; }
  // Owned memory: borrowed values do not count.
  std::size_t bytes() const noexcept { return bytes_.size() + floats_.bytes() + doubles_.bytes(); }
  // Values begin, begin + 1, ... as floats, unless they are doubles.
  void decode(std::size_t begin, std::span<float> out) const noexcept;

  // Converting a double beyond the floats is undefined. NaN is a double: a float might not keep its bits.
  static bool fits_float(double value) noexcept {
    return std::abs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
  }

 private:
  static bool fits_byte(double value) noexcept {
    return value >= 0.0 && value <= 255.0 && !std::signbit(value) &&
           static_cast<double>(static_cast<std::uint8_t>(value)) == value;
  }
  // For values that the current form cannot represent.
  static Form form_for(double value) noexcept { return fits_float(value) ? Form::floats : Form::doubles; }
  std::size_t append_in_form(In values);
  std::size_t append_floats(In values);

  Form form_ = Form::ones;
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
  std::vector<std::uint8_t> bytes_;  // Form::bytes
  Array<float> floats_;              // Form::floats
  Array<double> doubles_;            // Form::doubles
};

// Parts of a column of values as doubles, for a reader that goes from front to back: doubles are used in place, others
// are decoded some way ahead into a buffer. One for each thread.
class ValueWindow {
 public:
  // The values must outlive the window, or the next call of this.
  void look_at(const Values& values) noexcept;
  // Values begin to begin + count; valid until the next call.
  In part(std::size_t begin, std::size_t count) {
    if (begin < begin_ || begin + count > end_) move_to(begin, count);
    return {data_ + (begin - begin_), count};
  }

 private:
  void move_to(std::size_t begin, std::size_t count);

  const Values* values_ = nullptr;
  const double* data_ = nullptr;  // of values begin_ to end_
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> ones_;
  std::vector<double> decoded_;
};

}  // namespace plumb
