// A Writer writes rows of tables in one format: the counterpart of a Source. The Source of the same format reads its
// output back as the same values.
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

// const, so that blocks of rows may be written in parallel.
class Writer {
 public:
  virtual ~Writer() = default;
  // The text before the first row.
  virtual std::string start() const { return {}; }
  // One row: for each column of the writer a text, as it was written. `row` of `table` is its place. Throws Error(data)
  // with that place if the format cannot represent a value.
  virtual void append(std::string& out, std::span<const std::string_view> values, const Table& table,
                      std::uint64_t row) const = 0;
  // Whether a value of a column is written as a number without leading zeros, which are part of a code such as 00123.
  virtual bool loses_zeros(std::string_view, std::size_t) const { return false; }
};

// One entry per output format: of columns, or of labels and features.
struct WriterEntry {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> suffixes;  // of file names, in lowercase: ".csv"
  // For columns; otherwise null. The kind of a column says whether its texts are meant as numbers. Throws Error(data)
  // if the format cannot represent the name of a column.
  std::unique_ptr<Writer> (*make)(const std::vector<ColumnInfo>& columns) = nullptr;
  // For features; otherwise null.
  std::unique_ptr<SparseWriter> (*make_sparse)(const SparseFeatures& features) = nullptr;
  std::vector<std::string_view> keeps = {};  // for features: columns of entries files that it can write
};

// THE list of output formats.
std::span<const WriterEntry> writer_list();

// The entry of this name or, if it is empty, the one whose suffix ends the path (in any letter case). Throws
// Error(usage) if there is none.
const WriterEntry& choose_writer(std::string_view name, std::string_view path);

// The texts of a row whose columns were all read as categories; views of the table.
void row_values(const Table& table, std::uint64_t row, std::vector<std::string_view>& values);

// One field as in RFC 4180: in double quotes only if needed.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace plumb
