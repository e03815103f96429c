#include "plumb/data/table.h"

#include <algorithm>
#include <utility>

#include "plumb/base/number.h"

namespace plumb {

const char* kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::number: return "number";
    case Kind::category: return "category";
    case Kind::sparse: return "entries";
    case Kind::date: return "date";
  }
  return "unknown";
}

std::uint64_t Table::line_of(std::span<const Lines> lines, std::uint64_t row) noexcept {
  const auto after = std::upper_bound(lines.begin(), lines.end(), row,
                                      [](std::uint64_t wanted, const Lines& each) { return wanted < each.row; });
  return after == lines.begin() ? 0 : (after - 1)->line + (row - (after - 1)->row);
}

Place Table::place(std::uint64_t row) const { return {file, file.empty() ? 0 : line_of(lines, row)}; }

Error Table::row_error(std::uint64_t row, const std::string& message, std::string hint) const {
  Place where = place(row);
  const std::string number = where.line == 0 ? "row " + count_text(first_row + row + 1) + ": " : "";
  return Error(ErrorCode::data, std::move(where), number + message, std::move(hint));
}

}  // namespace plumb
