// The classes of a target of labels, before any feature is learnt: splits use them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/row_set.h"
#include "plumb/data/table.h"
#include "plumb/select/split_options.h"

namespace plumb {

struct Classes {
  std::vector<std::string> labels;    // all that occur in the rows, in label order
  std::vector<std::uint32_t> of_row;  // the position of its label; labels.size() for an empty field
  RowSet counted{0};                  // rows of weight 0 are ignored: their labels are not classes

  // Those with rows of some weight in the set, in label order. With two, `positive` (if not empty) is the last. Throws
  // Error(data) unless there are two or more, Error(usage) for an unknown positive label.
  std::vector<std::string> among(const RowSet& rows, const std::string& positive) const;
  // Whether a row of some weight in the set has a label that no such row of the other set has.
  bool have_others(const RowSet& rows, const RowSet& than) const;
  // Throws Error(data) that names the rows if one of the folds of these rows has all rows of every class but one.
  // Without folds each row is a fold of its own.
  void expect_two_without_each(const RowSet& rows, std::span<const std::uint32_t> fold) const;
  // The rows of these labels. Throws Error(usage) that names the nearest for an unknown one.
  RowSet rows_of(const std::vector<std::string>& chosen) const;
};

// For the column of a category in the tables, and that of the weights if there is one. Labels known before help decide
// which texts are one label: "1" and "1.0" are two beside a label that is not a number.
Classes classes_of(const Tables& tables, std::size_t column, std::optional<std::size_t> weight = {},
                   const std::vector<std::string>& known = {});

}  // namespace plumb
