// A Writer puts rows of tables into the text of one format: the counterpart of a Source. What it writes, the Source of
// the same format reads back as the same values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/sparse_writer.h"
#include "plumb/data/table.h"

namespace plumb {

// const, so that blocks of rows may be written side by side.
class Writer {
 public:
  virtual ~Writer() = default;
  // What stands before the first row.
  virtual std::string start() const { return {}; }
  // One row: for each column that the writer was made for a text, as it was written. `row` of `table` is where it
  // stands. Throws Error(data) with that place if the format has no way to write a value.
  virtual void append(std::string& out, std::span<const std::string_view> values, const Table& table,
                      std::uint64_t row) const = 0;
  // Whether a value of a column is written as a number without the zeros in front, which in a code such as 00123 are
  // part of it.
  virtual bool loses_zeros(std::string_view, std::size_t) const { return false; }
};

// One entry per output format: of columns, or of labels and features.
struct WriterEntry {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> suffixes;  // of file names, in small letters: ".csv"
  // Of columns; else null. The kind of a column says whether its texts are meant as numbers. Throws Error(data) if the
  // format has no way to write the name of a column.
  std::unique_ptr<Writer> (*make)(const std::vector<ColumnInfo>& columns) = nullptr;
  // Of features; else null.
  std::unique_ptr<SparseWriter> (*make_sparse)(const SparseFeatures& features) = nullptr;
  std::vector<std::string_view> keeps = {};  // of features: columns of entries files that have a place beside the label
};

// THE list of output formats.
std::span<const WriterEntry> writer_list();

// The entry of this name or, if it is empty, the one whose suffix ends the path (of any letter case). Throws
// Error(usage) if there is none.
const WriterEntry& choose_writer(std::string_view name, std::string_view path);

// The texts of a row whose columns were all read as categories; views of the table.
void row_values(const Table& table, std::uint64_t row, std::vector<std::string_view>& values);

// One field as RFC 4180 has it: in double quotes only where it must be.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace plumb
