// Options for which rows take part, which are held out, and how folds are made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

// --test and --dev: a fraction below 1, a number of rows, a file, or none.
struct TestChoice {
  enum class What { none, fraction, rows, file };
  What what = What::fraction;
  double fraction = 0.2;
  std::uint64_t rows = 0;
  std::string file;

  TestChoice() = default;
  TestChoice(What kind, double share, std::uint64_t count, std::string path)
      : what(kind), fraction(share), rows(count), file(std::move(path)) {}
  // A fraction below 1, otherwise a number of rows.
  TestChoice(double share_or_rows);
  static TestChoice none() { return {What::none, 0.0, 0, ""}; }
  static TestChoice of_file(std::string path) { return {What::file, 0.0, 0, std::move(path)}; }
  bool operator==(const TestChoice&) const = default;
};

template <>
struct OptionText<TestChoice> {
  static TestChoice read(std::string_view text);
  static std::string text(const TestChoice& choice);
  static std::string file(const TestChoice& choice) { return choice.what == TestChoice::What::file ? choice.file : ""; }
};

// --folds: a number of folds, or loo for a fold per row.
struct FoldChoice {
  enum class What { automatic, number, leave_one_out };
  What what = What::automatic;  // leave-one-out if it comes with the fit, otherwise 10 folds
  std::uint64_t folds = 10;

  FoldChoice() = default;
  FoldChoice(What kind, std::uint64_t count) : what(kind), folds(count) {}
  FoldChoice(int count);  // throws Error(usage) for fewer than 2
  static FoldChoice leave_one_out() { return {What::leave_one_out, 0}; }
};

template <>
struct OptionText<FoldChoice> {
  static FoldChoice read(std::string_view text);
  static std::string text(const FoldChoice& choice);
};

enum class SplitOrder { random, order };
template <>
struct EnumNames<SplitOrder> {
  static constexpr std::string_view names[] = {"random", "order"};
};

struct SplitOptions {
  std::string id = {};
  std::string group = {};
  std::string fold = {};
  SplitOrder split = SplitOrder::random;
  std::string cluster = {};  // not an option of its own: of inference, which needs the column read beside these

  static OptionTable table();
};

struct ClassOptions {
  std::vector<std::string> classes = {};
  std::string positive = {};

  static OptionTable table();
};

}  // namespace plumb
