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

constexpr std::size_t kStripeEntries = 1 << 16;  // of a run of columns: enough to be worth handing to a thread
constexpr int kSumsByRows = 3;                   // before columns are made, which takes about as long
constexpr std::size_t kFewColumns = 1024;        // whose sums over a block of rows stay in the first cache
constexpr std::size_t kRunEntries = 8;           // of a run of rows, for each column: its sums cost little beside that
constexpr std::size_t kMostRuns = 16;            // of rows with sums of their own

constexpr double kFarOff = 1024;  // of what a column shares, beside what its rows differ by

bool counts(const Example& e) {
  if (!(e.weight >= 0.0) || !std::isfinite(e.weight))
    throw Error(ErrorCode::data, "the weight of row " + count_text(e.number + 1) + " is not a number of at least 0");
  return e.weight > 0.0;
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
      scale_(all.scale_),
      lift_(all.lift_) {
  const bool in_place = !all.place_.empty();
  laid_out_ = !sparse_ && !in_place;
  if (sparse_) row_begin_.push_back(0);
  std::size_t entries = 0;
  if (!in_place)
    for (const std::uint32_t i : rows) entries += all.row(i).value.size();
  value_.reserve(entries);
  index_.reserve(sparse_ ? entries : 0);
  place_.reserve(in_place ? rows.size() : 0);
  target_.reserve(rows.size());
  weight_.reserve(rows.size());
  for (const std::uint32_t i : rows) {
    if (in_place) {
      place_.push_back(all.place_[i]);
    } else {
      const Row row = all.row(i);
      value_.insert(value_.end(), row.value.begin(), row.value.end());
      index_.insert(index_.end(), row.index.begin(), row.index.end());
      if (sparse_) row_begin_.push_back(value_.size());
    }
    target_.push_back(all.target_[i]);
    weight_.push_back(all.weight_[i] * factor);
    if (!all.offset_.empty()) offset_.push_back(all.offset_[i]);
  }
}

// Counts the rows of each block, and the largest number of each column.
void DesignMatrix::find_units(const Examples& examples, std::optional<std::uint32_t> offset, const Run& run) {
  const std::size_t blocks = examples.blocks(), p = features_;
  first_row_.assign(blocks + 1, 0);
  std::vector<std::size_t> entries(blocks), all(blocks);
  std::vector<double> largest(p);
  const auto look_at = [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      ++all[b];
      if (!counts(e)) return;
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
    });
  };
  // The largest of all is the same in any order, so that wide columns need not be kept for every block.
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
    return;
  }
  first_entry_.assign(blocks + 1, 0);
  for (std::size_t b = 0; b < blocks; ++b)
    first_entry_[b + 1] = first_entry_[b] + entries[b] + (bias_ ? first_row_[b + 1] - first_row_[b] : 0);
  value_.resize(first_entry_[blocks]);
  index_.resize(first_entry_[blocks]);
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
    laid_out_ = true;
    run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
      fill_block(b, [&](std::size_t i, const Row& x) {
        double* row = value_.data() + i * columns_;
        for (std::size_t j = 0; j < features_; ++j) row[j] = x.value[j] * scale[j];
        if (bias_) row[features_] = 1.0;
      });
    });
    return;
  }
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
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto length = static_cast<double>(row_begin_[i + 1] - row_begin_[i]);
    gram_cost_ += length * length / 2;
  }
}

// Memory is asked for rows ahead: those of a sample are here and there.
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

void DesignMatrix::lay_out() const {
  const std::lock_guard<std::mutex> only(laying_out_);
  if (laid_out_) return;
  value_.resize(rows_ * columns_);
  if (rows_ > 0) in_room(0, rows_, value_.data());
  laid_out_.store(true, std::memory_order_release);
}

void DesignMatrix::centre() {
  if (!bias_) return;
  // What the first row has of each column, and how far others are from it: of columns that all rows so far have.
  const auto column = [&](std::size_t i, std::size_t e) { return sparse_ ? index_[row_begin(i) + e] : e; };
  std::vector<double> first(features_), spread(features_), unplaced(columns_);
  std::vector<std::size_t> alike, last(features_);
  const auto values = [&](std::size_t i) {
    return laid_out_ || sparse_ ? row(i).value : In(in_room(i, 1, unplaced.data()), columns_);
  };
  const In top = values(0);
  for (std::size_t e = 0; e < top.size(); ++e)
    if (const std::size_t j = column(0, e); j < features_ && top[e] != 0.0) {
      first[j] = top[e];
      alike.push_back(j);
    }
  for (std::size_t i = 1; i < rows_ && !alike.empty(); ++i) {
    const In own = values(i);
    const auto look = [&](std::size_t j, double value) {
      last[j] = i;
      spread[j] = std::max(spread[j], std::abs(value - first[j]));
    };
    if (sparse_) {
      for (std::size_t e = 0; e < own.size(); ++e)
        if (const std::size_t j = column(i, e); j < features_) look(j, own[e]);
    } else {
      for (const std::size_t j : alike) look(j, own[j]);
    }
    std::erase_if(alike, [&](std::size_t j) { return last[j] != i || spread[j] * kFarOff > std::abs(first[j]); });
  }
  // The same in every row is a bias by another name, and called so.
  std::erase_if(alike, [&](std::size_t j) { return !(spread[j] > 0.0); });
  if (alike.empty()) return;
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
  if (!sparse_ && !laid_out_) return;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t e = 0, begin = row_begin(i), end = row(i).value.size(); e < end; ++e)
      if (const std::size_t j = column(i, e); shift_[j] != 0.0)
        value_[begin + e] = (value_[begin + e] - first[j]) * scale[j];
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

bool DesignMatrix::by_columns(const Run& run) const {
  if (sums_by_rows_ < kSumsByRows) {
    ++sums_by_rows_;
    return false;
  }
  make_columns(run);
  return true;
}

void DesignMatrix::make_columns(const Run& run) const {
  if (!column_begin_.empty()) return;
  column_begin_.assign(columns_ + 1, 0);
  for (const std::uint32_t j : index_) ++column_begin_[j + 1];
  for (std::size_t j = 0; j < columns_; ++j) column_begin_[j + 1] += column_begin_[j];
  column_value_.resize(value_.size());
  column_row_.resize(value_.size());
  // Runs of columns with about as many entries each: whoever fills one looks up where it begins in every row. Not to be
  // stopped half-way, as the columns are there from then on.
  const std::size_t parts = std::clamp<std::size_t>(value_.size() / kStripeEntries, 1, kMostRuns);
  std::vector<std::size_t> first = {0}, next(column_begin_.begin(), column_begin_.end() - 1);
  for (std::size_t j = 1; j < columns_; ++j)
    if (first.size() < parts && column_begin_[j] * parts >= value_.size() * first.size()) first.push_back(j);
  first.push_back(columns_);
  run.executor.for_each(first.size() - 1, [&](std::size_t part) {
    for (std::size_t i = 0; i < rows_; ++i) {
      const auto row = std::span(index_).subspan(row_begin_[i], row_begin_[i + 1] - row_begin_[i]);
      const auto from = std::lower_bound(row.begin(), row.end(), first[part]);
      for (auto k = static_cast<std::size_t>(from - row.begin()); k < row.size() && row[k] < first[part + 1]; ++k) {
        const std::size_t place = next[row[k]]++;
        column_value_[place] = value_[row_begin_[i] + k];
        column_row_[place] = static_cast<std::uint32_t>(i);
      }
    }
  });
  stripe_.push_back(0);
  for (std::size_t j = 1; j < columns_; ++j)
    if (column_begin_[j + 1] - column_begin_[stripe_.back()] > kStripeEntries) stripe_.push_back(j);
  stripe_.push_back(columns_);
}

void DesignMatrix::times(In w, std::size_t outputs, Out z, const Run& run) const {
  if (sparse_) return sparse_times(w, outputs, z, run);
  const math::Kernels& kernels = math::kernels();
  run.for_each(Phase::fitting, blocks(), [&](std::size_t b) {
    for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* values) {
      for (std::size_t t = 0; t < count; ++t)
        for (std::size_t k = 0; k < outputs; ++k)
          z[(i + t) * outputs + k] = kernels.dot(values + t * columns_, w.data() + k * columns_, columns_);
    });
  });
}

void DesignMatrix::transpose_times(In r, std::size_t outputs, Out g, const Run& run) const {
  if (sparse_) return sparse_transpose_times(r, outputs, g, run);
  const math::Kernels& kernels = math::kernels();
  run.reduce(Phase::fitting, blocks(), g, [&](std::size_t b, Out out) {
    double own[kChunkRows];
    for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* values) {
      for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t t = 0; t < count; ++t) own[t] = r[(i + t) * outputs + k];
        kernels.transpose_times_add(values, count, columns_, columns_, own, out.data() + k * columns_);
      }
    });
  });
}

// With several outputs the weights of a feature lie side by side, so that an entry of a row is read once for all.
void DesignMatrix::sparse_times(In w, std::size_t outputs, Out z, const Run& run) const {
  const math::Kernels& kernels = math::kernels();
  std::vector<double> by_feature;
  if (outputs > 1) {
    by_feature.resize(w.size());
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t j = 0; j < columns_; ++j) by_feature[j * outputs + k] = w[k * columns_ + j];
  }
  run.for_each(Phase::fitting, blocks(), [&](std::size_t b) {
    for (std::size_t i = block_begin(b), end = i + block_size(b); i < end; ++i) {
      const std::size_t begin = row_begin_[i], last = row_begin_[i + 1];
      if (outputs == 1) {
        z[i] = kernels.sparse_dot(index_.data() + begin, value_.data() + begin, last - begin, w.data());
        continue;
      }
      double* own = z.data() + i * outputs;
      std::fill_n(own, outputs, 0.0);
      for (std::size_t e = begin; e < last; ++e)
        kernels.axpy(value_[e], by_feature.data() + index_[e] * outputs, own, outputs);
    }
  });
}

void DesignMatrix::sparse_transpose_times(In r, std::size_t outputs, Out g, const Run& run) const {
  const math::Kernels& kernels = math::kernels();
  // Each of `runs` runs of rows into sums of its own.
  const auto add_rows = [&](std::size_t runs) {
    run.reduce(Phase::fitting, runs, g, [&](std::size_t part, Out out) {
      for (std::size_t i = rows_ * part / runs; i < rows_ * (part + 1) / runs; ++i)
        kernels.sparse_axpy(r[i], index_.data() + row_begin_[i], value_.data() + row_begin_[i],
                            row_begin_[i + 1] - row_begin_[i], out.data());
    });
  };
  if (outputs == 1 && columns_ <= kFewColumns) return add_rows(blocks());
  if (outputs == 1 && !by_columns(run)) {
    return add_rows(std::clamp<std::size_t>(value_.size() / (kRunEntries * columns_), 1, kMostRuns));
  }
  make_columns(run);
  run.for_each(Phase::fitting, stripes(), [&](std::size_t stripe) {
    std::vector<double> own(outputs);
    for (std::size_t j = stripe_[stripe]; j < stripe_[stripe + 1]; ++j) {
      const std::size_t begin = column_begin_[j], last = column_begin_[j + 1];
      if (outputs == 1) {
        g[j] = kernels.sparse_dot(column_row_.data() + begin, column_value_.data() + begin, last - begin, r.data());
        continue;
      }
      std::fill(own.begin(), own.end(), 0.0);
      for (std::size_t e = begin; e < last; ++e)
        kernels.axpy(column_value_[e], r.data() + column_row_[e] * outputs, own.data(), outputs);
      for (std::size_t k = 0; k < outputs; ++k) g[k * columns_ + j] = own[k];
    }
  });
}

void DesignMatrix::squares(In d, Out out, const Run& run) const {
  if (sparse_) {
    make_columns(run);
    run.for_each(Phase::fitting, stripes(), [&](std::size_t stripe) {
      for (std::size_t j = stripe_[stripe]; j < stripe_[stripe + 1]; ++j) {
        double sum = 0.0;
        for (std::size_t e = column_begin_[j]; e < column_begin_[j + 1]; ++e)
          sum += d[column_row_[e]] * (column_value_[e] * column_value_[e]);
        out[j] = sum;
      }
    });
    return;
  }
  run.reduce(Phase::fitting, blocks(), out, [&](std::size_t b, Out sum) {
    for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* x) {
      for (std::size_t t = 0; t < count; ++t, x += columns_)
        for (std::size_t j = 0; j < columns_; ++j) sum[j] += d[i + t] * (x[j] * x[j]);
    });
  });
}

std::vector<double> DesignMatrix::gram(In d, const Run& run) const {
  const math::Kernels& kernels = math::kernels();
  std::vector<double> total(columns_ * columns_);
  const std::vector<double> ones(sparse_ ? 0 : columns_, 1.0), zeros(ones.size());
  run.reduce(Phase::fitting, blocks(), total, [&](std::size_t b, Out out) {
    const std::size_t begin = block_begin(b), count = block_size(b);
    if (!sparse_ && columns_ > math::GramRows::kMostColumns)
      return kernels.gram_add(value_.data() + begin * columns_, count, columns_, columns_, d.data() + begin, out.data(),
                              columns_);
    if (!sparse_) {  // the same bits, sooner
      math::GramRows sums(columns_, true);
      for_each_chunk(b, [&](std::size_t i, std::size_t some, const double* values) {
        sums.add(values, some, ones.data(), zeros.data(), columns_, nullptr, d.data() + i);
      });
      sums.flush();
      for (std::size_t j = 0; j < columns_; ++j)
        for (std::size_t k = 0; k <= j; ++k) out[j * columns_ + k] = sums.sum(j, k);
      return;
    }
    for (std::size_t i = begin; i < begin + count; ++i)
      kernels.sparse_gram_add(index_.data() + row_begin_[i], value_.data() + row_begin_[i],
                              row_begin_[i + 1] - row_begin_[i], d[i], out.data(), columns_);
  });
  return total;
}

}  // namespace plumb
