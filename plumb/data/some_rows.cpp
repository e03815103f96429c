#include "plumb/data/some_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace plumb {
namespace {

Entries some_of(const Entries& entries, std::span<const std::uint64_t> rows) {
  Entries some;
  some.names = entries.names;
  some.first = entries.first;
  for (const std::uint64_t row : rows) {
    for (std::uint64_t i = entries.offsets[row]; i < entries.offsets[row + 1]; ++i) {
      some.index.push_back(entries.index[i]);
      some.value.push(entries.value[i]);
    }
    some.offsets.push_back(some.index.size());
  }
  return some;
}

// Empty if its texts are gone.
std::optional<Column> some_of(const Column& column, std::span<const std::uint64_t> rows) {
  Column some;
  some.kind = column.kind;
  some.levels = column.levels;
  if (!column.numbers.empty())
    for (const std::uint64_t row : rows) {
      some.numbers.push_back(column.numbers[row]);
      some.missing += std::isnan(column.numbers[row]) ? 1 : 0;
    }
  if (!column.codes.empty())
    for (const std::uint64_t row : rows) some.codes.push_back(column.codes[row]);
  if (column.kind == Kind::sparse) some.entries = some_of(column.entries, rows);
  if (!column.documents.empty())
    for (const std::uint64_t row : rows) some.documents.add(column.documents[row]);
  if (column.extract && (some.extract = column.extract->of_rows(rows)) == nullptr) return {};
  return some;
}

}  // namespace

std::optional<Tables> some_rows_of(const Tables& tables, const RowSet& rows) {
  Tables found;
  for (const Table& table : tables.pieces) {
    std::vector<std::uint64_t> some;
    for (std::uint64_t row = 0; row < table.rows; ++row)
      if (rows.has(table.first_row + row)) some.push_back(row);
    if (some.empty()) continue;
    Table part;
    part.rows = some.size();
    part.first_row = found.rows;
    part.file = table.file;
    for (std::size_t i = 0; i < some.size(); ++i) part.lines.push_back({i, Table::line_of(table.lines, some[i])});
    for (const Column& column : table.columns) {
      std::optional<Column> copy = some_of(column, some);
      if (!copy) return {};
      part.columns.push_back(std::move(*copy));
    }
    found.rows += part.rows;
    found.pieces.push_back(std::move(part));
  }
  return found;
}

RowSet evenly(const RowSet& rows, std::uint64_t most) {
  const std::uint64_t all = rows.count();
  if (all <= most) return rows;
  RowSet some(rows.rows());
  std::uint64_t place = 0, taken = 0;
  for (std::uint64_t row = rows.next(0, rows.rows()); row < rows.rows() && taken < most;
       row = rows.next(row + 1, rows.rows()), ++place)
    if (place * most / all >= taken) {
      some.add(row);
      ++taken;
    }
  return some;
}

}  // namespace plumb
