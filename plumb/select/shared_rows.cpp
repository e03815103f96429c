#include "plumb/select/shared_rows.h"

#include <algorithm>

namespace plumb {

SharedRows::SharedRows(Source& source, std::span<const FeaturePlan> plans, const Run& run) {
  for (const FeaturePlan& plan : plans)
    for (const Selected& each : plan.selected)
      if (place_of(each) == selected_.size()) selected_.push_back(each);
  source.select(selected_);
  tables_ = read_all(source, run);
}

std::size_t SharedRows::place_of(const Selected& selected) const {
  const auto found = std::find_if(selected_.begin(), selected_.end(), [&](const Selected& each) {
    return each.column == selected.column && each.kind == selected.kind && each.if_missing == selected.if_missing &&
           each.extractor.work == selected.extractor.work &&
           each.extractor.keep_documents == selected.extractor.keep_documents;
  });
  return static_cast<std::size_t>(found - selected_.begin());
}

Tables SharedRows::tables_for(const FeaturePlan& plan) const {
  Tables tables;
  tables.rows = tables_.rows;
  for (const Table& piece : tables_.pieces) {
    Table part;
    part.rows = piece.rows;
    part.first_row = piece.first_row;
    part.file = piece.file;
    part.lines = piece.lines;
    for (const Selected& each : plan.selected) part.columns.push_back(piece.columns[place_of(each)]);
    tables.pieces.push_back(std::move(part));
  }
  return tables;
}

}  // namespace plumb
