#include "plumb/select/shared_rows.h"

#include <algorithm>
#include <cmath>

#include "plumb/data/some_rows.h"

namespace plumb {

SharedRows::SharedRows(Source& source, std::span<const FeaturePlan> plans, const Run& run) : SharedRows(source, plans) {
  read(source, run);
}

SharedRows::SharedRows(Source& source, std::span<const FeaturePlan> plans) {
  for (const FeaturePlan& plan : plans)
    for (const Selected& each : plan.selected)
      if (place_of(each) == selected_.size()) selected_.push_back(each);
  source.select(selected_);
}

std::size_t SharedRows::place_of(const Selected& selected) const {
  const auto found = std::find_if(selected_.begin(), selected_.end(), [&](const Selected& each) {
    return each.column == selected.column && each.kind == selected.kind && each.if_missing == selected.if_missing &&
           each.role == selected.role && each.extractor.work == selected.extractor.work &&
           each.extractor.keep_documents == selected.extractor.keep_documents;
  });
  return static_cast<std::size_t>(found - selected_.begin());
}

std::optional<SharedRows> SharedRows::some(const RowSet& rows) const {
  std::optional<Tables> found = some_rows_of(tables_, rows);
  return found ? std::optional(SharedRows(selected_, std::move(*found))) : std::nullopt;
}

bool SharedRows::cover(const FeaturePlan& plan) const {
  return std::all_of(plan.selected.begin(), plan.selected.end(),
                     [&](const Selected& each) { return place_of(each) < selected_.size(); });
}

// The columns from `from` on; those before it are empty.
Tables SharedRows::copied(const FeaturePlan& plan, std::size_t from) const {
  Tables tables;
  tables.rows = tables_.rows;
  for (const Table& piece : tables_.pieces) {
    Table part;
    part.rows = piece.rows;
    part.first_row = piece.first_row;
    part.file = piece.file;
    part.lines = piece.lines;
    for (std::size_t i = 0; i < plan.selected.size(); ++i)
      part.columns.push_back(i < from ? Column() : piece.columns[place_of(plan.selected[i])]);
    tables.pieces.push_back(std::move(part));
  }
  return tables;
}

std::uint64_t SharedRows::missing_in(const FeaturePlan& plan, std::size_t input) const {
  std::uint64_t missing = 0;
  for (const Table& piece : tables_.pieces) missing += piece.columns[place_of(plan.selected[input])].missing;
  return missing;
}

Tables SharedRows::tables_for(const FeaturePlan& plan) const { return copied(plan, 0); }

Tables SharedRows::taken_for(const FeaturePlan& plan) {
  Tables tables;
  tables.rows = tables_.rows;
  for (Table& piece : tables_.pieces) {
    std::vector<Column> columns;
    for (const Selected& selected : plan.selected) columns.push_back(std::move(piece.columns[place_of(selected)]));
    piece.columns = std::move(columns);
    tables.pieces.push_back(std::move(piece));
  }
  tables_ = {};
  selected_ = {};
  return tables;
}

Tables SharedRows::roles_for(const FeaturePlan& plan) const { return copied(plan, plan.inputs.size()); }

bool SharedRows::have_idle_entries(const FeaturePlan& plan) const {
  for (std::size_t c = 0; c < plan.inputs.size(); ++c) {
    if (plan.inputs[c].kind != Kind::sparse) continue;
    for (const Table& piece : tables_.pieces) {
      const Values& values = piece.columns[place_of(plan.selected[c])].entries.value;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!(values[i] > 0.0)) return true;
    }
  }
  return false;
}

std::uint64_t SharedRows::text_entries(const FeaturePlan& plan) const {
  std::uint64_t all = 0;
  for (const Table& piece : tables_.pieces)
    for (std::size_t c = 0; c < plan.inputs.size(); ++c)
      if (const auto& extract = piece.columns[place_of(plan.selected[c])].extract) all += extract->entries();
  return all;
}

double SharedRows::largest_entry(const FeaturePlan& plan) const {
  double largest = 0.0;
  for (std::size_t c = 0; c < plan.inputs.size(); ++c) {
    if (plan.inputs[c].kind != Kind::sparse) continue;
    for (const Table& piece : tables_.pieces) {
      const Values& values = piece.columns[place_of(plan.selected[c])].entries.value;
      for (std::size_t i = 0; i < values.size(); ++i) largest = std::max(largest, std::abs(double{values[i]}));
    }
  }
  return largest;
}

RowSet SharedRows::rows_of_last(const std::string& file) const {
  RowSet rows(tables_.rows);
  const Table* after = nullptr;  // lines ascend within the pieces of one reading
  for (auto piece = tables_.pieces.rbegin(); piece != tables_.pieces.rend() && piece->file == file; ++piece) {
    if (after != nullptr && Table::line_of(piece->lines, 0) >= Table::line_of(after->lines, 0)) break;
    for (std::uint64_t r = 0; r < piece->rows; ++r) rows.add(piece->first_row + r);
    after = &*piece;
  }
  return rows;
}

}  // namespace plumb
