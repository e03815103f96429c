#include <array>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/folder.h"
#include "plumb/base/text.h"
#include "plumb/data/csv.h"
#include "plumb/data/jsonl.h"
#include "plumb/data/libsvm.h"
#include "plumb/data/source.h"
#include "plumb/data/text_dir.h"
#include "plumb/data/text_files.h"
#include "plumb/data/vw.h"

namespace plumb {
namespace {

constexpr std::size_t kStartBytes = 4096;  // the start of a file for recognising its format

constexpr std::string_view kTextDir = "text-dir";  // not in the list: it reads folders, not a stream of bytes

const SourceEntry& chosen(std::string_view path, std::string_view start, const ReadOptions& options) {
  if (options.format.empty()) {
    // Names for the columns are names for the fields of a line.
    return choose_source(source_list(), path, options.columns.empty() ? start : std::string_view{});
  }
  std::vector<std::string> names;
  for (const SourceEntry& entry : source_list()) {
    if (entry.name == options.format) return entry;
    names.emplace_back(entry.name);
  }
  names.emplace_back(kTextDir);
  throw unknown_choice("format", options.format, names, "--format ");
}

void refuse_useless(std::string_view format, const ReadOptions& options) {
  for (const auto& [given, name] : {std::pair{options.delimiter != Delimiter{}, "delimiter"},
                                    {!options.header, "no-header"},
                                    {!options.columns.empty(), "columns"},
                                    {options.quote != Quotes::automatic, "quote"},
                                    {options.decimal.sign != 0, "decimal"},
                                    {options.thousands.sign != 0, "thousands"},
                                    {!options.date_format.empty(), "date-format"}})
    if (given)
      throw Error(ErrorCode::usage,
                  "--" + std::string(name) + " is for csv and tsv; the data are read as " + std::string(format),
                  "--format csv, or leave out --" + std::string(name));
}

}  // namespace

std::span<const SourceEntry> source_list() {
  static const std::array list = {
      SourceEntry{"csv", "delimited text, fields perhaps in quotes (RFC 4180)", {".csv"}, nullptr, open_csv, true},
      SourceEntry{"tsv", "tabs between fields, no quotes", {".tsv", ".tab"}, nullptr, open_tsv, true},
      SourceEntry{"jsonl", "JSON lines: a flat object in each", {".jsonl", ".ndjson"}, recognises_jsonl, open_jsonl},
      SourceEntry{"vw", "Vowpal Wabbit text: label | feature:value ...", {".vw"}, recognises_vw, open_vw},
      SourceEntry{"libsvm",
                  "LIBSVM (SVMlight) text: label index:value ...",
                  {".libsvm", ".svm", ".svmlight"},
                  recognises_libsvm,
                  open_libsvm},
  };
  return list;
}

const SourceEntry& choose_source(std::span<const SourceEntry> list, std::string_view path, std::string_view start) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (has_suffix(path, packed)) path.remove_suffix(packed.size());
  for (const SourceEntry& entry : list)
    for (const std::string_view suffix : entry.suffixes)
      if (has_suffix(path, suffix)) return entry;
  for (const SourceEntry& entry : list)
    if (entry.recognises != nullptr && entry.recognises(start)) return entry;
  return list.front();
}

std::unique_ptr<Source> open_source(std::vector<std::string> paths, const ReadOptions& options) {
  if (paths.empty())
    throw Error(ErrorCode::usage, "no data file is given; at least one was expected", "- reads standard input");
  if (options.format == kTextDir || (options.format.empty() && is_folder(paths.front()))) {
    if (!options.model_target) refuse_useless(kTextDir, options);
    return open_text_dir(std::move(paths), options);
  }
  ByteReaderOptions bytes;
  if (options.most_window != 0) bytes.most_window = options.most_window;
  TextFiles files(std::move(paths), options.read_size, bytes, options.encoding);
  files.fill(kStartBytes);
  std::string_view start = files.unread();
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const SourceEntry& entry = chosen(files.first_path(), start, options);
  if (!entry.delimited && !options.model_target) refuse_useless(entry.name, options);
  return entry.open(std::move(files), options);
}

std::vector<std::string> files_read_at(const std::string& path) {
  return is_folder(path) ? texts_in_folder(path) : std::vector<std::string>{path};
}

// Memory is counted while reading; the first part of the input shows early whether the rest fits.
Tables read_all(Source& source, const Run& run) {
  constexpr std::uint64_t kFirstPart = std::uint64_t{8} << 20;
  constexpr double kSurely = 1.25;  // the rest may take less than the first part predicted
  Tables tables;
  Table piece;
  std::uint64_t bytes = 0;
  std::uint64_t read = 0, total = 0;  // of the files; parsing lags behind, so the forecast is rather too low
  const auto forecast = [&] {
    return static_cast<double>(bytes) * static_cast<double>(total) /
           static_cast<double>(std::max<std::uint64_t>(read, 1));
  };
  const auto expect = [&](std::uint64_t needed) {
    run.memory.expect(needed, source.name() + ": the rows need", "leave out columns with --drop");
  };
  Run watched = run;
  watched.watch = [&](const Progress& progress) {
    read = progress.done;
    total = progress.total;
    if (read >= kFirstPart && forecast() > kSurely * static_cast<double>(run.memory.limit()))
      expect(static_cast<std::uint64_t>(forecast()));
    return !run.watch || run.watch(progress);
  };
  while (source.next(piece, watched)) {
    tables.rows += piece.rows;
    bytes += piece.bytes();
    if (!run.memory.allows(bytes)) expect(std::max(bytes, static_cast<std::uint64_t>(forecast())));
    tables.pieces.push_back(std::move(piece));
    piece = Table{};
  }
  return tables;
}

}  // namespace plumb
