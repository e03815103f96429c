// The target and the weight of each row of a piece.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/table.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/target_scale.h"

namespace plumb {

inline constexpr double kFarOff = 1e-3;  // a relative error that rounding does not explain

// The targets of a piece: the numbers of its column, or the positions of the labels.
class Targets {
 public:
  Targets(const Table& table, const TableLayout& layout)
      : table_(table), column_(layout.target ? &table.columns[*layout.target] : nullptr) {
    if (column_ != nullptr && layout.target_formula) transform(*layout.target_formula);
    if (column_ == nullptr || column_->kind == Kind::number) return;
    const LabelCodes labels(layout.labels, layout.known_labels.value_or(layout.labels.size()));
    for (const std::string& level : column_->levels) label_of_code_.push_back(labels.find(level));
  }

  double of(std::uint64_t row) const {
    if (!transformed_.empty()) return transformed_[row];
    if (column_->kind == Kind::number) return column_->numbers[row];
    const std::uint32_t code = column_->codes[row];
    if (label_of_code_[code]) return *label_of_code_[code];
    const std::string& label = column_->levels[code];
    if (label.empty())
      throw table_.row_error(row, "the target is empty here; a label was expected", "fill it in, or remove the row");
    throw table_.row_error(row, "the label " + in_quotes(label) + " is in none of the training rows",
                           "train on rows that hold it, or remove the row");
  }
  // Of every row.
  std::vector<double> all() const {
    if (!transformed_.empty()) return transformed_;
    if (column_->kind == Kind::number) return {column_->numbers.begin(), column_->numbers.end()};
    std::vector<double> label(label_of_code_.size());
    bool known = true;
    for (std::size_t code = 0; code < label.size(); ++code) {
      known = known && label_of_code_[code];
      label[code] = label_of_code_[code].value_or(0);
    }
    std::vector<double> targets(table_.rows);
    for (std::uint64_t row = 0; row < table_.rows; ++row) targets[row] = known ? label[column_->codes[row]] : of(row);
    return targets;
  }

 private:
  void transform(const Formula& formula) {
    const std::vector<double> numbers(column_->numbers.begin(), column_->numbers.end());
    const double* const column = numbers.data();
    transformed_.resize(numbers.size());
    Formula::Scratch scratch;
    if (const auto fault = formula.evaluate({&column, 1}, transformed_, scratch))
      throw table_.row_error(fault->row, "the target " + fault->text(),
                             "leave out the row, or change the target " + in_quotes(formula.text()));
    const std::optional<TargetScale> scale = TargetScale::of(formula);
    for (std::uint64_t row = 0; scale && row < numbers.size(); ++row) {
      const double back = scale->back(transformed_[row]), size = std::max(1.0, std::abs(numbers[row]));
      if (std::abs(back - numbers[row]) > kFarOff * size)
        throw table_.row_error(row,
                               "the target is " + number_text(numbers[row]) + ", and " + formula.text() + " is " +
                                   number_text(transformed_[row]) + " for " + number_text(back) +
                                   " too, so predictions cannot be taken back",
                               "leave out the row, or change the target " + in_quotes(formula.text()));
    }
  }

  const Table& table_;
  const Column* column_;
  std::vector<std::optional<std::uint32_t>> label_of_code_;
  std::vector<double> transformed_;  // by the formula of the layout, if it has one
};

inline double checked_weight(const Table& table, std::uint64_t row, double weight) {
  if (weight < 0.0)
    throw table.row_error(row, "the weight of this row is " + number_text(weight) + "; at least 0 was expected",
                          "a weight of 0 leaves the row out");
  if (weight != 0.0 && weight < std::numeric_limits<double>::min())
    throw table.row_error(row,
                          "the weight of this row, " + number_text(weight) +
                              ", is too small to be used; 0 or at least 2.3e-308 was expected",
                          "multiply all weights by the same number");
  return weight;
}

}  // namespace plumb
