#include "plumb/data/block_cache.h"

#include <algorithm>
#include <utility>

#include "plumb/base/compressed.h"
#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/folder.h"
#include "plumb/base/mapped_file.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/data/block_file.h"

namespace plumb {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;  // hashed while they are in the cache

// The format depends on suffixes, so these shape the rows; the names themselves do not.
std::string_view suffixes(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(std::min(name.find('.'), name.size()));
}

// Texts one after the other, in such a way that no two lists of texts give the same bytes.
class KeyText {
 public:
  void add(std::string_view text) { text_ += std::to_string(text.size()) + ":" + std::string(text) + "\n"; }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  BlockKey key() const noexcept { return digest128(text_); }

 private:
  std::string text_;
};

// The bytes of the readers, to their ends.
template <class Reader>
void add_all(Digest128& digest, Reader& reader, std::uint64_t& bytes, const Run& run, std::uint64_t total) {
  std::vector<char> buffer(kReadBytes);
  while (true) {
    run.report(Phase::reading, bytes, total);
    const std::size_t count = reader.read(buffer);
    if (count == 0) return;
    digest.add(std::string_view(buffer.data(), count));
    bytes += count;
  }
}

}  // namespace

CachedSource::CachedSource(std::unique_ptr<Source> source, std::vector<std::string> paths, const ReadOptions& options,
                           std::string cache, Write write)
    : source_(std::move(source)), paths_(std::move(paths)), options_(options), cache_(std::move(cache)), write_(write) {
  const auto refuse = [&](const std::string& message, std::string hint) {
    throw Error(ErrorCode::usage, {cache_}, message, std::move(hint));
  };
  for (const std::string& path : paths_) {
    if (is_folder(path))
      refuse("a cache of the folder " + in_quotes(path) + " was asked for; files were expected",
             "plumb convert " + as_typed(path) + " -o texts.jsonl makes a file of it");
    if (path == "-" || kind_of_file(path) == FileKind::other)
      refuse("a cache of " + (path == "-" ? "standard input" : in_quotes(path)) +
                 " was asked for, which can be read only once; a file was expected",
             "... > data.csv; plumb ... data.csv --cache " + as_typed(cache_));
    if (would_overwrite(cache_, path))
      refuse("is also an input; inputs are never overwritten", "--cache " + as_typed(cache_ + ".cache"));
  }
  if (is_standard_output(cache_))
    throw Error(ErrorCode::usage, "the cache is standard output; a file was expected", "--cache blocks.cache");
  if (kind_of_file(cache_) == FileKind::none) return;
  mapped_ = std::make_unique<MappedFile>(cache_, ErrorCode::usage);
  if (!BlockFile::recognises(mapped_->bytes()))
    refuse("is not a cache that plumb wrote, and would be overwritten", "--cache " + as_typed(cache_ + ".cache"));
}

CachedSource::~CachedSource() = default;

void CachedSource::select(std::vector<Selected> wanted) {
  std::vector<Selected> whole = wanted;  // the texts themselves are needed
  for (Selected& each : whole) each.extractor = {};
  source_->select(std::move(whole));
  wanted_ = std::move(wanted);
  selected_ = true;
}

std::string CachedSource::temporary() const { return writer_ ? writer_->temporary() : ""; }

void CachedSource::prepare(const Run& run) {
  if (std::exchange(prepared_, true)) return;
  if (!selected_) {
    std::vector<Selected> every;
    for (std::size_t c = 0; c < columns().size(); ++c) every.push_back({c, columns()[c].kind});
    select(std::move(every));
  }
  first_notes_ = source_->notes().size();
  content_ = content(run);
  try {
    used_ = load(run);
  } catch (const BlockFault& fault) {
    was_ = "was damaged";
    cache_warnings_.push_back(cache_ + " is damaged: " + fault.what + "; the data was parsed instead");
  }
  mapped_.reset();
  if (used_) cache_notes_.push_back(cache_ + " is of these data and options; it was used in place of parsing");
  if (!used_ && write_ == Write::allowed)
    try_to_write([&] { writer_ = std::make_unique<BlockWriter>(cache_, paths_); });
}

CachedSource::Content CachedSource::content(const Run& run) const {
  std::uint64_t total = 0, done = 0;
  for (const std::string& path : paths_) total += expect_readable(path);
  Content content;
  Digest128 digest;
  for (const std::string& path : paths_) {
    FileReader file(path);
    const std::uint64_t before = done;
    add_all(digest, file, done, run, total);
    content.sizes.push_back(done - before);
  }
  content.digest = digest.hex();
  return content;
}

BlockKey CachedSource::key() const {
  KeyText text;
  text.add("plumb " PLUMB_VERSION);
  text.add(kBlockFileVersion);
  text.add(content_.digest);
  text.add(paths_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    text.add(content_.sizes[i]);
    text.add(suffixes(paths_[i]));
  }
  text.add(form());
  ReadOptions options = options_;
  for (const OptionInfo& option : options_of("", options).options) {  // every one that there is
    text.add(option.name);
    text.add(option.text(&options));
  }
  for (const Selected& each : wanted_) {
    text.add(each.column);
    text.add(columns()[each.column].name);
    text.add(kind_name(each.kind));
    text.add(columns()[each.column].style.text());
    text.add(columns()[each.column].date_format);
    text.add(static_cast<std::uint64_t>(each.if_missing));
    text.add(static_cast<std::uint64_t>(each.role));
  }
  return text.key();
}

// False, and the reason, if there is nothing to load. Throws BlockFault for a damaged cache.
bool CachedSource::load(const Run& run) {
  if (!mapped_ || mapped_->bytes().empty()) return false;
  if (mapped_->bytes().size() >= kBlockHeader && !BlockFile::of_this_version(mapped_->bytes())) {
    was_ = "was of another version of plumb";
    return false;
  }
  const BlockFile file(mapped_->bytes());
  const BlockSummary& summary = file.summary();
  was_ = "was of other data or options";
  if (summary.key != key()) return false;
  // Notes about rows may contain an old file name.
  if (!(summary.notes.empty() && summary.skipped.first.empty()) && summary.files != paths_) return false;

  run.memory.expect(file.memory(), name() + ": the rows need", "leave out columns with --drop");
  std::vector<Table> pieces(file.pieces());
  run.for_each(Phase::reading, pieces.size(), [&](std::size_t i) {
    pieces[i] = file.piece(i, paths_, wanted_);
    extract_from(pieces[i], wanted_);
  });
  std::uint64_t rows = 0;
  for (Table& piece : pieces) {
    piece.first_row = std::exchange(rows, rows + piece.rows);
    ready_.push_back(std::move(piece));
  }
  notes_ = source_->notes();
  notes_.insert(notes_.end(), summary.notes.begin(), summary.notes.end());
  skipped_ = summary.skipped;
  digest_ = summary.digest;
  return true;
}

bool CachedSource::next(Table& piece, const Run& run) {
  prepare(run);
  if (used_) {
    if (ready_.empty()) return false;
    piece = std::move(ready_.front());
    ready_.pop_front();
    return true;
  }
  const bool found = source_->next(piece, run);
  if (writer_ && found) try_to_write([&] { writer_->add(piece); });
  if (writer_ && !found) finish(run);
  if (found) extract_from(piece, wanted_);
  return found;
}

// The key is that of the files when they were hashed. The parsed text is the same if its digest is, as for files that
// are not compressed. The text of compressed ones is made once more.
bool CachedSource::unchanged(const Run& run) const {
  if (source_->digest() == content_.digest) return true;
  try {
    Digest128 digest;
    std::uint64_t done = 0;
    for (const std::string& path : paths_) {
      ByteReader file(path, options_.most_window != 0 ? ByteReaderOptions{.most_window = options_.most_window}
                                                      : ByteReaderOptions{});
      add_all(digest, file, done, run, 0);
    }
    return digest.hex() == source_->digest() && content(run) == content_;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    return false;
  }
}

void CachedSource::finish(const Run& run) {
  if (!unchanged(run)) {
    writer_.reset();
    cache_warnings_.push_back("the data changed while it was read, so no cache was written to " + cache_);
    return;
  }
  try_to_write([&] {
    const std::vector<std::string>& notes = source_->notes();
    writer_->commit({.key = key(),
                     .digest = source_->digest(),
                     .notes = {notes.begin() + static_cast<std::ptrdiff_t>(first_notes_), notes.end()},
                     .skipped = source_->skipped()});
    writer_.reset();
    cache_notes_.push_back(cache_ + (was_.empty() ? " was made" : " " + was_ + "; it was rebuilt"));
  });
}

// A failing cache must not end the run.
template <class Action>
void CachedSource::try_to_write(Action action) {
  try {
    action();
  } catch (const Error& error) {
    writer_.reset();
    if (error.code() == ErrorCode::interrupted) throw;
    cache_warnings_.push_back("there is no cache of this run: " + std::string(error.what()) +
                              (error.hint().empty() ? "" : "; " + error.hint() + " would help"));
  }
}

}  // namespace plumb
