#include "plumb/data/values.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plumb {
namespace {

// Loops over that many numbers at once are short enough for the compiler to use its widest registers.
constexpr std::size_t kRun = 16;
constexpr std::size_t kWindow = 1024;  // 8 KiB of doubles: decoded and used while in the first-level cache

// Whether all were floats; only then is `out` valid.
bool all_to_float(const double* values, float* out) noexcept {
  constexpr double kLargest = std::numeric_limits<float>::max();
  unsigned others = 0;
  for (std::size_t i = 0; i < kRun; ++i) {
    const double value = std::abs(values[i]) <= kLargest ? values[i] : 0.0;
    out[i] = static_cast<float>(value);
    others += static_cast<double>(out[i]) != values[i] ? 1u : 0u;
  }
  return others == 0;
}

template <class From, class To>
void decode_runs(const From* in, std::span<To> out) noexcept {
  std::size_t i = 0;
  for (; i + kRun <= out.size(); i += kRun)
    for (std::size_t k = 0; k < kRun; ++k) out[i + k] = static_cast<To>(in[i + k]);
  for (; i < out.size(); ++i) out[i] = static_cast<To>(in[i]);
}

}  // namespace

void Values::widen(Form form) {
  if (form <= form_) return;
  const std::size_t room = std::max(reserved_, size_ + 1);
  const auto take_from_narrower = [&](auto& wider) {
    wider.reserve(room);
    if (form_ == Form::ones) wider.assign(size_, 1);
    if (form_ == Form::bytes) wider.assign(bytes_.begin(), bytes_.end());
  };
  if (form == Form::bytes) {
    take_from_narrower(bytes_);
  } else if (form == Form::floats) {
    take_from_narrower(floats_.own());
  } else {
    take_from_narrower(doubles_.own());
    if (form_ == Form::floats) doubles_.own().assign(floats_.begin(), floats_.end());
    floats_ = {};
  }
  if (form != Form::bytes) std::vector<std::uint8_t>().swap(bytes_);
  form_ = form;
}

// Takes the leading values that the form can represent, and returns their number.
std::size_t Values::append_in_form(In values) {
  std::size_t count = values.size();
  switch (form_) {
    case Form::ones:
      count = static_cast<std::size_t>(std::find_if(values.begin(), values.end(), [](double v) { return v != 1.0; }) -
                                       values.begin());
      break;
    case Form::bytes:
      count = static_cast<std::size_t>(std::find_if_not(values.begin(), values.end(), fits_byte) - values.begin());
      for (const double value : values.first(count)) bytes_.push_back(static_cast<std::uint8_t>(value));
      break;
    case Form::floats: count = append_floats(values); break;
    case Form::doubles: doubles_.own().insert(doubles_.own().end(), values.begin(), values.end()); break;
  }
  size_ += count;
  return count;
}

std::size_t Values::append_floats(In values) {
  const std::size_t before = floats_.size();
  std::size_t count = 0;
  floats_.resize(before + values.size());
  float* const out = floats_.own().data() + before;
  while (count + kRun <= values.size() && all_to_float(values.data() + count, out + count)) count += kRun;
  for (; count < values.size() && fits_float(values[count]); ++count) out[count] = static_cast<float>(values[count]);
  floats_.resize(before + count);
  return count;
}

void Values::append(In values) {
  while (!values.empty()) {
    values = values.subspan(append_in_form(values));
    if (!values.empty()) widen(form_for(values.front()));
  }
}

void Values::truncate(std::size_t size) {
  size_ = size;
  if (form_ == Form::bytes) bytes_.resize(size);
  if (form_ == Form::floats) floats_.resize(size);
  if (form_ == Form::doubles) doubles_.resize(size);
}

Values Values::of_ones(std::size_t size) {
  Values values;
  values.size_ = size;
  return values;
}

Values Values::of(std::vector<std::uint8_t> counts) {
  Values values = of_ones(counts.size());
  values.form_ = Form::bytes;
  values.bytes_ = std::move(counts);
  return values;
}

Values Values::of(Array<float> floats) {
  Values values = of_ones(floats.size());
  values.form_ = Form::floats;
  values.floats_ = std::move(floats);
  return values;
}

Values Values::of(Array<double> doubles) {
  Values values = of_ones(doubles.size());
  values.form_ = Form::doubles;
  values.doubles_ = std::move(doubles);
  return values;
}

void Values::reserve(std::size_t size) {
  reserved_ = std::max(reserved_, size);
  if (form_ == Form::bytes) bytes_.reserve(size);
  if (form_ == Form::floats) floats_.reserve(size);
  if (form_ == Form::doubles) doubles_.reserve(size);
}

void Values::shrink() {
  reserved_ = size_;
  if (bytes_.capacity() > size_ + size_ / 4) bytes_.shrink_to_fit();
  floats_.shrink();
  doubles_.shrink();
}

void Values::decode(std::size_t begin, Out out) const noexcept {
  switch (form_) {
    case Form::ones: std::fill(out.begin(), out.end(), 1.0); break;
    case Form::bytes: decode_runs(bytes_.data() + begin, out); break;
    case Form::floats: decode_runs(floats_.data() + begin, out); break;
    case Form::doubles: std::copy_n(doubles_.data() + begin, out.size(), out.begin()); break;
  }
}

void Values::decode(std::size_t begin, std::span<float> out) const noexcept {
  switch (form_) {
    case Form::ones: std::fill(out.begin(), out.end(), 1.0F); break;
    case Form::bytes: decode_runs(bytes_.data() + begin, out); break;
    case Form::floats: std::copy_n(floats_.data() + begin, out.size(), out.begin()); break;
    case Form::doubles: break;
  }
}

void ValueWindow::look_at(const Values& values) noexcept {
  values_ = &values;
  data_ = values.doubles().data();
  begin_ = 0;
  end_ = values.doubles().size();
}

void ValueWindow::move_to(std::size_t begin, std::size_t count) {
  const std::size_t length = std::max(count, std::min(kWindow, values_->size() - begin));
  begin_ = begin;
  end_ = begin + length;
  if (values_->form() == Values::Form::ones) {
    if (ones_.size() < length) ones_.resize(length, 1.0);
    data_ = ones_.data();
    return;
  }
  if (decoded_.size() < length) decoded_.resize(length);
  data_ = decoded_.data();
  values_->decode(begin, Out(decoded_).first(length));
}

}  // namespace plumb
