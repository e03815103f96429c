#include "plumb/objective/design_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/dense.h"
#include "plumb/math/double_double.h"
#include "plumb/math/gram_rows.h"
#include "plumb/math/kernels.h"
#include "plumb/math/sparse.h"
#include "plumb/math/unit.h"

namespace plumb {
namespace {

constexpr std::size_t kMostRuns = 16;            // rows in a group with its own largest numbers
constexpr std::size_t kManyEntries = 1'000'000;  // of sparse rows that are expensive to copy

constexpr double kFarOff = 1024;  // ratio of a column's common part to its differences

bool counts(double weight, std::uint64_t number) {
  if (!(weight >= 0.0) || !std::isfinite(weight))
    throw Error(ErrorCode::data, "the weight of row " + count_text(number + 1) + " is not a number of at least 0");
  return weight > 0.0;
}

bool all_in_form(const Examples& examples, Values::Form form) {
  bool all = true;
  for (std::size_t b = 0; b < examples.blocks() && all; ++b)
    examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t, std::uint64_t, std::uint64_t) {
      all = all && piece.values.form() == form;
    });
  return all;
}

}  // namespace

std::uint64_t DesignMatrix::bytes(std::uint64_t rows, std::uint64_t entries, std::uint32_t features,
                                  bool sparse) noexcept {
  if (!sparse) return rows * (std::uint64_t{features} + 3) * sizeof(double);
  return (entries + rows) * 2 * (sizeof(double) + sizeof(std::uint32_t)) + rows * 32 + std::uint64_t{features} * 16;
}

DesignMatrix::DesignMatrix(const Examples& examples, bool bias, std::optional<std::uint32_t> offset, In class_weights,
                           const Run& run)
    : bias_(bias), sparse_(examples.sparse()), features_(examples.features()), columns_(features_ + (bias ? 1 : 0)) {
  if (examples.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::resources, count_text(examples.size()) + " rows; at most 4,294,967,295 were expected",
                "--rows 4000000000 takes the first ones");
  find_units(examples, offset, run);
  fill(examples, offset, class_weights, run);
}

DesignMatrix::DesignMatrix(const DesignMatrix& all, std::span<const std::uint32_t> rows, double factor)
    : bias_(all.bias_),
      sparse_(all.sparse_),
      rows_(rows.size()),
      features_(all.features_),
      columns_(all.columns_),
      all_rows_(rows.size()),
      gram_cost_(all.gram_cost_ * static_cast<double>(rows.size()) / static_cast<double>(all.rows_)),
      exponent_(all.exponent_),
      shift_(all.shift_),
      kept_(all.kept_),
      floats_(all.floats_),
      scale_(all.scale_),
      lift_(all.lift_) {
  const bool in_place = !all.place_.empty() || !all.sparse_place_.empty();
  if (!in_place) laid_out_.set();
  if (sparse_) row_begin_.push_back(0);
  for (const std::uint32_t i : rows) entries_ += sparse_ ? all.row_begin_[i + 1] - all.row_begin_[i] : columns_;
  value_.reserve(in_place ? 0 : entries_);
  index_.reserve(in_place || !sparse_ ? 0 : entries_);
  place_.reserve(all.place_.empty() ? 0 : rows.size());
  sparse_place_.reserve(all.sparse_place_.empty() ? 0 : rows.size());
  target_.reserve(rows.size());
  weight_.reserve(rows.size());
  for (const std::uint32_t i : rows) {
    if (!all.place_.empty()) {
      place_.push_back(all.place_[i]);
    } else if (!all.sparse_place_.empty()) {
      sparse_place_.push_back(all.sparse_place_[i]);
    } else {
      const Row row = all.row(i);
      value_.insert(value_.end(), row.value.begin(), row.value.end());
      index_.insert(index_.end(), row.index.begin(), row.index.end());
    }
    if (sparse_) row_begin_.push_back(row_begin_.back() + all.row_begin_[i + 1] - all.row_begin_[i]);
    target_.push_back(all.target_[i]);
    weight_.push_back(all.weight_[i] * factor);
    if (!all.offset_.empty()) offset_.push_back(all.offset_[i]);
  }
}

// Counts the rows of each block, and the largest number of each column.
void DesignMatrix::find_units(const Examples& examples, std::optional<std::uint32_t> offset, const Run& run) {
  const std::size_t blocks = examples.blocks(), p = features_;
  first_row_.assign(blocks + 1, 0);
  std::vector<std::size_t> entries(blocks), all(blocks), zeros(blocks);
  std::vector<double> largest(p);
  const auto look_at = [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      ++all[b];
      if (!counts(e.weight, e.number)) return;
      ++first_row_[b + 1];
      if (e.x.dense()) {
        for (std::size_t j = 0; j < p; ++j) out[j] = std::max(out[j], std::abs(e.x.value[j]));
        return;
      }
      std::size_t stored = 0;
      for (std::size_t k = 0; k < e.x.index.size(); ++k) {
        const std::uint32_t j = e.x.index[k];
        const double size = std::abs(e.x.value[k]);
        stored += size != 0.0 && offset != j ? 1 : 0;
        out[j] = std::max(out[j], size);
      }
      entries[b] += stored;
      zeros[b] = zeros[b] != 0 || stored < e.x.index.size() ? 1 : 0;
    });
  };
  // The maximum is the same in any order, so that wide columns need not be stored for every block.
  const std::size_t runs = std::min(blocks, kMostRuns);
  run.reduce(
      Phase::fitting, runs, largest,
      [&](std::size_t r, Out out) {
        for (std::size_t b = blocks * r / runs; b < blocks * (r + 1) / runs; ++b) look_at(b, out);
      },
      [](Out left, In right) {
        for (std::size_t j = 0; j < left.size(); ++j) left[j] = std::max(left[j], right[j]);
      });
  for (std::size_t b = 0; b < blocks; ++b) {
    first_row_[b + 1] += first_row_[b];
    all_rows_ += all[b];
  }
  rows_ = first_row_[blocks];
  if (rows_ == 0) throw Error(ErrorCode::data, "no row has a weight above 0; at least one was expected");
  exponent_.assign(columns_, 0);
  for (std::size_t j = 0; j < p; ++j)
    if (offset != j) exponent_[j] = math::unit_of(largest[j]).exponent;
  if (!sparse_) {
    gram_cost_ = static_cast<double>(rows_) * static_cast<double>(columns_ * columns_) / 2;
    entries_ = rows_ * columns_;
    return;
  }
  whole_ = std::all_of(zeros.begin(), zeros.end(), [](std::size_t any) { return any == 0; });
  first_entry_.assign(blocks + 1, 0);
  for (std::size_t b = 0; b < blocks; ++b)
    first_entry_[b + 1] = first_entry_[b] + entries[b] + (bias_ ? first_row_[b + 1] - first_row_[b] : 0);
  entries_ = first_entry_[blocks];
  row_begin_.resize(rows_ + 1);
  row_begin_[rows_] = first_entry_[blocks];
}

void DesignMatrix::fill(const Examples& examples, std::optional<std::uint32_t> offset, In class_weights,
                        const Run& run) {
  target_.resize(rows_);
  weight_.resize(rows_);
  if (offset) offset_.resize(rows_);
  std::vector<double> scale(features_);
  for (std::size_t j = 0; j < features_; ++j) scale[j] = std::ldexp(1.0, -exponent_[j]);
  if (offset) scale[*offset] = 0.0;
  const auto offset_of = [&](const Row& x) {
    for (std::size_t k = 0; k < x.value.size(); ++k)
      if ((x.dense() ? k : x.index[k]) == *offset) return x.value[k];
    return 0.0;
  };
  const auto fill_block = [&](std::size_t b, auto&& store) {
    std::size_t i = first_row_[b];
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0.0)) return;
      target_[i] = e.target;
      weight_[i] = class_weights.empty() ? e.weight : e.weight * class_weights[static_cast<std::size_t>(e.target)];
      if (offset) offset_[i] = offset_of(e.x);
      store(i++, e.x);
    });
  };
  if (!sparse_ && examples.lasting() && columns_ <= math::GramRows::kMostColumns) {
    place_.resize(rows_);
    run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
      fill_block(b, [&](std::size_t i, const Row& x) { place_[i] = x.value.data(); });
    });
    kept_ = examples;
    scale_ = std::move(scale);
    lift_.assign(features_, 0.0);
    return;
  }
  if (!sparse_) {
    value_.resize(rows_ * columns_);
    laid_out_.set();
    run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
      fill_block(b, [&](std::size_t i, const Row& x) {
        double* row = value_.data() + i * columns_;
        for (std::size_t j = 0; j < features_; ++j) row[j] = x.value[j] * scale[j];
        if (bias_) row[features_] = 1.0;
      });
    });
    return;
  }
  if (whole_ && !offset && entries_ > kManyEntries &&
      (floats_ = all_in_form(examples, Values::Form::floats),
       floats_ || all_in_form(examples, Values::Form::doubles))) {
    scale_ = std::move(scale);
    place_sparse(examples, class_weights, run);
    return;
  }
  value_.resize(entries_);
  index_.resize(entries_);
  laid_out_.set();
  run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
    std::size_t at = first_entry_[b];
    fill_block(b, [&](std::size_t i, const Row& x) {
      row_begin_[i] = at;
      for (std::size_t k = 0; k < x.index.size(); ++k) {
        if (x.value[k] == 0.0 || offset == x.index[k]) continue;
        index_[at] = x.index[k];
        value_[at++] = x.value[k] * scale[x.index[k]];
      }
      if (bias_) {
        index_[at] = static_cast<std::uint32_t>(features_);
        value_[at++] = 1.0;
      }
    });
  });
  count_gram();
}

void DesignMatrix::count_gram() {
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto length = static_cast<double>(row_begin_[i + 1] - row_begin_[i]);
    gram_cost_ += length * length / 2;
  }
}

void DesignMatrix::place_sparse(const Examples& examples, In class_weights, const Run& run) {
  kept_ = examples;
  sparse_place_.resize(rows_);
  run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
    std::size_t i = first_row_[b], at = first_entry_[b];
    examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
      for (std::uint64_t r = begin; r < end; ++r) {
        const double weight = piece.weights.empty() ? 1.0 : piece.weights[r];
        if (!(weight > 0.0)) continue;
        const std::size_t from = piece.offsets[r], count = piece.offsets[r + 1] - from;
        target_[i] = piece.targets.empty() ? 0.0 : piece.targets[r];
        weight_[i] = class_weights.empty() ? weight : weight * class_weights[static_cast<std::size_t>(target_[i])];
        const void* const values = floats_ ? static_cast<const void*>(piece.values.floats().data() + from)
                                           : static_cast<const void*>(piece.values.doubles().data() + from);
        sparse_place_[i] = {piece.index.data() + from, values, count};
        row_begin_[i++] = at;
        at += count + (bias_ ? 1 : 0);
      }
    });
  });
  count_gram();
}

// Memory is prefetched some rows ahead: those of a sample are scattered.
const double* DesignMatrix::in_room(std::size_t i, std::size_t count, double* room) const {
  constexpr std::size_t kAhead = 8, kLine = 8;  // rows; numbers
  const math::Kernels& kernels = math::kernels();
  for (std::size_t t = 0; t < count; ++t) {
    const double* const later = place_[std::min(i + t + kAhead, rows_ - 1)];
    for (std::size_t j = 0; j < features_; j += kLine) __builtin_prefetch(later + j);
    double* const row = room + t * columns_;
    kernels.scale_shift(place_[i + t], scale_.data(), lift_.data(), row, features_);
    if (bias_) row[features_] = 1.0;
  }
  return room;
}

void DesignMatrix::lay_out_sparse(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i)
    with_place(i, [&](const std::uint32_t* index, const auto* value, std::size_t count) {
      const std::size_t at = row_begin_[i];
      std::copy_n(index, count, index_.data() + at);
      for (std::size_t k = 0; k < count; ++k) value_[at + k] = double{value[k]} * scale_[index[k]];
      if (!bias_) return;
      index_[at + count] = static_cast<std::uint32_t>(features_);
      value_[at + count] = 1.0;
    });
}

// Must not be stopped half-way.
void DesignMatrix::lay_out(const Run* run) const {
  laid_out_.run([&] {
    value_.resize(entries_);
    index_.resize(sparse_ ? entries_ : 0);
    const auto lay_out_block = [&](std::size_t b) {
      const std::size_t begin = block_begin(b), count = block_size(b);
      if (sparse_)
        lay_out_sparse(begin, begin + count);
      else
        in_room(begin, count, value_.data() + begin * columns_);
    };
    if (run != nullptr)
      run->executor.for_each(blocks(), lay_out_block);
    else
      for (std::size_t b = 0; b < blocks(); ++b) lay_out_block(b);
  });
}

// use(j, x_ij) for the stored entries of row i, laid out or not.
template <class Use>
void DesignMatrix::for_each_value(std::size_t i, Use&& use) const {
  if (laid_out()) {
    const Row own = row(i);
    for (std::size_t e = 0; e < own.value.size(); ++e) use(sparse_ ? own.index[e] : e, own.value[e]);
  } else if (sparse_) {
    with_place(i, [&](const std::uint32_t* index, const auto* value, std::size_t count) {
      for (std::size_t e = 0; e < count; ++e) use(index[e], double{value[e]} * scale_[index[e]]);
    });
    if (bias_) use(features_, 1.0);
  } else {
    for (std::size_t j = 0; j < features_; ++j) use(j, place_[i][j] * scale_[j] - lift_[j]);
    if (bias_) use(features_, 1.0);
  }
}

void DesignMatrix::centre() {
  if (!bias_) return;
  // The first row's value of each column, and the distance of others from it: for columns that all rows so far have.
  std::vector<double> first(features_), spread(features_);
  std::vector<std::size_t> alike, last(features_);
  for_each_value(0, [&](std::size_t j, double value) {
    if (j == features_ || value == 0.0) return;
    first[j] = value;
    alike.push_back(j);
  });
  for (std::size_t i = 1; i < rows_ && !alike.empty(); ++i) {
    for_each_value(i, [&](std::size_t j, double value) {
      if (j == features_) return;
      last[j] = i;
      spread[j] = std::max(spread[j], std::abs(value - first[j]));
    });
    std::erase_if(alike, [&](std::size_t j) { return last[j] != i || spread[j] * kFarOff > std::abs(first[j]); });
  }
  // A column with one value is a bias by another name, and treated as one.
  std::erase_if(alike, [&](std::size_t j) { return !(spread[j] > 0.0); });
  if (alike.empty()) return;
  if (sparse_) lay_out(nullptr);
  shift_.resize(columns_);
  std::vector<double> scale(columns_, 1.0);
  for (const std::size_t j : alike) {
    shift_[j] = std::ldexp(first[j], exponent_[j]);
    const math::Unit unit = math::unit_of(spread[j]);
    exponent_[j] += unit.exponent;
    scale[j] = unit.scale;
    if (place_.empty()) continue;
    scale_[j] *= unit.scale;
    lift_[j] = first[j] * unit.scale;
  }
  sparse_place_.clear();
  if (!laid_out()) return;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t e = 0, begin = row_begin(i), end = row(i).value.size(); e < end; ++e)
      if (const std::size_t j = sparse_ ? index_[begin + e] : e; shift_[j] != 0.0)
        value_[begin + e] = (value_[begin + e] - first[j]) * scale[j];
}

double DesignMatrix::score_rounding(In w) const noexcept {
  double most = 0.0;
  for (const double each : w) most = std::max(most, std::abs(each));
  return 0x1p-53 * most * static_cast<double>(entries_) / static_cast<double>(rows_);
}

std::vector<double> DesignMatrix::in_units(In w) const {
  std::vector<double> own(columns_);
  for (std::size_t j = 0; j < columns_; ++j) own[j] = std::ldexp(w[j], -exponent_[j]);
  if (!centred()) return own;
  math::DoubleDouble bias = own[features_];
  for (std::size_t j = 0; j < features_; ++j)
    if (shift_[j] != 0.0) bias = bias - math::two_product(own[j], shift_[j]);
  own[features_] = bias.high;
  return own;
}

std::vector<double> DesignMatrix::from_units(In w) const {
  std::vector<double> own(columns_);
  for (std::size_t j = 0; j < columns_; ++j) own[j] = std::ldexp(w[j], exponent_[j]);
  if (!centred()) return own;
  math::DoubleDouble bias = w[features_];
  for (std::size_t j = 0; j < features_; ++j)
    if (shift_[j] != 0.0) bias = bias + math::two_product(w[j], shift_[j]);
  own[features_] = bias.high;
  return own;
}

}  // namespace plumb
