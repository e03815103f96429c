#include "plumb/data/table.h"

#include <algorithm>
#include <utility>

#include "plumb/base/number.h"

namespace plumb {

const char* kind_name(Kind kind) noexcept { return kind == Kind::number ? "number" : "category"; }

Place Table::place(std::uint64_t row) const {
  const auto after = std::upper_bound(lines.begin(), lines.end(), row,
                                      [](std::uint64_t wanted, const Lines& each) { return wanted < each.row; });
  if (file.empty() || after == lines.begin()) return {file};
  const Lines& from = *(after - 1);
  return {file, from.line + (row - from.row)};
}

Error Table::row_error(std::uint64_t row, const std::string& message, std::string hint) const {
  Place where = place(row);
  const std::string number = where.line == 0 ? "row " + count_text(first_row + row + 1) + ": " : "";
  return Error(ErrorCode::data, std::move(where), number + message, std::move(hint));
}

}  // namespace plumb
