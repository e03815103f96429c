#include "plumb/data/block_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/data/block_coding.h"

namespace plumb {
namespace {

static_assert(sizeof(Table::Lines) == 2 * sizeof(std::uint64_t), "lines are written as pairs of numbers");

constexpr std::string_view kMagic = "plumb\x1a\x0d\x0a";  // shows damage by text editors and line-end converters
constexpr std::size_t kAlignment = kBlockHeader;          // of pieces in the file
constexpr std::size_t kTrailer = 2 * kBlockItem;
constexpr std::size_t kIndexItems = 4;  // numbers for each piece

void encode(const Column& column, BlockEncoder& out) {
  out.number(static_cast<std::uint64_t>(column.kind));
  switch (column.kind) {
    case Kind::number:
    case Kind::date:
      out.number(column.missing);
      if (const double* const numbers = column.numbers.data())
        out.numbers({numbers, column.numbers.size()});
      else
        out.numbers(std::vector<double>(column.numbers.begin(), column.numbers.end()));
      break;
    case Kind::category:
      out.texts(column.levels);
      out.array<std::uint32_t>(column.codes);
      break;
    case Kind::sparse:
      out.array<std::uint64_t>(column.entries.offsets);
      out.array<std::uint32_t>(column.entries.index);
      out.texts(column.entries.names);
      out.values(column.entries.value);
      break;
    case Kind::text:
      out.array<std::uint64_t>(column.documents.ends());
      out.array<char>(column.documents.bytes());
      break;
  }
}

Entries decode_entries(std::uint64_t rows, BlockDecoder& in) {
  Entries entries;
  require_block(rows < UINT64_MAX, "a piece has too many rows");
  entries.offsets = in.array<std::uint64_t>(rows + 1);
  require_block(entries.offsets.front() == 0 && std::is_sorted(entries.offsets.begin(), entries.offsets.end()),
                "rows of entries are not in order");
  entries.index = in.array<std::uint32_t>(entries.offsets.back());
  entries.names = in.utf8_texts();
  const std::size_t names = entries.names.size();
  bool ascending = true;
  std::uint32_t largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const std::uint32_t> index = entries.row(row);
    for (std::size_t i = 1; i < index.size(); ++i) ascending &= index[i - 1] < index[i];
    if (!index.empty()) largest = std::max(largest, index.back());
  }
  require_block(ascending, "the indices of a row do not ascend");
  require_block(names == 0 || largest < names, "an entry has no name");
  entries.value = in.values(entries.index.size());
  return entries;
}

TextList decode_documents(std::uint64_t rows, BlockDecoder& in) {
  std::vector<std::uint64_t> ends = in.array<std::uint64_t>(rows);
  require_block(std::is_sorted(ends.begin(), ends.end()), "texts are not in order");
  const std::vector<char> bytes = in.array<char>(rows == 0 ? 0 : ends.back());
  const TextList documents(std::string(bytes.begin(), bytes.end()), std::move(ends));
  for (std::size_t i = 0; i < documents.size(); ++i)
    require_block(valid_utf8(documents[i]), "a text is not valid UTF-8");
  return documents;
}

Column decode_column(Kind kind, std::uint64_t rows, BlockDecoder& in) {
  require_block(in.number() == static_cast<std::uint64_t>(kind), "a column is of another kind than was selected");
  Column column{.kind = kind};
  switch (kind) {
    case Kind::number:
    case Kind::date:
      column.missing = in.number();
      column.numbers = in.numbers(rows, column.missing);
      break;
    case Kind::category: {
      column.levels = in.utf8_texts();
      column.codes = in.array<std::uint32_t>(rows);
      const auto largest = std::max_element(column.codes.begin(), column.codes.end());
      require_block(largest == column.codes.end() || *largest < column.levels.size(), "a code has no level");
      break;
    }
    case Kind::sparse: column.entries = decode_entries(rows, in); break;
    case Kind::text: column.documents = decode_documents(rows, in); break;
  }
  return column;
}

// Rows ascend from the first, as a search by row needs, and have lines, which count from 1.
bool are_lines(std::span<const Table::Lines> lines, std::uint64_t rows) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].row >= rows || lines[i].line == 0 || (i > 0 && lines[i - 1].row >= lines[i].row)) return false;
  return true;
}

void encode(const Skipped& skipped, BlockEncoder& out) {
  out.number(skipped.bad);
  out.number(skipped.with_missing);
  out.number(skipped.without_target);
  std::vector<std::uint64_t> places;
  std::vector<std::string> texts;
  for (const Error& error : skipped.first) {
    places.insert(places.end(), {error.place().line, error.place().column});
    texts.insert(texts.end(), {error.place().file, error.message(), error.hint()});
  }
  out.texts(texts);
  out.array<std::uint64_t>(places);
}

Skipped decode_skipped(BlockDecoder& in) {
  Skipped skipped;
  skipped.bad = in.number();
  skipped.with_missing = in.number();
  skipped.without_target = in.number();
  const std::vector<std::string> texts = in.texts();
  require_block(texts.size() % 3 == 0, "a row left out is not described");
  const std::vector<std::uint64_t> places = in.array<std::uint64_t>(texts.size() / 3 * 2);
  for (std::size_t i = 0; i < texts.size() / 3; ++i)
    skipped.first.emplace_back(ErrorCode::data, Place{texts[3 * i], places[2 * i], places[2 * i + 1]}, texts[3 * i + 1],
                               texts[3 * i + 2]);
  return skipped;
}

std::string header() {
  BlockEncoder out;
  out.array<char>(kMagic);
  out.number(kBlockFileVersion);
  out.pad(kAlignment);
  return out.take();
}

bool is_digest(std::string_view text) {
  return text.size() == 32 && parse_hex16(text.substr(0, 16)) && parse_hex16(text.substr(16));
}

}  // namespace

std::string block_bytes(const Table& piece, std::uint64_t file) {
  BlockEncoder out;
  out.number(file);
  out.number(piece.rows);
  out.number(piece.lines.size());
  out.array<Table::Lines>(piece.lines);
  for (const Column& column : piece.columns) encode(column, out);
  out.pad(kAlignment);
  return out.take();
}

Table parse_block(std::span<const std::byte> bytes, std::span<const std::string> files,
                  std::span<const Selected> wanted) {
  BlockDecoder in(bytes);
  const std::uint64_t file = in.number();
  require_block(file <= files.size(), "a piece is of an unknown file");
  Table piece{.rows = in.number()};
  require_block(piece.rows > 0, "a piece has no rows");
  if (file > 0) piece.file = files[file - 1];
  piece.lines = in.array<Table::Lines>(in.number());
  require_block(are_lines(piece.lines, piece.rows), "lines are not in order");
  piece.columns.reserve(wanted.size());
  for (const Selected& each : wanted) piece.columns.push_back(decode_column(each.kind, piece.rows, in));
  in.expect_end(kAlignment);
  return piece;
}

BlockWriter::BlockWriter(const std::string& path, std::vector<std::string> files)
    : output_(path), files_(std::move(files)) {
  write(header());
}

void BlockWriter::write(const std::string& bytes) {
  output_.write(bytes);
  written_ += bytes.size();
}

void BlockWriter::add(const Table& piece) {
  // Pieces come file after file. A piece of no file has no name.
  const auto found = std::find(files_.begin() + static_cast<std::ptrdiff_t>(file_), files_.end(), piece.file);
  if (found != files_.end()) file_ = static_cast<std::size_t>(found - files_.begin());
  const std::string bytes = block_bytes(piece, found == files_.end() ? 0 : file_ + 1);
  index_.insert(index_.end(), {bytes.size(), piece.rows, piece.bytes(), digest64(bytes)});
  write(bytes);
}

std::uint64_t BlockWriter::commit(const BlockSummary& summary) {
  BlockEncoder out;
  out.array<std::uint64_t>(summary.key);
  out.texts(std::array{summary.digest});
  out.texts(files_);
  out.texts(summary.notes);
  encode(summary.skipped, out);
  out.number(index_.size() / kIndexItems);
  out.array<std::uint64_t>(index_);
  out.pad(kAlignment);
  std::string index = out.take();
  BlockEncoder trailer;
  trailer.number(index.size());
  index += trailer.take();
  trailer.number(digest64(index));
  write(index + trailer.take());
  output_.commit();
  return written_;
}

bool BlockFile::recognises(std::span<const std::byte> bytes) noexcept {
  return bytes_as_text(bytes).substr(0, kMagic.size()) == kMagic.substr(0, bytes.size());
}

bool BlockFile::of_this_version(std::span<const std::byte> bytes) {
  return bytes_as_text(bytes).substr(0, kAlignment) == header();
}

// header, pieces, index, size of the index, checksum of the last two
BlockFile::BlockFile(std::span<const std::byte> bytes) {
  require_block(bytes.size() >= kAlignment + kTrailer && bytes.size() % kBlockItem == 0,
                "its end is missing or something follows it");
  BlockDecoder trailer(bytes.last(kTrailer));
  const std::uint64_t index_bytes = trailer.number();
  const std::span<const std::byte> body = bytes.subspan(kAlignment, bytes.size() - kAlignment - kTrailer);
  require_block(index_bytes <= body.size() && index_bytes % kAlignment == 0,
                "its end is missing or something follows it");
  const std::span<const std::byte> index = bytes.last(kTrailer + index_bytes).first(index_bytes + kBlockItem);
  require_block(digest64(index) == trailer.number(), "the checksum of its index is wrong");

  BlockDecoder in(index.first(index_bytes));
  const std::vector<std::uint64_t> key = in.array<std::uint64_t>(summary_.key.size());
  std::copy(key.begin(), key.end(), summary_.key.begin());
  const std::vector<std::string> digest = in.texts();
  require_block(digest.size() == 1 && is_digest(digest[0]), "its digest of the data is none");
  summary_.digest = digest[0];
  summary_.files = in.texts();
  summary_.notes = in.texts();
  summary_.skipped = decode_skipped(in);
  const std::uint64_t count = in.number();
  require_block(count <= index_bytes / kIndexItems, "its index is too short");
  const std::vector<std::uint64_t> items = in.array<std::uint64_t>(kIndexItems * count);
  in.expect_end(kAlignment);
  std::span<const std::byte> rest = body.first(body.size() - index_bytes);
  for (std::size_t i = 0; i < items.size(); i += kIndexItems) {
    require_block(items[i] <= rest.size() && items[i] % kAlignment == 0, "a piece is not where the index says");
    pieces_.push_back({rest.first(items[i]), items[i + 1], items[i + 2], items[i + 3]});
    require_block(items[i + 2] <= UINT64_MAX - memory_, "a piece takes more memory than there is");
    memory_ += items[i + 2];
    rest = rest.subspan(items[i]);
  }
  require_block(rest.empty(), "there are pieces that the index does not name");
}

Table BlockFile::piece(std::size_t i, std::span<const std::string> files, std::span<const Selected> wanted) const {
  const Extent& extent = pieces_[i];
  require_block(digest64(extent.bytes) == extent.checksum, "the checksum of a piece is wrong");
  Table table = parse_block(extent.bytes, files, wanted);
  require_block(table.rows == extent.rows && table.bytes() == extent.memory,
                "a piece has other rows than the index says");
  return table;
}

}  // namespace plumb
