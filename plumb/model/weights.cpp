#include "plumb/model/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

void check_finite(In values) {
  if (!std::all_of(values.begin(), values.end(), [](double w) { return std::isfinite(w); }))
    throw Error(ErrorCode::model, "a weight is not a finite number");
}

// Which rows are equal changes: places as in the header, and the first row of each.
struct Distinct {
  std::vector<std::uint32_t> places;
  std::vector<std::uint64_t> first;
};

// Whether row a is row b times sign.
bool same_row(const SparseRows<double>& rows, std::uint64_t a, std::uint64_t b, double sign) {
  const auto index = rows.row_index(a), other = rows.row_index(b);
  const auto values = rows.row_values(a), others = rows.row_values(b);
  return std::equal(index.begin(), index.end(), other.begin(), other.end()) &&
         std::equal(values.begin(), values.end(), others.begin(), [&](double v, double w) { return v == sign * w; });
}

// By a hash table with open addressing.
Distinct distinct_rows(const SparseRows<double>& rows, std::uint64_t count, bool opposites) {
  Distinct found;
  found.places.reserve(count);
  std::vector<std::uint32_t> table(std::bit_ceil(2 * count + 2), 0);  // a number plus one, 0: empty
  std::vector<double> sizes;                                          // of a row's values: opposites have the same
  for (std::uint64_t r = 0; r < count; ++r) {
    const auto values = rows.row_values(r);
    sizes.resize(values.size());
    std::transform(values.begin(), values.end(), sizes.begin(), [](double v) { return std::abs(v); });
    std::size_t at =
        (digest64(std::as_bytes(rows.row_index(r))) ^ digest64(std::as_bytes(std::span(sizes)))) % table.size();
    for (; table[at] != 0; at = (at + 1) % table.size()) {
      const std::uint64_t first = found.first[table[at] - 1];
      const bool same = same_row(rows, r, first, 1.0);
      if (!same && !(opposites && same_row(rows, r, first, -1.0))) continue;
      found.places.push_back(2 * (table[at] - 1) + (same ? 0 : 1));
      break;
    }
    if (table[at] != 0) continue;
    found.places.push_back(2 * static_cast<std::uint32_t>(found.first.size()));
    found.first.push_back(r);
    table[at] = static_cast<std::uint32_t>(found.first.size());
  }
  return found;
}

// By counting; within a column numbers ascend in order of appearance.
SparseRows<double> transposed(const SparseRows<double>& rows, std::span<const std::uint64_t> chosen,
                              std::uint32_t features) {
  SparseRows<double> columns;
  columns.offsets.assign(std::size_t{features} + 1, 0);
  for (const std::uint64_t r : chosen)
    for (const std::uint32_t j : rows.row_index(r)) ++columns.offsets[std::size_t{j} + 1];
  for (std::size_t j = 0; j < features; ++j) columns.offsets[j + 1] += columns.offsets[j];
  columns.index.resize(columns.offsets.back());
  columns.values.resize(columns.offsets.back());
  std::vector<std::uint64_t> next(columns.offsets.begin(), columns.offsets.end() - 1);
  for (std::size_t d = 0; d < chosen.size(); ++d)
    for (std::uint64_t k = rows.offsets[chosen[d]]; k < rows.offsets[chosen[d] + 1]; ++k) {
      const std::uint64_t place = next[rows.index[k]]++;
      columns.index[place] = static_cast<std::uint32_t>(d);
      columns.values[place] = rows.values[k];
    }
  return columns;
}

// Every weight must be finite: the sums along the chains, feature by feature.
void check_sums(const SparseRows<double>& changes, std::uint64_t rows, std::uint32_t features,
                std::span<const std::uint32_t> chains) {
  // No sum exceeds that of all absolute values. If even that is finite, no check is needed.
  std::vector<double> sizes(features);
  for (std::size_t k = 0; k < changes.index.size(); ++k) sizes[changes.index[k]] += std::abs(changes.values[k]);
  if (std::all_of(sizes.begin(), sizes.end(), [](double size) { return std::isfinite(size); })) return;
  std::vector<std::uint64_t> all(rows);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const SparseRows<double> columns = transposed(changes, all, features);
  std::vector<double> sums(rows);
  for (std::uint32_t j = 0; j < features; ++j) {
    const auto index = columns.row_index(j);
    const auto values = columns.row_values(j);
    for (std::size_t k = 0; k < index.size(); ++k) {
      double& sum = sums[chains.empty() ? 0 : chains[index[k]]];
      sum += values[k];
      check_finite(In(&sum, 1));
    }
    for (const std::uint32_t r : index) sums[chains.empty() ? 0 : chains[r]] = 0.0;
  }
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

Weights Weights::of_rows(std::uint64_t rows, std::uint32_t features, SparseRows<double> values) {
  values.check(rows, features);
  check_finite(values.values);
  Weights weights;
  weights.form_ = Form::sparse;
  weights.rows_ = rows;
  weights.features_ = features;
  weights.sparse_ = std::move(values);
  return weights;
}

Weights Weights::sparse(std::uint64_t rows, std::uint32_t features, SparseRows<double> values) {
  Weights weights = of_rows(rows, features, std::move(values));
  std::vector<std::uint64_t> all(rows);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  weights.columns_ = transposed(weights.sparse_, all, features);
  return weights;
}

Weights Weights::non_zeros(std::uint64_t rows, std::uint32_t features, In values) {
  SparseRows<double> some;
  some.offsets.push_back(0);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint32_t j = 0; j < features; ++j)
      if (const double each = values[r * features + j]; each != 0.0) {
        some.index.push_back(j);
        some.values.push_back(each);
      }
    some.offsets.push_back(some.index.size());
  }
  return sparse(rows, features, std::move(some));
}

Weights Weights::increments(std::uint64_t rows, std::uint32_t features, SparseRows<double> changes,
                            std::vector<std::uint32_t> chains) {
  Weights weights = of_rows(rows, features, std::move(changes));
  weights.form_ = Form::increments;
  if (!chains.empty()) weights.previous_ = previous_rows(chains, rows);
  weights.chains_ = std::move(chains);
  check_sums(weights.sparse_, rows, features, weights.chains_);
  Distinct distinct = distinct_rows(weights.sparse_, rows, !weights.chains_.empty());
  weights.columns_ = transposed(weights.sparse_, distinct.first, features);
  weights.places_ = std::move(distinct.places);
  weights.distinct_ = static_cast<std::uint32_t>(distinct.first.size());
  return weights;
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
    // The product of x with each change, found through the features of x alone; then that of each row, from the last
    // on, since none has a number above its own; then row r is the sum of all rows of its chain up to r.
    std::fill_n(scores.begin(), distinct_, 0.0);
    for (std::size_t t = 0; t < x.value.size(); ++t) {
      const std::size_t j = x.dense() ? t : x.index[t];
      if (x.value[t] != 0.0) math::sparse_axpy(x.value[t], columns_.row_index(j), columns_.row_values(j), scores);
    }
    for (std::uint64_t r = rows_; r-- > 0;) {
      const double common = scores[places_[r] / 2];
      scores[r] = places_[r] % 2 == 0 ? common : -common;
    }
    if (chains_.empty()) {
      for (std::uint64_t r = 1; r < rows_; ++r) scores[r] += scores[r - 1];
    } else {
      for (std::uint64_t r = 1; r < rows_; ++r)
        if (previous_[r] != r) scores[r] += scores[previous_[r]];
    }
    return;
  }
  // Through the features of x alone, in their order: rows without weights there cost nothing.
  std::fill_n(scores.begin(), rows_, 0.0);
  for (std::size_t t = 0; t < x.value.size(); ++t) {
    const std::size_t j = x.dense() ? t : x.index[t];
    math::sparse_axpy(x.value[t], columns_.row_index(j), columns_.row_values(j), scores);
  }
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
