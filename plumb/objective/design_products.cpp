// Products of the matrix with vectors, and sums over its rows.
#include <algorithm>

#include "plumb/math/dense.h"
#include "plumb/math/gram_rows.h"
#include "plumb/math/kernels.h"
#include "plumb/math/sparse.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {
namespace {

constexpr std::size_t kStripeEntries = 1 << 16;  // of a run of columns: enough for one task of a thread
constexpr int kSumsByRows = 3;                   // before columns are made, which takes about as long
constexpr std::size_t kFewColumns = 1024;        // whose sums over a block of rows stay in the first-level cache
constexpr std::size_t kRunEntries = 8;           // of a run of rows, for each column: its sums cost little beside that
constexpr std::size_t kMostParts = 16;           // of rows with sums of their own, or of columns

}  // namespace

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
  lay_out(&run);
  column_begin_.assign(columns_ + 1, 0);
  for (const std::uint32_t j : index_) ++column_begin_[j + 1];
  for (std::size_t j = 0; j < columns_; ++j) column_begin_[j + 1] += column_begin_[j];
  column_value_.resize(value_.size());
  column_row_.resize(value_.size());
  // Runs of columns with about as many entries each: the task that fills one looks up where it begins in every row.
  // Must not be stopped half-way, because the columns exist from then on.
  const std::size_t parts = std::clamp<std::size_t>(value_.size() / kStripeEntries, 1, kMostParts);
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

// With several outputs the weights of a feature are adjacent, so that an entry of a row is read once for all.
void DesignMatrix::sparse_times(In w, std::size_t outputs, Out z, const Run& run) const {
  const math::Kernels& kernels = math::kernels();
  if (outputs == 1 && sparse_in_place()) {
    std::vector<double> scaled(features_);  // a power of two changes no bit of a product, whichever factor has it
    for (std::size_t j = 0; j < features_; ++j) scaled[j] = w[j] * scale_[j];
    const double bias = bias_ ? w[features_] : 0.0;
    run.for_each(Phase::fitting, blocks(), [&](std::size_t b) {
      for (std::size_t i = block_begin(b), end = i + block_size(b); i < end; ++i)
        with_place(i, [&](const std::uint32_t* index, const auto* value, std::size_t count) {
          z[i] = math::sparse_dot({index, count}, {value, count}, scaled) + bias;
        });
    });
    return;
  }
  lay_out(&run);
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
  // Adds each of `runs` runs of rows to its own sums.
  const auto add_in_place = [&](std::size_t runs) {
    run.reduce(Phase::fitting, runs, g, [&](std::size_t part, Out out) {
      double sum = 0.0;
      for (std::size_t i = rows_ * part / runs; i < rows_ * (part + 1) / runs; ++i) {
        with_place(i, [&](const std::uint32_t* index, const auto* value, std::size_t count) {
          math::sparse_axpy(r[i], {index, count}, {value, count}, out);
        });
        sum += r[i];
      }
      if (bias_) out[features_] = sum;
    });
    for (std::size_t j = 0; j < features_; ++j) g[j] *= scale_[j];
  };
  const auto add_rows = [&](std::size_t runs) {
    if (sparse_in_place()) return add_in_place(runs);
    run.reduce(Phase::fitting, runs, g, [&](std::size_t part, Out out) {
      for (std::size_t i = rows_ * part / runs; i < rows_ * (part + 1) / runs; ++i)
        kernels.sparse_axpy(r[i], index_.data() + row_begin_[i], value_.data() + row_begin_[i],
                            row_begin_[i + 1] - row_begin_[i], out.data());
    });
  };
  if (outputs == 1 && columns_ <= kFewColumns) return add_rows(blocks());
  if (outputs == 1 && !by_columns(run)) {
    return add_rows(std::clamp<std::size_t>(entries_ / (kRunEntries * columns_), 1, kMostParts));
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
  if (sparse_) lay_out(&run);
  std::vector<double> total(columns_ * columns_);
  const std::vector<double> ones(sparse_ ? 0 : columns_, 1.0), zeros(ones.size());
  run.reduce(Phase::fitting, blocks(), total, [&](std::size_t b, Out out) {
    const std::size_t begin = block_begin(b), count = block_size(b);
    if (!sparse_ && columns_ > math::GramRows::kMostColumns)
      return kernels.gram_add(value_.data() + begin * columns_, count, columns_, columns_, d.data() + begin, out.data(),
                              columns_);
    if (!sparse_) {  // the same bits, faster
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
