// For plumb.sklearn: a model to begin row by row from, and counts of classes over sparse arrays.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/base/parallel.h"
#include "plumb/model/model_file.h"
#include "plumb/workflow/judging.h"
#include "python/core/core.h"

namespace plumb::python {
namespace {

// The same columns and labels, as if no row had been seen.
Model without_weights(const Model& model) {
  SavedModel blank = model.saved();
  LinearModel::Parts parts = blank.model.parts();
  const std::uint64_t rows = parts.weights.rows();
  const std::uint32_t features = parts.weights.features();
  parts.weights = Weights::dense(rows, features, std::vector<double>(rows * features));
  parts.bias.assign(parts.bias.size(), 0.0);
  blank.model = LinearModel(std::move(parts));
  blank.record.statistics.clear();
  blank.record.fit.clear();
  blank.record.iterations = 0;
  blank.record.train_rows = 0;
  return Model(std::move(blank));
}

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

constexpr std::size_t kWorthThreads = 200'000;  // numbers

// A numpy matrix whose rows `fill` writes, each on any thread.
template <class Fill>
nb::object matrix_of(std::size_t rows, std::size_t columns, std::size_t work, const RunOptions& options, Fill fill) {
  auto held = std::make_unique_for_overwrite<double[]>(rows * columns);
  double* const values = held.get();
  run_without_gil(options, [&](const Running& running) {
    Executor executor(work < kWorthThreads ? 1 : running.threads);
    executor.for_each(rows, [&](std::size_t r) { fill(r, values + r * columns); });
    return true;
  });
  nb::capsule owner(held.release(), [](void* each) noexcept { delete[] static_cast<double*>(each); });
  return nb::cast(nb::ndarray<nb::numpy, double>(values, {rows, columns}, owner));
}

// For each class the sums over its rows, in their order, of each column times the row's weight: [class][column].
template <class Value, class Index>
nb::object class_sums(const Vector<Value>& values, const Vector<Index>& columns, const Vector<Index>& offsets,
                      const Vector<std::int64_t>& classes, const std::optional<Vector<double>>& weights,
                      std::size_t class_count, std::size_t column_count, const RunOptions& options) {
  // One class after the other, since the sums of all of them are beyond the caches.
  std::vector<std::vector<std::size_t>> rows_of(class_count);
  for (std::size_t i = 0; i < classes.shape(0); ++i) {
    const std::int64_t place = classes.data()[i];
    if (place < 0 || static_cast<std::size_t>(place) >= class_count)
      throw Error(ErrorCode::usage, "a class is not among the classes");
    rows_of[static_cast<std::size_t>(place)].push_back(i);
  }
  const Value* const value = values.data();
  const Index* const column = columns.data();
  const Index* const offset = offsets.data();
  const double* const weight = weights ? weights->data() : nullptr;
  return matrix_of(class_count, column_count, values.shape(0), options, [&](std::size_t k, double* sum) {
    std::fill_n(sum, column_count, 0.0);
    for (const std::size_t i : rows_of[k]) {
      const double factor = weight == nullptr ? 1.0 : weight[i];
      for (Index e = offset[i]; e < offset[i + 1]; ++e) {
        if (static_cast<std::size_t>(column[e]) >= column_count)
          throw Error(ErrorCode::usage, "a column number is out of range");
        sum[column[e]] += factor * static_cast<double>(value[e]);
      }
    }
  });
}

// log((count + smoothing) / (sum of its row + smoothing * columns)): most counts of words are 0 or small whole numbers,
// whose logarithms are computed once.
nb::object log_shares(const Matrix& counts, double smoothing, const RunOptions& options) {
  const std::size_t columns = counts.shape(1);
  const double* const all = counts.data();
  constexpr std::size_t kTable = 256;
  double table[kTable];
  for (std::size_t k = 0; k < kTable; ++k) table[k] = std::log(static_cast<double>(k) + smoothing);
  return matrix_of(counts.shape(0), columns, counts.size(), options, [&](std::size_t r, double* logs) {
    const double* const row = all + r * columns;
    double total = smoothing * static_cast<double>(columns);
    for (std::size_t c = 0; c < columns; ++c) total += row[c];
    const double log_total = std::log(total);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t whole = row[c] >= 0 && row[c] < kTable ? static_cast<std::size_t>(row[c]) : 0;
      logs[c] = (static_cast<double>(whole) == row[c] ? table[whole] : std::log(row[c] + smoothing)) - log_total;
    }
  });
}

}  // namespace

void add_sklearn_models(nb::module_& module) {
  module.def("without_weights", &without_weights, nb::arg("model"));
  const auto add_sums = [&]<class Index>(Index) {
    module.def("class_sums", &class_sums<double, Index>, nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
               nb::arg("offsets").noconvert(), nb::arg("classes"), nb::arg("weights").none(), nb::arg("class_count"),
               nb::arg("column_count"), nb::arg("run"));
  };
  add_sums(std::int32_t{});
  add_sums(std::int64_t{});
  module.def("log_shares", &log_shares, nb::arg("counts"), nb::arg("smoothing"), nb::arg("run"));
}

}  // namespace plumb::python
