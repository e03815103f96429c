#include "plumb/select/split.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

TestChoice OptionText<TestChoice>::read(std::string_view text) {
  TestChoice choice;
  if (text == "none") {
    choice.what = TestChoice::What::none;
    return choice;
  }
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none) {
    if (text.empty()) throw OptionFault{"a fraction such as 0.2, a number of rows, a file, or none"};
    choice.what = TestChoice::What::file;
    choice.file = std::string(text);
    return choice;
  }
  if (number.value > 0 && number.value < 1) {
    choice.fraction = number.value;
  } else if (parse_integer(text, choice.rows) && choice.rows > 0) {
    choice.what = TestChoice::What::rows;
  } else {
    throw OptionFault{"a fraction between 0 and 1, a number of rows of at least 1, a file, or none"};
  }
  return choice;
}

std::string OptionText<TestChoice>::text(const TestChoice& choice) {
  switch (choice.what) {
    case TestChoice::What::none: return "none";
    case TestChoice::What::fraction: return number_text(choice.fraction);
    case TestChoice::What::rows: return std::to_string(choice.rows);
    case TestChoice::What::file: return choice.file;
  }
  return "";
}

namespace {

bool holds_out(const TestChoice& choice) {
  return choice.what == TestChoice::What::fraction || choice.what == TestChoice::What::rows;
}

// How many of n rows are held out.
std::uint64_t test_count(std::uint64_t n, const TestChoice& choice) {
  if (n < 2)
    throw Error(ErrorCode::data,
                "there " + std::string(n == 1 ? "is 1 row" : "are no rows") +
                    "; at least 2 were expected, one to train on and one to test",
                "--test none trains on every row");
  if (choice.what == TestChoice::What::fraction)
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::llround(choice.fraction * static_cast<double>(n))),
                                     1, n - 1);
  if (choice.rows >= n)
    throw Error(ErrorCode::data,
                "--test asks for " + counted(choice.rows, "row") + " of " + count_text(n) +
                    "; at least one must be left to train on",
                "--test " + std::to_string(std::max<std::uint64_t>(1, n / 5)));
  return choice.rows;
}

// The rows with the `count` smallest ranks.
template <class Rank>
RowSet smallest(std::vector<Rank> ranks, std::uint64_t count) {
  RowSet rows(ranks.size());
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count), ranks.end());
  for (std::uint64_t i = 0; i < count; ++i) rows.add(std::get<std::tuple_size_v<Rank> - 1>(ranks[i]));
  return rows;
}

}  // namespace

RowSet choose_test_rows(std::uint64_t n, const TestChoice& choice, RandomKey key) {
  if (!holds_out(choice)) return RowSet(n);
  const std::uint64_t count = test_count(n, choice);
  const RandomKey draws = key.with_stream(Stream::split);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranks(n);
  for (std::uint64_t row = 0; row < n; ++row) ranks[row] = {draws.bits(row), row};
  return smallest(std::move(ranks), count);
}

// Row r of the n_k of a class, in the order of their draws, has the rank (r + 1/2) / n_k: however many of the smallest
// ranks are taken, each class gives its share to within a row.
RowSet choose_test_rows(std::span<const std::uint32_t> class_of_row, const TestChoice& choice, RandomKey key) {
  const std::uint64_t n = class_of_row.size();
  if (!holds_out(choice)) return RowSet(n);
  const std::uint64_t count = test_count(n, choice);
  const RandomKey draws = key.with_stream(Stream::split);
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> rows(n);  // class, draw, row
  for (std::uint64_t row = 0; row < n; ++row) rows[row] = {class_of_row[row], draws.bits(row), row};
  std::sort(rows.begin(), rows.end());
  std::vector<std::tuple<bool, double, std::uint64_t, std::uint64_t>> ranks(n);  // kept if possible, share, draw, row
  for (std::uint64_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && std::get<0>(rows[end]) == std::get<0>(rows[begin])) ++end;
    for (std::uint64_t i = begin; i < end; ++i)
      ranks[i] = {i + 1 == end, (static_cast<double>(i - begin) + 0.5) / static_cast<double>(end - begin),
                  std::get<1>(rows[i]), std::get<2>(rows[i])};
  }
  return smallest(std::move(ranks), count);
}

}  // namespace plumb
