// What tests of plans and feature maps share: a source over a small table, and features learnt from it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/batch.h"
#include "plumb/feature/feature_map.h"

namespace plumb::feature_map_test {

// A source over tables in memory.
class MemorySource final : public Source {
 public:
  MemorySource(std::vector<ColumnInfo> columns, Table table) : columns_(std::move(columns)), table_(std::move(table)) {}
  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  const Skipped& skipped() const noexcept override { return skipped_; }
  const std::vector<std::string>& na() const noexcept override { return notes_; }
  void select(std::vector<Selected> wanted) override { wanted_ = std::move(wanted); }
  bool next(Table& piece, const Run&) override {
    if (done_) return false;
    done_ = true;
    piece = table_;
    piece.columns.clear();
    for (const Selected& each : wanted_) piece.columns.push_back(table_.columns[each.column]);
    return true;
  }
  std::string_view form() const noexcept override { return "memory"; }
  std::string digest() const override { return ""; }
  const std::string& name() const noexcept override { return name_; }
  const std::vector<Selected>& wanted() const { return wanted_; }

 private:
  std::vector<ColumnInfo> columns_;
  Table table_;
  std::vector<Selected> wanted_;
  std::vector<std::string> notes_;
  Skipped skipped_;
  std::string name_ = "memory";
  bool done_ = false;
};

inline Column number(std::vector<double> values) { return {Kind::number, std::move(values), {}, {}}; }
inline Column category(const std::vector<std::string>& values) {
  Column column{Kind::category, {}, {}, {}};
  for (const std::string& value : values) {
    const auto found = std::find(column.levels.begin(), column.levels.end(), value);
    column.codes.push_back(static_cast<std::uint32_t>(found - column.levels.begin()));
    if (found == column.levels.end()) column.levels.push_back(value);
  }
  return column;
}

class Features : public ::testing::Test {
 protected:
  Features() {
    table.rows = 4;
    table.columns = {number({1, 2, 3, 4}), category({"b", "a", "", "b"}), number({2, 0.5, -1, 10}),
                     number({10, 20, 30, 40})};
    columns = {{"x", Kind::number}, {"city", Kind::category}, {"z", Kind::number}, {"y", Kind::number}};
    options.target = "y";
  }

  // Learns on `rows` and applies to all.
  void learn(const Wishes& wishes = {}, std::optional<RowSet> rows = {}) {
    MemorySource source(columns, table);
    const FeaturePlan plan = plan_features(source, options);
    source.select(plan.selected);
    Executor executor;
    Tables tables = read_all(source, plumb::Run{executor});
    learnt = learn_features(tables, plan, rows.value_or(RowSet(table.rows, true)), wishes);
    piece = learnt.map.apply(tables.pieces[0], learnt.layout, unseen);
  }
  std::vector<double> row(std::uint64_t r) const {
    std::vector<double> x(learnt.map.features());
    PieceRows rows(piece);
    const Row row = rows.row(r);
    if (row.dense()) return {row.value.begin(), row.value.end()};
    for (std::size_t k = 0; k < row.index.size(); ++k) x[row.index[k]] = row.value[k];
    return x;
  }
  Error refusal() {
    try {
      learn();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "accepted");
  }

  Table table;
  std::vector<ColumnInfo> columns;
  FeatureOptions options;
  Learnt learnt;
  Piece piece;
  FeatureMap::Unseen unseen;
};

using Names = std::vector<std::string>;
using Values = std::vector<double>;

}  // namespace plumb::feature_map_test
