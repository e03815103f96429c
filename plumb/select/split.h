// How much of the data is held out, as --test and --dev say it. Which rows these are: plumb/select/splitter.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// --test and --dev: a fraction below 1, a number of rows, a file, or none.
struct TestChoice {
  enum class What { none, fraction, rows, file };
  What what = What::fraction;
  double fraction = 0.2;
  std::uint64_t rows = 0;
  std::string file;
};

template <>
struct OptionText<TestChoice> {
  static TestChoice read(std::string_view text);
  static std::string text(const TestChoice& choice);
  static std::string file(const TestChoice& choice) { return choice.what == TestChoice::What::file ? choice.file : ""; }
};

// A fraction of n rows as a number of rows; other choices as they are.
TestChoice as_rows(const TestChoice& choice, std::uint64_t n);

// How many of n rows the choice holds out: at least one, and one is left. 0 for What::none and What::file. Throws
// Error(data) if n is too small for that; `option` is what asked for it.
std::uint64_t held_out_count(std::uint64_t n, const TestChoice& choice, const std::string& option = "test");

}  // namespace plumb
