// The hyperplanes' weights in one of three forms. Dense: every number. Sparse: the non-zeros of each row. Increments: a
// row is the one before it plus a sparse change, for models that are a history (the voted perceptron).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"

namespace plumb {

// Rows of (index, value) pairs, indices ascending in each row. Value is double for weights, std::int32_t for vetoes.
template <class Value>
struct SparseRows {
  std::vector<std::uint64_t> offsets;  // rows + 1 of them
  std::vector<std::uint32_t> index;
  std::vector<Value> values;

  // Throws Error(model) unless offsets ascend from 0 to the number of values and indices ascend below `features` in
  // each row.
  void check(std::uint64_t rows, std::uint32_t features) const;
  std::span<const std::uint32_t> row_index(std::uint64_t r) const noexcept {
    return std::span(index).subspan(offsets[r], offsets[r + 1] - offsets[r]);
  }
  std::span<const Value> row_values(std::uint64_t r) const noexcept {
    return std::span(values).subspan(offsets[r], offsets[r + 1] - offsets[r]);
  }
};

class Weights {
 public:
  enum class Form { dense, sparse, increments };

  Weights() = default;  // no rows, no features
  // Each throws Error(model) if sizes disagree or a weight is not finite.
  static Weights dense(std::uint64_t rows, std::uint32_t features, std::vector<double> values);
  // Sparse, with the non-zeros of these.
  static Weights non_zeros(std::uint64_t rows, std::uint32_t features, In values);
  static Weights sparse(std::uint64_t rows, std::uint32_t features, SparseRows<double> values);
  // Row r is row r - 1 plus its change. With chains, one for each row, there are several parallel histories, one per
  // class: row r is the last row before it with the same number, plus its change.
  static Weights increments(std::uint64_t rows, std::uint32_t features, SparseRows<double> changes,
                            std::vector<std::uint32_t> chains = {});

  Form form() const noexcept { return form_; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint32_t features() const noexcept { return features_; }
  In dense_values() const noexcept { return dense_; }                            // form dense
  const SparseRows<double>& sparse_values() const noexcept { return sparse_; }   // forms sparse and increments
  const std::vector<std::uint32_t>& chains() const noexcept { return chains_; }  // increments; empty: one history

  // For increments, the distinct changes, by feature: a row that was met again is stored once. places()[r] is twice the
  // number of row r's change, plus one if it is the opposite of that (only with chains: one hyperplane gains the row
  // that another loses). Numbers are in the order of rows, so that of row r is not above r.
  const SparseRows<double>& distinct_columns() const noexcept { return columns_; }
  const std::vector<std::uint32_t>& places() const noexcept { return places_; }
  std::uint32_t distinct() const noexcept { return distinct_; }

  // scores[r] = w_r . x for every row; does not allocate.
  void scores(const Row& x, Out scores) const noexcept;
  // Row r written out in full.
  void row(std::uint64_t r, Out w) const noexcept;
  // The same if w contains the row before it, of its chain (the first: anything). One increment after another costs
  // only its own changes.
  void row_after(std::uint64_t r, Out w) const noexcept;

 private:
  static Weights of_rows(std::uint64_t rows, std::uint32_t features, SparseRows<double> values);

  Form form_ = Form::dense;
  std::uint64_t rows_ = 0;
  std::uint32_t features_ = 0;
  std::vector<double> dense_;
  SparseRows<double> sparse_;
  SparseRows<double> columns_;           // sparse: those of each feature, by row; increments: by number of the change
  std::vector<std::uint32_t> places_;    // for increments
  std::uint32_t distinct_ = 0;           // for increments: how many changes
  std::vector<std::uint32_t> chains_;    // for increments
  std::vector<std::uint32_t> previous_;  // with chains: the row that a row is a change of; itself for the first
};

// "dense", "sparse", "increments": as in model files.
std::string_view name_of(Weights::Form form) noexcept;

}  // namespace plumb
