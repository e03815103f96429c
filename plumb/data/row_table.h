// The rows of Examples in any order, for learners that visit rows one by one: where each of them is stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumb/base/fetch.h"
#include "plumb/data/examples.h"

namespace plumb {

// Row i is the i-th row of the subset; rows of weight 0 are left out. Immutable, so threads may share it.
class RowTable {
 public:
  struct Place {
    const Piece* piece;
    std::uint64_t row;  // of the piece
  };

  explicit RowTable(const Examples& examples) : examples_(examples) {
    places_.reserve(examples.size());
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each_place([this](const Piece& piece, std::uint64_t row) {
        if (!piece.weights.empty() && piece.weights[row] == 0.0) return;
        if (places_.empty() || places_.back().piece != &piece)
          floats_ = floats_ && !piece.offsets.empty() && piece.values.form() != Values::Form::doubles;
        places_.push_back({&piece, row});
      });
  }

  const Examples& examples() const noexcept { return examples_; }
  std::uint64_t size() const noexcept { return places_.size(); }
  const Place& operator[](std::uint64_t i) const noexcept { return places_[i]; }
  bool floats() const noexcept { return floats_; }  // whether every row is a FloatRow
  double target(std::uint64_t i) const noexcept { return places_[i].piece->targets[places_[i].row]; }
  double weight(std::uint64_t i) const noexcept {
    const Piece& piece = *places_[i].piece;
    return piece.weights.empty() ? 1.0 : piece.weights[places_[i].row];
  }

 private:
  Examples examples_;  // keeps the storage
  std::vector<Place> places_;
  bool floats_ = true;
};

// A sparse row whose values are stored as floats; each counts as a double.
struct FloatRow {
  std::span<const std::uint32_t> index;
  std::span<const float> value;
  static constexpr bool dense() noexcept { return false; }
};

// Rows of a table. One for each thread; the table must outlive it.
class RowReader {
 public:
  explicit RowReader(const RowTable& table) noexcept : table_(&table) {}

  const RowTable& table() const noexcept { return *table_; }
  // As doubles. Valid until the next call.
  Row row(std::uint64_t i) {
    const auto [piece, r] = (*table_)[i];
    const bool dense = piece->offsets.empty();
    const std::size_t begin = dense ? r * piece->features : piece->offsets[r];
    const std::size_t count = dense ? piece->features : piece->offsets[r + 1] - begin;
    return {dense ? std::span<const std::uint32_t>() : std::span(piece->index).subspan(begin, count),
            values(piece->values, begin, count)};
  }
  // use(x) with x in its stored form: a FloatRow if it is sparse and its values fit, otherwise a Row. use() computes
  // the same bits as from row(i), faster.
  template <class Use>
  decltype(auto) with_row(std::uint64_t i, Use&& use) {
    const auto [piece, r] = (*table_)[i];
    const Values& values = piece->values;
    if (piece->offsets.empty() || values.form() == Values::Form::doubles) return use(row(i));
    const std::size_t begin = piece->offsets[r], count = piece->offsets[r + 1] - begin;
    return use(FloatRow{std::span(piece->index).subspan(begin, count), as_floats(values, begin, count)});
  }
  // Prefetches the storage of a row that will be read soon: rows in a shuffled order are never close together.
  void expect(std::uint64_t i) const noexcept {
    const auto [piece, r] = (*table_)[i];
    if (piece->offsets.empty()) return;
    constexpr std::size_t kLine = 16, kMost = 32 * kLine;  // indices in a cache line, and in all prefetched lines
    const std::size_t begin = piece->offsets[r], count = std::min(piece->offsets[r + 1] - begin, kMost);
    const std::span<const float> floats = piece->values.floats();
    const std::span<const std::uint8_t> counts = piece->values.counts();
    for (std::size_t k = 0; k < count; k += kLine) {
      fetch(piece->index.data() + begin + k);
      if (!floats.empty()) fetch(floats.data() + begin + k);
    }
    if (!counts.empty())
      for (std::size_t k = 0; k < count; k += sizeof(std::uint32_t) * kLine) fetch(counts.data() + begin + k);
  }

 private:
  In values(const Values& values, std::size_t begin, std::size_t count) {
    if (values.form() == Values::Form::doubles) return values.doubles().subspan(begin, count);
    if (values.form() == Values::Form::ones) {
      if (ones_.size() < count) ones_.resize(count, 1.0);
      return In(ones_).first(count);
    }
    if (decoded_.size() < count) decoded_.resize(count);
    values.decode(begin, Out(decoded_).first(count));
    return In(decoded_).first(count);
  }
  std::span<const float> as_floats(const Values& values, std::size_t begin, std::size_t count) {
    if (values.form() == Values::Form::floats) return values.floats().subspan(begin, count);
    std::vector<float>& room = values.form() == Values::Form::ones ? float_ones_ : float_counts_;
    if (room.size() < count) room.resize(count, 1.0F);
    if (values.form() == Values::Form::bytes) values.decode(begin, std::span(room).first(count));
    return std::span<const float>(room).first(count);
  }

  const RowTable* table_;
  std::vector<double> ones_;
  std::vector<float> float_ones_, float_counts_;
  std::vector<double> decoded_;
};

}  // namespace plumb
