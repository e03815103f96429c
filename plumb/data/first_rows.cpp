#include "plumb/data/first_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "plumb/base/digest.h"

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

void add(Digest128& digest, std::uint64_t number) {
  digest.add(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
}
void add(Digest128& digest, double number) {  // missing values are equal
  add(digest, std::isnan(number) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(number));
}
void add(Digest128& digest, std::string_view text) {
  add(digest, std::uint64_t{text.size()});
  digest.add(text);
}

// The content of a row, wherever the piece was cut: names of entries are numbered piece by piece, so they are ordered
// by their texts.
void add(Digest128& digest, const Column& column, std::uint64_t row) {
  switch (column.kind) {
    case Kind::number:
    case Kind::date: return add(digest, column.numbers[row]);
    case Kind::category: return add(digest, std::string_view(column.levels[column.codes[row]]));
    case Kind::text: return add(digest, column.documents[row]);
    case Kind::sparse: break;
  }
  const Entries& entries = column.entries;
  std::vector<std::uint64_t> of_row(entries.offsets[row + 1] - entries.offsets[row]);
  std::iota(of_row.begin(), of_row.end(), entries.offsets[row]);
  if (!entries.names.empty())
    std::sort(of_row.begin(), of_row.end(), [&](std::uint64_t a, std::uint64_t b) {
      return entries.names[entries.index[a]] < entries.names[entries.index[b]];
    });
  add(digest, std::uint64_t{of_row.size()});
  for (const std::uint64_t i : of_row) {
    if (entries.names.empty())
      add(digest, std::uint64_t{entries.index[i]} + entries.first);
    else
      add(digest, std::string_view(entries.names[entries.index[i]]));
    add(digest, entries.value[i]);
  }
}

class FirstRows final : public Source {
 public:
  FirstRows(std::unique_ptr<Source> source, std::uint64_t rows) : source_(std::move(source)), left_(rows) {
    for (const ColumnInfo& column : source_->columns()) add(digest_, std::string_view(column.name));
  }

  const std::vector<ColumnInfo>& columns() const noexcept override { return source_->columns(); }
  const std::vector<std::string>& notes() const noexcept override { return source_->notes(); }
  const Skipped& skipped() const noexcept override { return source_->skipped(); }
  const std::vector<std::string>& na() const noexcept override { return source_->na(); }
  std::string_view form() const noexcept override { return source_->form(); }
  // How far was read beyond the last row depends on threads: the digest then covers the content of the rows.
  std::string digest() const override { return left_ == 0 ? digest_.hex() : source_->digest(); }
  const std::string& name() const noexcept override { return source_->name(); }

  // Texts are counted here, when the rows are known.
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
    for (std::uint64_t row = 0; row < piece.rows; ++row)
      for (const Column& column : piece.columns) add(digest_, column, row);
    extract_from(piece, selected_);
    return true;
  }

 private:
  std::unique_ptr<Source> source_;
  std::uint64_t left_;
  std::vector<Selected> selected_;
  Digest128 digest_;
};

}  // namespace

std::unique_ptr<Source> first_rows(std::unique_ptr<Source> source, std::uint64_t rows) {
  return std::make_unique<FirstRows>(std::move(source), rows);
}

}  // namespace plumb
