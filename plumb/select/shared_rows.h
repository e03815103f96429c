// One reading of the data for several plans, so that every model of a comparison sees the same rows: a row that one of
// them leaves out because a value is missing is left out for all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/data/source.h"
#include "plumb/feature/plan.h"

namespace plumb {

class SharedRows {
 public:
  // Has the source fill what any of the plans selects, and reads all of it.
  SharedRows(Source& source, std::span<const FeaturePlan> plans, const Run& run);

  std::uint64_t rows() const noexcept { return tables_.rows; }
  std::uint64_t bytes() const noexcept { return tables_.bytes(); }
  // How many numbers are missing in an input of a plan.
  std::uint64_t missing_in(const FeaturePlan& plan, std::size_t input) const;
  // A copy of what one of the plans selects, as if the source had been read for it alone.
  Tables tables_for(const FeaturePlan& plan) const;
  // The same of its target, its weight and what rows are split by; its inputs are empty columns.
  Tables roles_for(const FeaturePlan& plan) const;
  // Whether sparse rows of the plan hold an entry that counts for nothing: a 0 that was written out, or less than that.
  bool have_idle_entries(const FeaturePlan& plan) const;
  // The rows of the last file read, which has this name. One that stands before it under the same name is not meant.
  RowSet rows_of_last(const std::string& file) const;

 private:
  std::size_t place_of(const Selected& selected) const;
  Tables copied(const FeaturePlan& plan, std::size_t from) const;

  std::vector<Selected> selected_;
  Tables tables_;
};

}  // namespace plumb
