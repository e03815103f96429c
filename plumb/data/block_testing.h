// Shared by the tests and the fuzz target of block files: whether two pieces are the same to the last bit, and whether
// a piece is all that a Table promises.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>

#include "plumb/base/utf8.h"
#include "plumb/data/table.h"

namespace plumb {

inline bool same_bits(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

inline bool same_bits(const Values& a, const Values& b) {
  if (a.size() != b.size() || a.form() != b.form()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

inline bool same_column(const Column& a, const Column& b) {
  return a.kind == b.kind && same_bits(a.numbers, b.numbers) && a.missing == b.missing && a.codes == b.codes &&
         a.levels == b.levels && a.entries.offsets == b.entries.offsets && a.entries.index == b.entries.index &&
         same_bits(a.entries.value, b.entries.value) && a.entries.names == b.entries.names;
}

// Except first_row, which is not part of a block.
inline bool same_piece(const Table& a, const Table& b) {
  return a.rows == b.rows && a.file == b.file && a.lines == b.lines &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same_column);
}

inline bool keeps_promises(const Entries& entries, std::uint64_t rows) {
  if (entries.offsets.size() != rows + 1 || entries.offsets.front() != 0 ||
      !std::is_sorted(entries.offsets.begin(), entries.offsets.end()) ||
      entries.offsets.back() != entries.index.size() || entries.value.size() != entries.index.size())
    return false;
  for (std::size_t i = 0; i < entries.value.size(); ++i)
    if (!std::isfinite(entries.value[i])) return false;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const std::uint32_t> index = entries.row(row);
    if (std::adjacent_find(index.begin(), index.end(), std::greater_equal<>()) != index.end()) return false;
  }
  const auto named = [&](std::uint32_t index) { return entries.names.empty() || index < entries.names.size(); };
  return std::all_of(entries.index.begin(), entries.index.end(), named) &&
         std::all_of(entries.names.begin(), entries.names.end(), valid_utf8);
}

inline bool keeps_promises(const Column& column, std::uint64_t rows) {
  switch (column.kind) {
    case Kind::number:
    case Kind::date:
      return column.numbers.size() == rows &&
             std::none_of(column.numbers.begin(), column.numbers.end(), [](double x) { return std::isinf(x); }) &&
             std::count_if(column.numbers.begin(), column.numbers.end(), [](double x) { return std::isnan(x); }) ==
                 static_cast<std::ptrdiff_t>(column.missing);
    case Kind::category:
      return column.codes.size() == rows && std::all_of(column.levels.begin(), column.levels.end(), valid_utf8) &&
             std::all_of(column.codes.begin(), column.codes.end(),
                         [&](std::uint32_t code) { return code < column.levels.size(); });
    case Kind::sparse: return keeps_promises(column.entries, rows);
    case Kind::text:
      for (std::size_t i = 0; i < column.documents.size(); ++i)
        if (!valid_utf8(column.documents[i])) return false;
      return column.documents.size() == rows;
  }
  return false;
}

inline bool keeps_promises(const Table& piece, std::span<const Selected> wanted) {
  if (piece.rows == 0 || piece.columns.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (piece.columns[i].kind != wanted[i].kind || !keeps_promises(piece.columns[i], piece.rows)) return false;
  for (std::size_t i = 0; i < piece.lines.size(); ++i)
    if (piece.lines[i].line == 0 || piece.lines[i].row >= piece.rows ||
        (i > 0 && piece.lines[i].row <= piece.lines[i - 1].row))
      return false;
  return true;
}

}  // namespace plumb
