#include "plumb/data/table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/data/name_codes.h"

namespace plumb {

SampledNumbers SampledNumbers::of(std::span<const double> numbers, std::size_t most) {
  SampledNumbers found;
  std::set<double> different;
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    ++found.count;
    found.whole = found.whole && std::trunc(number) == number;
    if (different.size() <= most) different.insert(number);
  }
  found.different = different.size();
  return found;
}

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
    bytes += column.numbers.bytes() + column.codes.size() * sizeof column.codes[0];
    bytes += bytes_of(column.levels) + bytes_of(column.entries.names);
    bytes += column.documents.bytes().size() + column.documents.ends().size() * sizeof column.documents.ends()[0];
    if (column.extract) bytes += column.extract->bytes();
    if (column.kind == Kind::sparse)
      bytes += column.entries.offsets.size() * sizeof column.entries.offsets[0] + column.entries.index.bytes() +
               column.entries.value.bytes();
  }
  return bytes;
}

std::uint64_t Tables::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Table& piece : pieces) bytes += piece.bytes();
  return bytes;
}

namespace {

// The texts that are used, and in `codes` their new positions; the order stays.
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

Column numbers_as(Kind kind, const Numbers& numbers) {
  Column out{.kind = kind};
  const auto text_of = [](double number) { return std::isnan(number) ? std::string() : number_text(number); };
  if (kind == Kind::text) {
    for (const double number : numbers) out.documents.add(text_of(number));
    return out;
  }
  // Labels are few and repeat: the text of a number is made only if it is not in a small cache.
  struct Known {
    std::uint64_t bits = 0;
    std::uint32_t code = 0;
    bool there = false;
  };
  std::array<Known, 64> lately;
  NameCodes codes;
  out.codes.reserve(numbers.size());
  for (const double number : numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    Known& known = lately[bits * 0x9E3779B97F4A7C15u >> 58];
    if (!known.there || known.bits != bits) known = {bits, codes.code(text_of(number), out.levels), true};
    out.codes.push_back(known.code);
  }
  return out;
}

void drop_unused(Column& column) {
  if (column.kind == Kind::category) keep_used(column.levels, column.codes);
  if (column.kind == Kind::sparse && !column.entries.names.empty())
    keep_used(column.entries.names, column.entries.index.own());
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
  const std::uint64_t own = line_of(lines, row);  // for rows in memory, including those left out
  const std::string number =
      where.line == 0 ? "row " + count_text(file.empty() && own > 0 ? own : first_row + row + 1) + ": " : "";
  return Error(ErrorCode::data, std::move(where), number + message, std::move(hint));
}

}  // namespace plumb
