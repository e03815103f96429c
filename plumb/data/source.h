// A Source reads one format in pieces. It knows columns, not features or labels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/read_options.h"
#include "plumb/data/table.h"

namespace plumb {

class TextFiles;

class Source {
 public:
  virtual ~Source() = default;

  // The columns of the input in file order, their kinds guessed from the first rows.
  virtual const std::vector<ColumnInfo>& columns() const noexcept = 0;
  // What was guessed or corrected while reading, in sentences for the user; complete at the end of the input.
  virtual const std::vector<std::string>& notes() const noexcept = 0;
  // Rows left out so far.
  virtual const Skipped& skipped() const noexcept = 0;
  // Texts that mean a missing value, beside the empty field.
  virtual const std::vector<std::string>& na() const noexcept = 0;
  // Which columns to fill, in which order; call at most once, before next(). Other columns are skipped. Without it
  // next() fills every column, as guessed. Throws Error(data) if entries are wanted as another kind, or another kind as
  // entries.
  virtual void select(std::vector<Selected> wanted) = 0;
  // The next piece with at least one row; false at the end. A bad row is an Error(data) with file, line and column.
  virtual bool next(Table& piece, const Run& run) = 0;
  // The form of the rows, in two or three words for the user: "comma, header".
  virtual std::string_view form() const noexcept = 0;
  // XXH3-128 of the bytes read so far, file after file: 32 hexadecimal digits.
  virtual std::string digest() const = 0;
  // The name of this input in messages: the first path, and how many more.
  virtual const std::string& name() const noexcept = 0;
};

// One entry per input format.
struct SourceEntry {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> suffixes;                // of file names, in lowercase: ".csv"
  bool (*recognises)(std::string_view start) = nullptr;  // from the first bytes of a file whose name does not tell
  std::unique_ptr<Source> (*open)(TextFiles files, const ReadOptions& options) = nullptr;
  bool delimited = false;  // has a delimiter, quotes and a header, so that their options apply
};

// THE list of formats. The first is the default if neither name nor bytes decide.
std::span<const SourceEntry> source_list();

// The entry whose suffix ends the path (in any letter case, without .gz and .zst), otherwise the first that recognises
// the bytes, otherwise the first.
const SourceEntry& choose_source(std::span<const SourceEntry> list, std::string_view path, std::string_view start);

// Opens files as one table, in the format that the options name or in that of the first; "-" is standard input, and
// folders have a folder per class with a file per text (text_dir.h). Throws
// Error(data) if one cannot be read, Error(usage) for an option that does not apply to the format.
std::unique_ptr<Source> open_source(std::vector<std::string> paths, const ReadOptions& options = {});

// The files that open_source reads for this path: itself, or the texts in it if it is a folder.
std::vector<std::string> files_read_at(const std::string& path);

// Every piece to the end of the input. Throws Error(resources) as soon as they are known to exceed the run's memory.
Tables read_all(Source& source, const Run& run);

}  // namespace plumb
