// Examples: the design matrix (dense or sparse rows), targets and weights. Storage is in pieces of any size; the
// interface has blocks of 4096 rows by global row index, so no result depends on how the input was cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/base/borrowed.h"
#include "plumb/base/span.h"
#include "plumb/data/row_set.h"
#include "plumb/data/values.h"

namespace plumb {

// Part of the numerical contract: partial sums are formed per block, and combined in one tree over block numbers.
inline constexpr std::uint64_t kBlockRows = 4096;

// One row. Sparse: value[k] belongs to feature index[k], ascending. Dense: index is empty and value has every feature.
struct Row {
  std::span<const std::uint32_t> index;
  In value;
  bool dense() const noexcept { return index.empty() && !value.empty(); }
};

// The result of one reading step. Dense if `offsets` is empty; otherwise row r has entries offsets[r] to offsets[r +
// 1].
struct Piece {
  std::uint64_t rows = 0;
  std::uint32_t features = 0;
  Values values;                       // dense: rows * features, row after row
  Array<std::uint32_t> index;          // sparse: as long as values
  std::vector<std::uint64_t> offsets;  // sparse: rows + 1 of them
  // What rounding took from derived values: feature lows_of[k] of row r is its value plus lows[r * lows_of.size() + k].
  std::vector<std::uint32_t> lows_of;  // ascending; the same in every piece
  std::vector<double> lows;
  std::vector<double> targets;  // one per row, or empty
  std::vector<double> weights;  // one per row, or empty for all ones

  std::uint64_t bytes() const noexcept;  // without those that are borrowed
};

// The rows of a piece, their values as doubles. Reading them in order costs least. One for each thread.
class PieceRows {
 public:
  PieceRows() = default;
  explicit PieceRows(const Piece& piece) noexcept { look_at(piece); }
  // The piece must outlive this, or the next call.
  void look_at(const Piece& piece) noexcept {
    piece_ = &piece;
    window_.look_at(piece.values);
  }
  // It stays until the next call.
  Row row(std::uint64_t r) {
    if (piece_->offsets.empty()) return {{}, window_.part(r * piece_->features, piece_->features)};
    const std::size_t begin = piece_->offsets[r], count = piece_->offsets[r + 1] - begin;
    return {std::span(piece_->index).subspan(begin, count), window_.part(begin, count)};
  }

 private:
  const Piece* piece_ = nullptr;
  ValueWindow window_;
};

// A row of a block with its weight, target and position, while it is visited.
struct Example {
  std::uint64_t number;  // global row index
  Row x;
  double target;
  double weight;
  In lows = {};  // one for each of Examples::lows_of
};

// A view of 4096 consecutive rows (the last block may have fewer), those of the subset only.
class Block {
 public:
  struct Segment {
    const Piece* piece;
    std::uint64_t begin;  // rows of the piece
    std::uint64_t end;
    std::uint64_t number;  // global row index of `begin`
  };

  Block(std::span<const Segment> segments, const RowSet* rows) noexcept : segments_(segments), rows_(rows) {}

  // Calls visit(const Example&) for each row in row order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    PieceRows rows;
    for (const Segment& segment : segments_) {
      const Piece& piece = *segment.piece;
      rows.look_at(piece);
      for (std::uint64_t r = segment.begin; r < segment.end; ++r) {
        const std::uint64_t number = segment.number + (r - segment.begin);
        if (rows_ != nullptr && !rows_->has(number)) continue;
        visit(example_of(rows, piece, r, number));
      }
    }
  }

  // The same for the rows whose number is a multiple of `step`, without reading the others.
  template <class Visit>
  void for_each_of(std::uint64_t step, Visit&& visit) const {
    PieceRows rows;
    for (const Segment& segment : segments_) {
      const Piece& piece = *segment.piece;
      rows.look_at(piece);
      for (std::uint64_t r = segment.begin + (step - segment.number % step) % step; r < segment.end; r += step) {
        const std::uint64_t number = segment.number + (r - segment.begin);
        if (step > 1 && segment.end - r > kRowsAhead * step) fetch(piece, r + kRowsAhead * step, 8);
        if (rows_ == nullptr || rows_->has(number)) visit(example_of(rows, piece, r, number));
      }
    }
  }

  // Calls visit(const Piece&, begin, end, number of the row at begin) for the longest possible runs of rows of a piece:
  // for callers that process whole arrays.
  template <class Visit>
  void for_each_run(Visit&& visit) const {
    for (const Segment& segment : segments_) {
      if (rows_ == nullptr) {
        visit(*segment.piece, segment.begin, segment.end, segment.number);
        continue;
      }
      const std::uint64_t shift = segment.number - segment.begin;  // may wrap, and wraps back
      for (std::uint64_t r = segment.begin; r < segment.end;) {
        const std::uint64_t begin = rows_->next(r + shift, segment.end + shift) - shift;
        if ((r = begin) == segment.end) break;
        while (r < segment.end && rows_->has(r + shift)) ++r;
        const std::uint64_t next = rows_->next(r + shift, segment.end + shift) - shift;
        if (next < segment.end) fetch(*segment.piece, next);
        visit(*segment.piece, begin, r, begin + shift);
      }
    }
  }

  // Calls visit(const Piece&, row of the piece) for each row in row order: for callers that revisit rows in another
  // order.
  template <class Visit>
  void for_each_place(Visit&& visit) const {
    for (const Segment& segment : segments_)
      for (std::uint64_t r = segment.begin; r < segment.end; ++r)
        if (rows_ == nullptr || rows_->has(segment.number + (r - segment.begin))) visit(*segment.piece, r);
  }

 private:
  static Example example_of(PieceRows& rows, const Piece& piece, std::uint64_t r, std::uint64_t number) {
    return {number, rows.row(r), piece.targets.empty() ? 0.0 : piece.targets[r],
            piece.weights.empty() ? 1.0 : piece.weights[r],
            In(piece.lows).subspan(r * piece.lows_of.size(), piece.lows_of.size())};
  }

  // Prefetches the beginning of a row: if rows are skipped, the machine cannot predict the next one.
  static constexpr std::uint64_t kRowsAhead = 4;
  static void fetch(const Piece& piece, std::uint64_t r, std::uint64_t most = 4) noexcept;

  std::span<const Segment> segments_;
  const RowSet* rows_;
};

// A handle to immutable storage: copies are cheap, and any thread may read.
class Examples {
 public:
  // Throws Error(internal) if the pieces disagree about features or about having targets.
  Examples(std::vector<Piece> pieces, std::uint32_t features);

  std::uint64_t size() const noexcept { return size_; }  // rows of the subset
  std::uint64_t rows() const noexcept;                   // rows of the storage
  std::uint32_t features() const noexcept;
  bool sparse() const noexcept;
  bool weighted() const noexcept;          // whether weights are stored
  bool lasting() const noexcept;           // whether a row's values stay valid after its visit: all are doubles
  std::uint64_t entries() const noexcept;  // values stored, including zeros of dense rows
  Values::Form form() const noexcept;      // the widest among the pieces
  std::span<const std::uint32_t> lows_of() const noexcept;  // features whose values are a double and a low part
  std::uint64_t bytes() const noexcept;                     // of the storage
  std::size_t blocks() const noexcept;
  Block block(std::size_t b) const noexcept;
  Examples with(const RowSet& rows) const;  // the same storage, restricted to rows in the set

 private:
  struct Storage;
  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<const RowSet> rows_;  // null for all
  std::uint64_t size_ = 0;
};

}  // namespace plumb
