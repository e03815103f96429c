// For plumb.sklearn: a model to begin row by row from, and counts of classes over sparse arrays.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

// For each class the sums over its rows of each column times the row's weight: [class][column].
template <class Value, class Index>
nb::object class_sums(const Vector<Value>& values, const Vector<Index>& columns, const Vector<Index>& offsets,
                      const Vector<std::int64_t>& classes, const nb::object& weights, std::size_t class_count,
                      std::size_t column_count) {
  std::vector<double> sums(class_count * column_count);
  const std::size_t rows = classes.shape(0);
  const double* weight = nullptr;
  Vector<double> given;
  if (!weights.is_none()) {
    given = nb::cast<Vector<double>>(weights);
    weight = given.data();
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t place = classes.data()[i];
    if (place < 0 || static_cast<std::size_t>(place) >= class_count)
      throw Error(ErrorCode::usage, "a class is not among the classes");
    double* const sum = sums.data() + static_cast<std::size_t>(place) * column_count;
    const double factor = weight == nullptr ? 1.0 : weight[i];
    const Index begin = offsets.data()[i], end = offsets.data()[i + 1];
    for (Index e = begin; e < end; ++e) {
      const auto column = static_cast<std::size_t>(columns.data()[e]);
      if (column >= column_count) throw Error(ErrorCode::usage, "a column number is out of range");
      sum[column] += factor * static_cast<double>(values.data()[e]);
    }
  }
  return array_of(std::move(sums), {class_count, column_count});
}

// log((count + smoothing) / (sum of its row + smoothing * columns)): most counts of words are 0 or small whole numbers,
// whose logarithms are computed once.
nb::object log_shares(const nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>& counts, double smoothing) {
  const std::size_t rows = counts.shape(0), columns = counts.shape(1);
  std::vector<double> logs(rows * columns);
  constexpr std::size_t kTable = 256;
  double table[kTable];
  for (std::size_t k = 0; k < kTable; ++k) table[k] = std::log(static_cast<double>(k) + smoothing);
  for (std::size_t r = 0; r < rows; ++r) {
    const double* const row = counts.data() + r * columns;
    double total = smoothing * static_cast<double>(columns);
    for (std::size_t c = 0; c < columns; ++c) total += row[c];
    const double log_total = std::log(total);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto whole = row[c] >= 0 && row[c] < kTable ? static_cast<std::size_t>(row[c]) : kTable;
      const bool known = whole < kTable && static_cast<double>(whole) == row[c];
      logs[r * columns + c] = (known ? table[whole] : std::log(row[c] + smoothing)) - log_total;
    }
  }
  return array_of(std::move(logs), {rows, columns});
}

}  // namespace

void add_sklearn_models(nb::module_& module) {
  module.def("without_weights", &without_weights, nb::arg("model"));
  module.def("class_sums", &class_sums<double, std::int32_t>, nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("offsets").noconvert(), nb::arg("classes"), nb::arg("weights").none(), nb::arg("class_count"),
             nb::arg("column_count"));
  module.def("class_sums", &class_sums<double, std::int64_t>, nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("offsets").noconvert(), nb::arg("classes"), nb::arg("weights").none(), nb::arg("class_count"),
             nb::arg("column_count"));
  module.def("log_shares", &log_shares, nb::arg("counts"), nb::arg("smoothing"));
}

}  // namespace plumb::python
