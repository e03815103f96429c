// Which rows are held out. Assignment depends on the seed and on global row numbers alone, never on threads or reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plumb/base/options.h"
#include "plumb/base/random.h"
#include "plumb/data/row_set.h"

namespace plumb {

// --test: a fraction below 1, a number of rows, a file, or none.
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
};

// The test rows of n: those with the smallest draws, so a larger test set contains a smaller one of the same seed. At
// least one row is held out and one is left. Throws Error(data) if n is too small for that. None for What::none and
// What::file.
RowSet choose_test_rows(std::uint64_t n, const TestChoice& choice, RandomKey key);

// The same with a share of each class, as even as whole rows allow: row i is of class class_of_row[i]. A row of every
// class is left to train on while there are others to hold out.
RowSet choose_test_rows(std::span<const std::uint32_t> class_of_row, const TestChoice& choice, RandomKey key);

}  // namespace plumb
