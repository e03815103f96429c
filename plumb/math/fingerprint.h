// A number computed from the bits of a kernel's results on fixed inputs: machines and tables with equal bits have equal
// fingerprints. Arguments are made by their type, so that a new kernel needs only a line in the list of kernels.
// Included by tests alone.
#pragma once

#include "plumb/math/kernels.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace plumb::math::testing {

class Fingerprint {
 public:
  void add(std::uint64_t bits) {
    state_ = (state_ ^ bits) * 0x100000001b3;  // FNV-1a, by words
    state_ ^= state_ >> 29;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value != value ? 0.0 : value)); }
  void add(float value) { add(double{value}); }
  void add(bool value) { add(std::uint64_t{value}); }
  void add(std::uint32_t value) { add(std::uint64_t{value}); }
  void add(const DoubleDouble& value) { add(value.high), add(value.low); }
  void add(const IndexRange& value) { add(value.least), add(value.most); }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// Only integer arithmetic makes these numbers, so they too are the same everywhere (splitmix64).
class FixedNumbers {
 public:
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double within(double radius) { return radius * (static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0); }

 private:
  std::uint64_t state_ = 1;
};

// The arguments of one call. Every array is large enough for sizes of up to a hundred; indices ascend.
class Arguments {
 public:
  Arguments(std::size_t n, bool positive) : size_(n), positive_(positive) {}

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, std::size_t>) {
      const std::size_t size = size_;
      size_ += 16;  // a stride is at least as large as the argument before it
      return size;
    } else if constexpr (std::is_same_v<T, double>) {
      return 0.3;
    } else if constexpr (std::is_same_v<T, DoubleDouble>) {
      return {0.5, 0x1p-55};
    } else if constexpr (std::is_same_v<T, const double* const*>) {
      std::vector<const double*>& all = pointers_.emplace_back();
      for (std::size_t i = 0; i < 128; ++i) all.push_back(array<double>().data());
      return all.data();
    } else {
      using Element = std::remove_const_t<std::remove_pointer_t<T>>;
      std::vector<Element>& all = array<Element>();
      if constexpr (!std::is_const_v<std::remove_pointer_t<T>>) {
        outputs_.push_back([&all](Fingerprint& print) {
          for (const Element& each : all) print.add(each);
        });
        if constexpr (std::is_same_v<Element, std::uint32_t>)  // keys to sort
          for (std::uint32_t& each : all) each = static_cast<std::uint32_t>(numbers_.bits());
      }
      return all.data();
    }
  }
  void add_outputs(Fingerprint& print) const {
    for (const auto& add : outputs_) add(print);
  }

 private:
  static constexpr std::size_t kRoom = 16384;

  template <class Element>
  std::vector<Element>& array() {
    std::vector<Element>& all = std::get<std::deque<std::vector<Element>>>(arrays_).emplace_back(kRoom);
    for (std::size_t i = 0; i < kRoom; ++i) {
      if constexpr (std::is_same_v<Element, SparseEntry>)
        all[i] = {static_cast<std::uint32_t>(i), static_cast<float>(number())};
      else if constexpr (std::is_floating_point_v<Element>)
        all[i] = static_cast<Element>(number());
      else if constexpr (std::is_same_v<Element, std::uint64_t>)  // where rows begin
        all[i] = 7 * i;
      else
        all[i] = static_cast<Element>(2 * i + numbers_.bits() % 2);
    }
    return all;
  }
  double number() { return positive_ ? 0.5 + numbers_.within(0.5) : numbers_.within(1.0); }

  FixedNumbers numbers_;
  std::size_t size_;
  bool positive_;
  std::tuple<std::deque<std::vector<double>>, std::deque<std::vector<float>>, std::deque<std::vector<std::uint8_t>>,
             std::deque<std::vector<std::uint32_t>>, std::deque<std::vector<std::uint64_t>>,
             std::deque<std::vector<SparseEntry>>>
      arrays_;
  std::deque<std::vector<const double*>> pointers_;
  std::vector<std::function<void(Fingerprint&)>> outputs_;
};

template <class Result, class... Each>
std::uint64_t fingerprint(Result (*kernel)(Each...) noexcept, std::size_t step) {
  Fingerprint print;
  for (const std::size_t n :
       step == 1 ? std::vector<std::size_t>{0, 1, 5, 8, 13, 27} : std::vector{0 * step, step, 3 * step})
    for (const bool positive : {true, false}) {
      Arguments arguments(n, positive);
      const std::tuple<Each...> made{arguments.make<Each>()...};
      if constexpr (std::is_void_v<Result>)
        std::apply(kernel, made);
      else if constexpr (std::is_pointer_v<Result>)
        for (std::size_t i = 0; i < n; ++i) print.add(std::apply(kernel, made)[i]);
      else
        print.add(std::apply(kernel, made));
      arguments.add_outputs(print);
    }
  return print.value();
}

inline std::uint64_t fingerprint(const Kernels::Function& f) {
  Fingerprint print;
  FixedNumbers numbers;
  std::vector<double> x;
  for (const double radius : {750.0, 2.0})
    for (int i = 0; i < 5000; ++i) x.push_back(numbers.within(radius));
  for (int i = 0; i < 10003; ++i) x.push_back(std::bit_cast<double>(numbers.bits()));
  std::vector<double> y(x.size());
  f.many(x.data(), y.data(), x.size());
  for (const double each : y) print.add(each);
  for (std::size_t i = 0; i < 1000; ++i) print.add(f.one(x[i * 20]));
  return print.value();
}

inline std::map<std::string, std::uint64_t> fingerprints(const Kernels& k) {
  return {
#define PLUMB_PRINT(name, ...) {#name, fingerprint(k.name)},
      PLUMB_FUNCTIONS(PLUMB_PRINT)
#undef PLUMB_PRINT
#define PLUMB_PRINT(step, result, name, ...) {#name, fingerprint(k.name, step)},
          PLUMB_KERNELS(PLUMB_PRINT)
#undef PLUMB_PRINT
  };
}

}  // namespace plumb::math::testing
