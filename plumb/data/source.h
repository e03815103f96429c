// A Source reads one format in pieces. It knows columns, not features or labels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/table.h"

namespace plumb {

class Source {
 public:
  virtual ~Source() = default;

  // The columns of the input in file order, their kinds guessed from the first rows.
  virtual const std::vector<ColumnInfo>& columns() const noexcept = 0;
  // What was guessed or mended on the way in, a sentence each, for the user to see.
  virtual const std::vector<std::string>& notes() const noexcept = 0;
  // Which columns to fill, in which order; call once, before next(). Other columns are passed over unread.
  virtual void select(std::vector<Selected> wanted) = 0;
  // The next piece; false at the end. A bad row is an Error(data) with file, line and column.
  virtual bool next(Table& piece, const Run& run) = 0;
  // XXH3-128 of the bytes read so far, file after file: 32 hexadecimal digits.
  virtual std::string digest() const = 0;
  // How messages call this input: the first path, and how many more.
  virtual const std::string& name() const noexcept = 0;
};

struct ReadOptions {
  std::size_t read_size = std::size_t{1} << 20;  // bytes asked of the system at once; no result depends on it
  bool hints_at_options = true;  // hints may name --drop and --categorical; a model's columns are what they are
};

// One entry per input format.
struct SourceEntry {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> suffixes;
  std::unique_ptr<Source> (*open)(std::vector<std::string> paths, const ReadOptions& options);
};

// THE list of formats.
std::span<const SourceEntry> source_list();

// Opens files as one table; "-" is standard input. Throws Error(data) when one cannot be read.
std::unique_ptr<Source> open_source(std::vector<std::string> paths, const ReadOptions& options = {});

// Every piece to the end of the input.
Tables read_all(Source& source, const Run& run);

}  // namespace plumb
