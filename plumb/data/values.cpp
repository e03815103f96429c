#include "plumb/data/values.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plumb {

void Values::widen_and_push(double value) {
  if (form_ == Form::ones && fits_float(value)) {
    floats_.reserve(std::max(reserved_, size_ + 1));
    floats_.assign(size_, 1.0f);
    floats_.push_back(static_cast<float>(value));
    form_ = Form::floats;
    return;
  }
  doubles_.reserve(std::max(reserved_, size_ + 1));
  if (form_ == Form::ones) doubles_.assign(size_, 1.0);
  if (form_ == Form::floats) doubles_.assign(floats_.begin(), floats_.end());
  doubles_.push_back(value);
  std::vector<float>().swap(floats_);
  form_ = Form::doubles;
}

void Values::append(In values) {
  std::size_t taken = 0;  // in the form the column has; the rest in the form that the next value asks for
  while (taken < values.size()) {
    const In rest = values.subspan(taken);
    std::size_t count = rest.size();
    if (form_ == Form::ones) {
      count = static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), [](double v) { return v != 1.0; }) -
                                       rest.begin());
    } else if (form_ == Form::floats) {
      count = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), fits_float) - rest.begin());
      for (const double value : rest.first(count)) floats_.push_back(static_cast<float>(value));
    } else {
      doubles_.insert(doubles_.end(), rest.begin(), rest.end());
    }
    size_ += count;
    taken += count;
    if (taken < values.size()) push(values[taken++]);
  }
}

void Values::truncate(std::size_t size) {
  size_ = size;
  if (form_ == Form::floats) floats_.resize(size);
  if (form_ == Form::doubles) doubles_.resize(size);
}

Values Values::of_ones(std::size_t size) {
  Values values;
  values.size_ = size;
  return values;
}

Values Values::of(std::vector<float> floats) {
  Values values = of_ones(floats.size());
  values.form_ = Form::floats;
  values.floats_ = std::move(floats);
  return values;
}

Values Values::of(std::vector<double> doubles) {
  Values values = of_ones(doubles.size());
  values.form_ = Form::doubles;
  values.doubles_ = std::move(doubles);
  return values;
}

void Values::reserve(std::size_t size) {
  reserved_ = std::max(reserved_, size);
  if (form_ == Form::floats) floats_.reserve(size);
  if (form_ == Form::doubles) doubles_.reserve(size);
}

void Values::shrink() {
  reserved_ = size_;
  if (floats_.capacity() > size_ + size_ / 4) floats_.shrink_to_fit();
  if (doubles_.capacity() > size_ + size_ / 4) doubles_.shrink_to_fit();
}

void Values::decode(std::size_t begin, Out out) const noexcept {
  const auto from = static_cast<std::ptrdiff_t>(begin);
  switch (form_) {
    case Form::ones: std::fill(out.begin(), out.end(), 1.0); break;
    case Form::floats: std::copy_n(floats_.begin() + from, out.size(), out.begin()); break;
    case Form::doubles: std::copy_n(doubles_.begin() + from, out.size(), out.begin()); break;
  }
}

}  // namespace plumb
