#include "plumb/data/first_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumb {
namespace {

void cut(Column& column, std::uint64_t rows) {
  switch (column.kind) {
    case Kind::number:
    case Kind::date:
      column.numbers.resize(rows);
      column.missing = static_cast<std::uint64_t>(
          std::count_if(column.numbers.begin(), column.numbers.end(), [](double each) { return std::isnan(each); }));
      break;
    case Kind::category: column.codes.resize(rows); break;
    case Kind::sparse:
      column.entries.offsets.resize(rows + 1);
      column.entries.index.resize(column.entries.offsets.back());
      column.entries.value.truncate(column.entries.offsets.back());
      break;
    case Kind::text: column.documents.truncate(rows); break;
  }
  drop_unused(column);
}

class FirstRows final : public Source {
 public:
  FirstRows(std::unique_ptr<Source> source, std::uint64_t rows) : source_(std::move(source)), left_(rows) {}

  const std::vector<ColumnInfo>& columns() const noexcept override { return source_->columns(); }
  const std::vector<std::string>& notes() const noexcept override { return source_->notes(); }
  const Skipped& skipped() const noexcept override { return source_->skipped(); }
  const std::vector<std::string>& na() const noexcept override { return source_->na(); }
  std::string_view form() const noexcept override { return source_->form(); }
  std::string digest() const override { return source_->digest(); }
  const std::string& name() const noexcept override { return source_->name(); }

  // Texts are counted here, when it is known which there are.
  void select(std::vector<Selected> wanted) override {
    selected_ = wanted;
    for (Selected& each : wanted) each.extractor = {};
    source_->select(std::move(wanted));
  }

  bool next(Table& piece, const Run& run) override {
    if (left_ == 0 || !source_->next(piece, run)) return false;
    if (piece.rows > left_) {
      piece.rows = left_;
      for (Column& column : piece.columns) cut(column, left_);
      std::erase_if(piece.lines, [&](const Table::Lines& each) { return each.row >= left_; });
    }
    left_ -= piece.rows;
    extract_from(piece, selected_);
    return true;
  }

 private:
  std::unique_ptr<Source> source_;
  std::uint64_t left_;
  std::vector<Selected> selected_;
};

}  // namespace

std::unique_ptr<Source> first_rows(std::unique_ptr<Source> source, std::uint64_t rows) {
  return std::make_unique<FirstRows>(std::move(source), rows);
}

}  // namespace plumb
