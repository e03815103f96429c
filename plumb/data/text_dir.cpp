#include "plumb/data/text_dir.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "plumb/base/compressed.h"
#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/folder.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/kind_guess.h"
#include "plumb/data/missing.h"
#include "plumb/data/name_codes.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestFile = std::size_t{64} << 20;
constexpr std::size_t kMostSkippedShown = 5;
constexpr const char* kForm = "a folder per class";

struct TextFile {
  std::string path;
  std::uint32_t label = 0;
  std::uint64_t bytes = 0;
};

// A folder of texts alone: no folder for a class, and no file in a format of its own.
bool is_flat(const std::string& folder) {
  if (!folders_in(folder).empty()) return false;
  const std::vector<FoundFile> files = files_below(folder);
  return !files.empty() && std::none_of(files.begin(), files.end(), [](const FoundFile& file) {
    for (const SourceEntry& entry : source_list())
      for (const std::string_view suffix : entry.suffixes)
        if (file.path.find(suffix) != std::string::npos) return true;
    return false;
  });
}

class TextDirSource final : public Source {
 public:
  TextDirSource(const std::vector<std::string>& folders, const ReadOptions& options)
      : options_(options), missing_(options.na) {
    name_ = folders.front() + (folders.size() > 1 ? " and " + std::to_string(folders.size() - 1) + " more" : "");
    for (const std::string& folder : folders) find_files(folder);
    if (files_.empty())
      throw Error(ErrorCode::data, {name_},
                  "is a folder that holds no folder of texts; a file, or a folder for each class, was expected",
                  "a text is like " + folders.front() + "/sport/1.txt");
    KindGuess guess;
    for (const std::string& label : labels_)
      if (!guess.see(label) && columns_.front().first_text.empty()) columns_.front().first_text = label;
    columns_.front().kind = guess.kind() == Kind::number ? Kind::number : Kind::category;
  }

  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  const Skipped& skipped() const noexcept override { return skipped_; }
  const std::vector<std::string>& na() const noexcept override { return missing_.texts(); }
  std::string_view form() const noexcept override { return kForm; }
  std::string digest() const override { return digest_.hex(); }
  const std::string& name() const noexcept override { return name_; }

  void select(std::vector<Selected> wanted) override {
    for (const Selected& each : wanted)
      if (each.kind == Kind::sparse || each.kind == Kind::date)
        throw Error(ErrorCode::data, {name_},
                    "column " + in_quotes(columns_[each.column].name) + " is of kind " +
                        kind_name(columns_[each.column].kind) + "; " + kind_name(each.kind) + " was expected",
                    "give data of the format that the model was trained on");
    selected_ = std::move(wanted);
  }

  bool next(Table& piece, const Run& run) override {
    if (!selected_) select({{0, columns_[0].kind}, {1, columns_[1].kind}});
    while (ready_.empty() && next_file_ < files_.size()) read_wave(run);
    if (ready_.empty()) return false;
    piece = std::move(ready_.front());
    ready_.pop_front();
    piece.first_row = std::exchange(rows_, rows_ + piece.rows);
    return true;
  }

 private:
  // The result of one thread for some files.
  struct Read {
    Table table;
    std::vector<std::array<std::uint64_t, 2>> digests;  // of the label and the bytes of each file
    std::vector<Error> left_out;
    std::optional<Error> fault;
  };

  void find_files(const std::string& folder) {
    if (!is_folder(folder))
      throw Error(ErrorCode::data, {folder}, "is no folder; a folder for each class was expected in it",
                  "--format says what the files are");
    const std::vector<std::string> labels = folders_in(folder);
    if (is_flat(folder)) {  // texts to predict, of no class
      const auto [place, added] = by_label_.emplace("", static_cast<std::uint32_t>(labels_.size()));
      if (added) labels_.emplace_back();
      for (const FoundFile& file : files_below(folder)) files_.push_back({file.path, place->second, file.bytes});
      notes_.push_back(folder +
                       " has no folder for a class: its texts have no label, and are in the order of their names");
      return;
    }
    for (const std::string& label : labels) {
      if (!valid_utf8(label))
        throw Error(ErrorCode::data, {folder}, "the folder " + in_quotes(label) + " has a name that is no UTF-8 text");
      const std::vector<FoundFile> found = files_below(folder + "/" + label);
      if (found.empty()) {
        notes_.push_back("class " + in_quotes(label) + " has no texts in " + folder);
        continue;
      }
      const auto [place, added] = by_label_.emplace(label, static_cast<std::uint32_t>(labels_.size()));
      if (added) labels_.push_back(label);
      for (const FoundFile& file : found) files_.push_back({file.path, place->second, file.bytes});
    }
    if (const std::uint64_t loose = files_directly_in(folder); loose > 0)
      notes_.push_back(counted(loose, "file") + " in " + folder + " itself " + (loose == 1 ? "is" : "are") +
                       " in no class, and not read");
  }

  void read_wave(const Run& run) {
    run.report(Phase::reading, bytes_read_, 0);
    const std::size_t pieces = std::max<std::size_t>(1, std::size_t{2} * run.executor.threads());
    std::vector<std::pair<std::size_t, std::size_t>> parts;  // files of each piece
    while (parts.size() < pieces && next_file_ < files_.size()) {
      const std::size_t begin = next_file_;
      for (std::uint64_t bytes = 0; next_file_ < files_.size() && bytes < options_.piece_size; ++next_file_)
        bytes += files_[next_file_].bytes;
      parts.emplace_back(begin, next_file_);
    }
    std::vector<Read> read(parts.size());
    run.executor.for_each(parts.size(), [&](std::size_t i) { read_files(parts[i].first, parts[i].second, read[i]); });
    for (Read& each : read) {
      if (each.fault) throw *each.fault;
      for (const auto& digest : each.digests)
        digest_.add(std::string_view(reinterpret_cast<const char*>(digest.data()), sizeof digest));
      skipped_.bad += each.left_out.size();
      for (Error& error : each.left_out)
        if (skipped_.first.size() < kMostSkippedShown) skipped_.first.push_back(std::move(error));
      if (each.table.rows > 0) ready_.push_back(std::move(each.table));
    }
    for (const auto& [begin, end] : parts)
      for (std::size_t i = begin; i < end; ++i) bytes_read_ += files_[i].bytes;
  }

  void read_files(std::size_t begin, std::size_t end, Read& read) const {
    std::vector<NameCodes> codes(selected_->size());
    for (const Selected& wanted : *selected_) read.table.columns.push_back({.kind = wanted.kind});
    for (std::size_t i = begin; i < end; ++i) {
      const TextFile& file = files_[i];
      try {
        const std::string text = text_of(file, read);
        std::vector<double> numbers;
        for (const Selected& wanted : *selected_)  // may throw, so it comes before anything that is kept
          numbers.push_back(wanted.kind == Kind::number ? number_in(wanted, file, text) : 0.0);
        for (std::size_t c = 0; c < selected_->size(); ++c) {
          const std::string_view value = (*selected_)[c].column == 0 ? std::string_view(labels_[file.label]) : text;
          Column& column = read.table.columns[c];
          if (column.kind == Kind::text) column.documents.add(value);
          if (column.kind == Kind::category) column.codes.push_back(codes[c].code(value, column.levels));
          if (column.kind == Kind::number) column.numbers.push_back(numbers[c]);
        }
        ++read.table.rows;
      } catch (const Error& error) {
        if (options_.bad_rows == BadRows::error || error.code() != ErrorCode::data) {
          read.fault = error;
          return;
        }
        read.left_out.push_back(error);
      }
    }
    extract_from(read.table, *selected_);
  }

  std::string text_of(const TextFile& file, Read& read) const {
    ByteReader reader(file.path, options_.most_window != 0 ? ByteReaderOptions{.most_window = options_.most_window}
                                                           : ByteReaderOptions{});
    std::string bytes;
    for (std::size_t got = 0;; bytes.resize(got)) {
      const std::size_t room = std::clamp<std::size_t>(file.bytes + 1, 4096, kLongestFile + 1);
      bytes.resize(got + room);
      const std::size_t count = reader.read(std::span(bytes).subspan(got));
      got += count;
      if (got > kLongestFile)
        throw Error(ErrorCode::data, {file.path}, "holds more than 64 MiB; a text was expected", "split the file");
      if (count < room) {
        bytes.resize(got);
        break;
      }
    }
    const auto digest = digest128(labels_[file.label] + '\n' + bytes);
    read.digests.push_back(digest);
    std::string text = Recoder(options_.encoding).recode(bytes, true);
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (const std::size_t at = text.find('\0'); at != text.npos)
      throw Error(ErrorCode::data, {file.path}, "byte " + count_text(at + 1) + " is NUL; text was expected",
                  "remove the file, or --bad-rows skip leaves out such texts");
    if (const std::size_t at = first_invalid_utf8(text); at != text.npos)
      throw Error(ErrorCode::data, {file.path}, "byte " + count_text(at + 1) + " is not valid UTF-8",
                  "--encoding latin1 reads such files, --encoding replace puts U+FFFD for what cannot be read");
    return text;
  }

  double number_in(const Selected& wanted, const TextFile& file, const std::string& text) const {
    const std::string& value = wanted.column == 0 ? labels_[file.label] : text;
    const ParsedNumber number = parse_number(value);
    if (number.fault != NumberFault::none)
      throw Error(ErrorCode::data, {file.path},
                  "column " + in_quotes(columns_[wanted.column].name) + " holds " + in_quotes(value) + ", which " +
                      std::string(describe(number.fault)),
                  "rename the folder, or read the column as categories");
    return number.value;
  }

  ReadOptions options_;
  MissingMarks missing_;
  std::string name_;
  std::vector<ColumnInfo> columns_ = {{"label", Kind::category}, {"text", Kind::text}};
  std::vector<std::string> notes_;
  std::vector<std::string> labels_;
  std::map<std::string, std::uint32_t> by_label_;
  std::vector<TextFile> files_;
  std::optional<std::vector<Selected>> selected_;
  std::size_t next_file_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t rows_ = 0;  // handed out
  std::deque<Table> ready_;
  Skipped skipped_;
  Digest128 digest_;
};

}  // namespace

std::vector<std::string> texts_in_folder(const std::string& folder) {
  std::vector<std::string> paths;
  if (is_flat(folder))
    for (FoundFile& file : files_below(folder)) paths.push_back(std::move(file.path));
  for (const std::string& label : folders_in(folder))
    for (FoundFile& file : files_below(folder + "/" + label)) paths.push_back(std::move(file.path));
  return paths;
}

std::unique_ptr<Source> open_text_dir(std::vector<std::string> folders, const ReadOptions& options) {
  return std::make_unique<TextDirSource>(folders, options);
}

}  // namespace plumb
