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
    case Kind::text: return "text";
  }
  return "unknown";
}

namespace {

std::uint64_t bytes_of(const std::vector<std::string>& texts) {
  const std::size_t inside = std::string().capacity();  // shorter texts have no memory of their own
  std::uint64_t bytes = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.size() > inside ? text.size() + 1 : 0;
  return bytes;
}

}  // namespace

std::uint64_t Table::bytes() const noexcept {
  std::uint64_t bytes = lines.size() * sizeof(Lines);
  for (const Column& column : columns) {
    bytes += column.numbers.size() * sizeof(double) + column.codes.size() * sizeof column.codes[0];
    bytes += bytes_of(column.levels) + bytes_of(column.entries.names);
    bytes += column.documents.bytes().size() + column.documents.ends().size() * sizeof column.documents.ends()[0];
    if (column.extract) bytes += column.extract->bytes();
    if (column.kind == Kind::sparse)
      bytes += column.entries.offsets.size() * sizeof column.entries.offsets[0] +
               column.entries.index.size() * sizeof column.entries.index[0] + column.entries.value.bytes();
  }
  return bytes;
}

std::uint64_t Tables::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Table& piece : pieces) bytes += piece.bytes();
  return bytes;
}

namespace {

// The texts that are used, and in `codes` their new places; the order stays.
void keep_used(std::vector<std::string>& texts, std::vector<std::uint32_t>& codes) {
  std::vector<bool> used(texts.size());
  for (const std::uint32_t code : codes) used[code] = true;
  std::vector<std::uint32_t> place(texts.size());
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    place[i] = kept;
    if (!used[i]) continue;
    if (kept != i) texts[kept] = std::move(texts[i]);
    ++kept;
  }
  texts.resize(kept);
  for (std::uint32_t& code : codes) code = place[code];
}

}  // namespace

void drop_unused(Column& column) {
  if (column.kind == Kind::category) keep_used(column.levels, column.codes);
  if (column.kind == Kind::sparse && !column.entries.names.empty())
    keep_used(column.entries.names, column.entries.index);
}

void extract_from(Table& piece, std::span<const Selected> selected) {
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Extractor& extractor = selected[i].extractor;
    Column& column = piece.columns[i];
    if (!extractor.make || column.extract != nullptr) continue;
    column.extract = extractor.make(column.documents.views());
    if (!extractor.keep_documents) column.documents = {};
  }
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
