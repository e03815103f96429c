// One reading of the data for several plans, so that every model of a comparison has the same rows: a row that one of
// them leaves out because a value is missing is left out of all.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/data/source.h"
#include "plumb/feature/plan.h"

namespace plumb {

class SharedRows {
 public:
  // Makes the source fill the columns of all plans, and reads all of it.
  SharedRows(Source& source, std::span<const FeaturePlan> plans, const Run& run);
  // The same in two steps.
  SharedRows(Source& source, std::span<const FeaturePlan> plans);
  void read(Source& source, const Run& run) { tables_ = read_all(source, run); }

  // Rows that were read for one plan.
  SharedRows(const FeaturePlan& plan, Tables tables) : selected_(plan.selected), tables_(std::move(tables)) {}

  // A copy of some rows, numbered from 0; empty if texts cannot be copied.
  std::optional<SharedRows> some(const RowSet& rows) const;
  // Whether every column of a plan was read.
  bool cover(const FeaturePlan& plan) const;
  std::uint64_t rows() const noexcept { return tables_.rows; }
  std::uint64_t bytes() const noexcept { return tables_.bytes(); }
  // How many numbers are missing in an input of a plan.
  std::uint64_t missing_in(const FeaturePlan& plan, std::size_t input) const;
  // A copy of one plan's columns, as if the source had been read for it alone.
  Tables tables_for(const FeaturePlan& plan) const;
  // Those columns themselves, which this then no longer has.
  Tables taken_for(const FeaturePlan& plan);
  // The same for its target, its weight and its split columns; its inputs are empty columns.
  Tables roles_for(const FeaturePlan& plan) const;
  // Whether sparse rows of the plan contain an entry without effect: a written 0, or one that underflows.
  bool have_idle_entries(const FeaturePlan& plan) const;
  // About how many values other than 0 its rows will have from texts; and the largest of its entries, by size.
  std::uint64_t text_entries(const FeaturePlan& plan) const;
  double largest_entry(const FeaturePlan& plan) const;
  // The rows of the last file read, which has this name. An earlier file with the same name is ignored.
  RowSet rows_of_last(const std::string& file) const;

 private:
  SharedRows(std::vector<Selected> selected, Tables tables)
      : selected_(std::move(selected)), tables_(std::move(tables)) {}
  std::size_t place_of(const Selected& selected) const;
  Tables copied(const FeaturePlan& plan, std::size_t from) const;

  std::vector<Selected> selected_;
  Tables tables_;
};

}  // namespace plumb
