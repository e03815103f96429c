#include "plumb/model/weights.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

void check_finite(In values) {
  if (!std::all_of(values.begin(), values.end(), [](double w) { return std::isfinite(w); }))
    throw Error(ErrorCode::model, "a weight is not a finite number");
}

// By counting; within a column rows ascend, as they are met.
SparseRows<double> transposed(const SparseRows<double>& rows, std::uint64_t count, std::uint32_t features) {
  SparseRows<double> columns;
  columns.offsets.assign(std::size_t{features} + 1, 0);
  for (const std::uint32_t j : rows.index) ++columns.offsets[std::size_t{j} + 1];
  for (std::size_t j = 0; j < features; ++j) columns.offsets[j + 1] += columns.offsets[j];
  columns.index.resize(rows.index.size());
  columns.values.resize(rows.index.size());
  std::vector<std::uint64_t> next(columns.offsets.begin(), columns.offsets.end() - 1);
  for (std::uint64_t r = 0; r < count; ++r)
    for (std::uint64_t k = rows.offsets[r]; k < rows.offsets[r + 1]; ++k) {
      const std::uint64_t place = next[rows.index[k]]++;
      columns.index[place] = static_cast<std::uint32_t>(r);
      columns.values[place] = rows.values[k];
    }
  return columns;
}

// For each row the one before it in its chain, or itself.
std::vector<std::uint32_t> previous_rows(std::span<const std::uint32_t> chains, std::uint64_t rows) {
  if (chains.size() != rows) throw Error(ErrorCode::model, "there is not one chain per row");
  std::vector<std::uint32_t> previous(rows), last(rows);
  std::vector<bool> begun(rows);
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::uint32_t chain = chains[r];
    if (chain >= rows) throw Error(ErrorCode::model, "a row belongs to a chain beyond the number of rows");
    previous[r] = begun[chain] ? last[chain] : r;
    begun[chain] = true;
    last[chain] = r;
  }
  return previous;
}

}  // namespace

template <class Value>
void SparseRows<Value>::check(std::uint64_t rows, std::uint32_t features) const {
  const auto refuse = [](const char* what) {
    throw Error(ErrorCode::model, std::string("sparse rows are broken: ") + what);
  };
  if (offsets.size() != rows + 1 || offsets.front() != 0 || offsets.back() != values.size() ||
      index.size() != values.size())
    refuse("their sizes disagree");
  for (std::uint64_t r = 0; r < rows; ++r)
    if (offsets[r] > offsets[r + 1]) refuse("offsets do not ascend");
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t k = offsets[r]; k < offsets[r + 1]; ++k)
      if (index[k] >= features || (k > offsets[r] && index[k] <= index[k - 1]))
        refuse("indices do not ascend below the number of features");
}
template struct SparseRows<double>;
template struct SparseRows<std::int32_t>;

Weights Weights::dense(std::uint64_t rows, std::uint32_t features, std::vector<double> values) {
  if (features != 0 ? values.size() / features != rows || values.size() % features != 0 : !values.empty())
    throw Error(ErrorCode::model, "the dense weights are not rows times features");
  check_finite(values);
  Weights weights;
  weights.rows_ = rows;
  weights.features_ = features;
  weights.dense_ = std::move(values);
  return weights;
}

Weights Weights::sparse(std::uint64_t rows, std::uint32_t features, SparseRows<double> values) {
  values.check(rows, features);
  check_finite(values.values);
  Weights weights;
  weights.form_ = Form::sparse;
  weights.rows_ = rows;
  weights.features_ = features;
  weights.sparse_ = std::move(values);
  return weights;
}

Weights Weights::increments(std::uint64_t rows, std::uint32_t features, SparseRows<double> changes,
                            std::vector<std::uint32_t> chains) {
  Weights weights = sparse(rows, features, std::move(changes));
  weights.form_ = Form::increments;
  weights.columns_ = transposed(weights.sparse_, rows, features);
  if (!chains.empty()) weights.previous_ = previous_rows(chains, rows);
  weights.chains_ = std::move(chains);
  // Every weight there is: the sums along the chains, feature by feature.
  std::vector<double> sums(rows);
  for (std::uint32_t j = 0; j < features; ++j) {
    const auto index = weights.columns_.row_index(j);
    const auto values = weights.columns_.row_values(j);
    for (std::size_t k = 0; k < index.size(); ++k) {
      double& sum = sums[weights.chains_.empty() ? 0 : weights.chains_[index[k]]];
      sum += values[k];
      check_finite(In(&sum, 1));
    }
    for (const std::uint32_t r : index) sums[weights.chains_.empty() ? 0 : weights.chains_[r]] = 0.0;
  }
  return weights;
}

double dot(std::span<const std::uint32_t> index, In value, const Row& x) noexcept {
  if (x.dense()) return math::sparse_dot(index, value, x.value);
  double sum = 0.0;
  std::size_t i = 0, k = 0;
  while (i < index.size() && k < x.index.size()) {
    if (index[i] == x.index[k]) {
      sum = std::fma(value[i], x.value[k], sum);
      ++i;
      ++k;
    } else if (index[i] < x.index[k]) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

void Weights::scores(const Row& x, Out scores) const noexcept {
  if (form_ == Form::dense) {
    for (std::uint64_t r = 0; r < rows_; ++r) {
      const In w = In(dense_).subspan(r * features_, features_);
      scores[r] = x.dense() ? math::dot(w, x.value) : math::sparse_dot(x.index, x.value, w);
    }
    return;
  }
  if (form_ == Form::increments) {
    // What x has in common with each row, found through the features of x alone; then row r is all rows of its chain up
    // to r.
    std::fill(scores.begin(), scores.end(), 0.0);
    for (std::size_t t = 0; t < x.value.size(); ++t) {
      const std::size_t j = x.dense() ? t : x.index[t];
      if (x.value[t] != 0.0) math::sparse_axpy(x.value[t], columns_.row_index(j), columns_.row_values(j), scores);
    }
    if (chains_.empty()) {
      for (std::uint64_t r = 1; r < rows_; ++r) scores[r] += scores[r - 1];
    } else {
      for (std::uint64_t r = 1; r < rows_; ++r)
        if (previous_[r] != r) scores[r] += scores[previous_[r]];
    }
    return;
  }
  for (std::uint64_t r = 0; r < rows_; ++r) scores[r] = dot(sparse_.row_index(r), sparse_.row_values(r), x);
}

void Weights::row(std::uint64_t r, Out w) const noexcept {
  if (form_ != Form::increments) return row_after(r, w);
  for (std::uint64_t i = 0; i <= r; ++i)
    if (chains_.empty() || chains_[i] == chains_[r]) row_after(i, w);
}

void Weights::row_after(std::uint64_t r, Out w) const noexcept {
  if (form_ == Form::dense) {
    std::copy_n(dense_.begin() + static_cast<std::ptrdiff_t>(r * features_), features_, w.begin());
    return;
  }
  if (form_ == Form::sparse || r == 0 || (!chains_.empty() && previous_[r] == r)) std::fill(w.begin(), w.end(), 0.0);
  const auto index = sparse_.row_index(r);
  const auto value = sparse_.row_values(r);
  for (std::size_t k = 0; k < index.size(); ++k) w[index[k]] += value[k];
}

std::string_view name_of(Weights::Form form) noexcept {
  constexpr std::string_view names[] = {"dense", "sparse", "increments"};
  return names[static_cast<std::size_t>(form)];
}

}  // namespace plumb
