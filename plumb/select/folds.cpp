#include "plumb/select/folds.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

FoldChoice OptionText<FoldChoice>::read(std::string_view text) {
  if (text == "loo") return {FoldChoice::What::leave_one_out, 0};
  FoldChoice choice{FoldChoice::What::number, 0};
  if (!parse_integer(text, choice.folds) || choice.folds < 2 || choice.folds > 1'000'000)
    throw OptionFault{"a number of folds from 2 to 1000000, or loo"};
  return choice;
}

std::string OptionText<FoldChoice>::text(const FoldChoice& choice) {
  if (choice.what == FoldChoice::What::number) return std::to_string(choice.folds);
  return choice.what == FoldChoice::What::leave_one_out ? "loo" : "";
}

namespace {

void expect_rows_for(std::uint64_t folds, std::uint64_t n) {
  if (folds > n)
    throw Error(ErrorCode::data,
                "--folds asks for " + counted(folds, "fold") + " of " + counted(n, "row") +
                    "; at most one for each row was expected",
                n < 2 ? "" : "--folds loo");
}

}  // namespace

std::vector<std::uint32_t> assign_folds(std::uint64_t n, std::uint64_t folds, RandomKey key) {
  expect_rows_for(folds, n);
  const std::vector<std::uint64_t> order = key.with_stream(Stream::split, 1).shuffled(n);
  std::vector<std::uint32_t> fold(n);
  for (std::uint64_t i = 0; i < n; ++i) fold[order[i]] = static_cast<std::uint32_t>(i % folds);
  return fold;
}

// Rows in the order of their class, and in each by chance, are dealt to the folds in turn: folds differ by at most one
// row, in all and of each class.
std::vector<std::uint32_t> assign_folds(std::span<const std::uint32_t> class_of_row, std::uint64_t folds,
                                        RandomKey key) {
  const std::uint64_t n = class_of_row.size();
  expect_rows_for(folds, n);
  std::vector<std::uint64_t> order = key.with_stream(Stream::split, 1).shuffled(n);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return class_of_row[a] < class_of_row[b]; });
  std::vector<std::uint32_t> fold(n);
  for (std::uint64_t i = 0; i < n; ++i) fold[order[i]] = static_cast<std::uint32_t>(i % folds);
  return fold;
}

}  // namespace plumb
