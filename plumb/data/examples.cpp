#include "plumb/data/examples.h"

#include <algorithm>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/fetch.h"

namespace plumb {

std::uint64_t Piece::bytes() const noexcept {
  return values.bytes() + index.bytes() + offsets.size() * sizeof offsets[0] + lows_of.size() * sizeof lows_of[0] +
         (lows.size() + targets.size() + weights.size()) * sizeof(double);
}

void Block::fetch(const Piece& piece, std::uint64_t r, std::uint64_t most) noexcept {
  const std::uint64_t from = piece.offsets.empty() ? r * piece.features : piece.offsets[r];
  constexpr std::uint64_t kLine = 64;
  const auto lines = [from, most](const auto* values, std::uint64_t size) {
    for (std::uint64_t i = from; i < std::min(size, from + most * kLine / sizeof *values); i += kLine / sizeof *values)
      plumb::fetch(values + i);
  };
  lines(piece.index.data(), piece.index.size());
  lines(piece.values.counts().data(), piece.values.counts().size());
  lines(piece.values.floats().data(), piece.values.floats().size());
  lines(piece.values.doubles().data(), piece.values.doubles().size());
}

struct Examples::Storage {
  std::vector<Piece> pieces;
  std::uint32_t features = 0;
  std::uint64_t rows = 0;
  bool sparse = false;
  std::vector<Block::Segment> segments;    // block after block
  std::vector<std::size_t> first_segment;  // of each block, and one past the last

  void cut_into_blocks() {
    std::uint64_t number = 0;
    first_segment.push_back(0);
    for (const Piece& piece : pieces) {
      for (std::uint64_t begin = 0; begin < piece.rows;) {
        const std::uint64_t room = kBlockRows - number % kBlockRows;
        const std::uint64_t end = std::min(piece.rows, begin + room);
        segments.push_back({&piece, begin, end, number});
        number += end - begin;
        begin = end;
        if (number % kBlockRows == 0) first_segment.push_back(segments.size());
      }
    }
    if (first_segment.back() != segments.size()) first_segment.push_back(segments.size());
    rows = number;
  }
};

Examples::Examples(std::vector<Piece> pieces, std::uint32_t features) {
  auto storage = std::make_shared<Storage>();
  storage->pieces = std::move(pieces);
  storage->features = features;
  const bool has_targets = std::any_of(storage->pieces.begin(), storage->pieces.end(),
                                       [](const Piece& piece) { return !piece.targets.empty(); });
  for (const Piece& piece : storage->pieces) {
    const bool sizes_agree = piece.offsets.empty() ? piece.values.size() == piece.rows * features
                                                   : piece.offsets.size() == piece.rows + 1 &&
                                                         piece.index.size() == piece.values.size() &&
                                                         piece.offsets.back() == piece.values.size();
    if (piece.features != features || !sizes_agree || (!piece.targets.empty() && piece.targets.size() != piece.rows) ||
        (!piece.weights.empty() && piece.weights.size() != piece.rows) ||
        (piece.rows > 0 && piece.targets.empty() == has_targets) ||
        piece.lows.size() != piece.rows * piece.lows_of.size() || piece.lows_of != storage->pieces.front().lows_of)
      throw Error(ErrorCode::internal, "the pieces of the examples disagree about their sizes");
    storage->sparse = storage->sparse || !piece.offsets.empty();
  }
  storage->cut_into_blocks();
  size_ = storage->rows;
  storage_ = std::move(storage);
}

std::uint64_t Examples::rows() const noexcept { return storage_->rows; }
std::uint32_t Examples::features() const noexcept { return storage_->features; }
bool Examples::sparse() const noexcept { return storage_->sparse; }
bool Examples::weighted() const noexcept {
  const std::vector<Piece>& pieces = storage_->pieces;
  return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return !piece.weights.empty(); });
}

bool Examples::lasting() const noexcept {
  const std::vector<Piece>& pieces = storage_->pieces;
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const Piece& piece) { return piece.values.form() == Values::Form::doubles; });
}

std::uint64_t Examples::entries() const noexcept {
  std::uint64_t entries = 0;
  for (const Piece& piece : storage_->pieces) entries += piece.values.size();
  return entries;
}

Values::Form Examples::form() const noexcept {
  Values::Form form = Values::Form::ones;
  for (const Piece& piece : storage_->pieces) form = std::max(form, piece.values.form());
  return form;
}

std::span<const std::uint32_t> Examples::lows_of() const noexcept {
  return storage_->pieces.empty() ? std::span<const std::uint32_t>() : storage_->pieces.front().lows_of;
}

std::uint64_t Examples::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Piece& piece : storage_->pieces) bytes += piece.bytes();
  return bytes;
}

std::size_t Examples::blocks() const noexcept { return storage_->first_segment.size() - 1; }

Block Examples::block(std::size_t b) const noexcept {
  const std::size_t begin = storage_->first_segment[b], end = storage_->first_segment[b + 1];
  return {std::span<const Block::Segment>(storage_->segments).subspan(begin, end - begin), rows_.get()};
}

Examples Examples::with(const RowSet& rows) const {
  if (rows.rows() != storage_->rows)
    throw Error(ErrorCode::internal, "a row set of another size was given to the examples");
  Examples subset = *this;
  subset.rows_ = std::make_shared<const RowSet>(rows_ ? rows.intersection(*rows_) : rows);
  subset.size_ = subset.rows_->count();
  if (subset.size_ == storage_->rows) subset.rows_.reset();  // all rows: no lookup needed
  return subset;
}

}  // namespace plumb
