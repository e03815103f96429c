// Numbers, arrays and texts as the bytes of a block file, and back.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/base/utf8.h"
#include "plumb/data/block_file.h"
#include "plumb/data/values.h"

namespace plumb {

static_assert(std::endian::native == std::endian::little, "arrays are used as they stand in the file");

inline constexpr std::size_t kBlockItem = 8;  // every number and array starts at a multiple of this

inline std::uint64_t padding(std::uint64_t size, std::uint64_t unit) { return (unit - size % unit) % unit; }

inline std::string_view bytes_as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// How the form of values is encoded; bytes are written as floats.
inline std::uint64_t number_of(Values::Form form) {
  return form == Values::Form::ones ? 0 : form == Values::Form::doubles ? 2 : 1;
}

class BlockEncoder {
 public:
  void number(std::uint64_t value) { array<std::uint64_t>(std::span(&value, 1)); }

  template <class T>
  void array(std::span<const T> items) {
    bytes_.append(bytes_as_text(std::as_bytes(items)));
    pad(kBlockItem);
  }

  void texts(std::span<const std::string> texts) {
    std::vector<std::uint32_t> lengths;
    std::string all;
    for (const std::string& text : texts) {
      lengths.push_back(static_cast<std::uint32_t>(text.size()));
      all += text;
    }
    number(lengths.size());
    array<std::uint32_t>(lengths);
    array<char>(all);
  }

  void values(const Values& values) {
    number(number_of(values.form()));
    if (values.form() == Values::Form::ones) return;
    std::vector<double> doubles(values.size());
    values.decode(0, Out(doubles));
    if (values.form() != Values::Form::doubles) return floats(doubles);
    array<double>(doubles);
  }

  // In the narrower of two forms.
  void numbers(In numbers) {
    Values narrow;
    narrow.append(numbers);
    const bool wide = narrow.form() == Values::Form::doubles;
    number(number_of(wide ? Values::Form::doubles : Values::Form::floats));
    if (wide) return array(numbers);
    floats(numbers);
  }

  void pad(std::size_t unit) { bytes_.append(padding(bytes_.size(), unit), '\0'); }
  std::string take() { return std::move(bytes_); }

 private:
  // Numbers that floats represent exactly.
  void floats(In numbers) {
    std::vector<float> narrow;
    narrow.reserve(numbers.size());
    for (const double number : numbers) narrow.push_back(static_cast<float>(number));
    array<float>(narrow);
  }

  std::string bytes_;
};

inline void require_block(bool holds, const char* otherwise) {
  if (!holds) throw BlockFault{otherwise};
}

// Everything read is copied, and the copy is checked: the bytes of a mapped file may change meanwhile.
class BlockDecoder {
 public:
  explicit BlockDecoder(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    require_block(rest_.size() >= sizeof value, "a number does not fit into its piece");
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }

  template <class T>
  std::vector<T> array(std::uint64_t count) {
    require_block(count <= rest_.size() / sizeof(T), "an array does not fit into its piece");
    const T* const first = reinterpret_cast<const T*>(rest_.data());
    const std::uint64_t size = count * sizeof(T), skipped = size + padding(size, kBlockItem);
    require_block(skipped <= rest_.size(), "an array does not fit into its piece");
    rest_ = rest_.subspan(skipped);
    return {first, first + count};
  }

  std::vector<std::string> texts() {
    const std::vector<std::uint32_t> lengths = array<std::uint32_t>(number());
    require_block(lengths.size() <= UINT32_MAX, "there are too many texts");  // so that the total cannot wrap
    std::uint64_t total = 0;
    for (const std::uint32_t length : lengths) total += length;
    const std::vector<char> all = array<char>(total);
    std::vector<std::string> texts;
    texts.reserve(lengths.size());
    const char* at = all.data();
    for (const std::uint32_t length : lengths) texts.emplace_back(std::exchange(at, at + length), length);
    return texts;
  }

  std::vector<std::string> utf8_texts() {
    std::vector<std::string> found = texts();
    for (const std::string& text : found) require_block(valid_utf8(text), "a text is not valid UTF-8");
    return found;
  }

  Values values(std::uint64_t count) {
    switch (form()) {
      case Values::Form::ones: return Values::of_ones(count);
      case Values::Form::bytes:
      case Values::Form::floats: return Values::of(finite(array<float>(count)));
      case Values::Form::doubles: break;
    }
    return Values::of(finite(array<double>(count)));
  }

  // That many values, all NaN. Never used for ones: a piece of few bytes could then claim any amount of memory.
  std::vector<double> numbers(std::uint64_t count, std::uint64_t missing) {
    const Values::Form given = form();
    require_block(given != Values::Form::ones, "values are of an unknown form");
    if (given == Values::Form::doubles) return finite(array<double>(count), missing);
    require_block(missing == 0, "a number is not finite");
    const std::vector<float> floats = finite(array<float>(count));
    return {floats.begin(), floats.end()};
  }

  // The rest may only be padding to a multiple of `unit`.
  void expect_end(std::size_t unit) const { require_block(rest_.size() < unit, "a piece holds more than its columns"); }

 private:
  Values::Form form() {
    const std::uint64_t given = number();
    for (const Values::Form form : {Values::Form::ones, Values::Form::floats, Values::Form::doubles})
      if (given == number_of(form)) return form;
    require_block(false, "values are of an unknown form");
    return Values::Form::ones;
  }

  template <class T>
  static std::vector<T> finite(std::vector<T> values, std::uint64_t but_for = 0) {
    std::uint64_t not_finite = 0, nans = 0;
    for (const T value : values) {
      not_finite += !(std::abs(value) <= std::numeric_limits<T>::max());
      nans += value != value;
    }
    require_block(not_finite == but_for && nans == but_for, "a number is not finite");
    return values;
  }

  std::span<const std::byte> rest_;
};

}  // namespace plumb
