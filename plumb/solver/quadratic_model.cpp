#include "plumb/solver/quadratic_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

constexpr std::size_t kMostMatrix = 4096;  // columns: 128 MB
constexpr double kMatrixPasses = 20;       // over the columns that the matrix may cost: about as many as it saves
constexpr double kDenseSpeed = 6;          // dense products go that much faster than sparse ones
constexpr double kNoCurve = 1e-12;         // of a column's curvature: what is left beside the bias is rounding
constexpr std::size_t kGramParts = 8;      // of the rows, each with a matrix of its own

// The eliminated bias: with m_j the sum of curvature times column j and S that of the curvature, it takes
// -(slope + m.d) / S, and H loses m m' / S.
struct FreeBias {
  double slope = 0.0, curvature = 0.0;
  bool there() const noexcept { return curvature > 0.0; }
};

class MatrixModel final : public QuadraticModel {
 public:
  MatrixModel(std::vector<double> matrix, std::vector<double> gradient, std::vector<double> means, FreeBias bias)
      : matrix_(std::move(matrix)), slope_(std::move(gradient)), means_(std::move(means)), bias_(bias) {
    const std::size_t m = slope_.size();
    d_.resize(m);
    curve_.resize(m);
    for (std::size_t i = 0; i < m; ++i) curve_[i] = std::max(0.0, matrix_[i * m + i]);
  }
  void set_curve(std::vector<double> curve) { curve_ = std::move(curve); }

  double slope(std::size_t i) const override { return slope_[i]; }
  void move(std::size_t i, double to) override {
    const double step = to - d_[i];
    d_[i] = to;
    if (bias_.there()) pulled_ += means_[i] * step;
    math::axpy(step, In(matrix_).subspan(i * size(), size()), slope_);
  }
  void times(std::span<const std::uint32_t> some, In p, Out product) override {
    std::vector<double> all(size());
    for (const std::uint32_t i : some) math::axpy(p[i], In(matrix_).subspan(i * size(), size()), all);
    for (const std::uint32_t i : some) product[i] = all[i];
  }
  double bias_step() const noexcept override {
    return bias_.there() ? -(bias_.slope + pulled_) / bias_.curvature : 0.0;
  }

 private:
  std::vector<double> matrix_, slope_, means_;
  FreeBias bias_;
  double pulled_ = 0.0;  // m.d
};

class ColumnModel final : public QuadraticModel {
 public:
  ColumnModel(WeightedColumns columns, ModelSlopes slopes, std::vector<double> means, std::vector<double> curve,
              FreeBias bias)
      : columns_(std::move(columns)),
        slopes_(std::move(slopes)),
        means_(std::move(means)),
        bias_(bias),
        t_(columns_.rows) {
    d_.resize(curve.size());
    curve_ = std::move(curve);
  }
  double slope(std::size_t i) const override {
    const double own = slopes_.gradient[i] + slopes_.ridge[i] * d_[i] + columns_.dot(i, t_);
    return bias_.there() ? own + means_[i] * bias_step() : own;
  }
  void move(std::size_t i, double to) override {
    const double step = to - d_[i];
    d_[i] = to;
    pulled_ += means_[i] * step;
    columns_.add(i, step, t_);
  }
  void times(std::span<const std::uint32_t> some, In p, Out product) override {
    room_.assign(columns_.rows, 0.0);
    double pulled = 0.0;
    for (const std::uint32_t i : some) {
      columns_.add(i, p[i], room_);
      pulled += means_[i] * p[i];
    }
    const double back = bias_.there() ? pulled / bias_.curvature : 0.0;
    for (const std::uint32_t i : some) product[i] = columns_.dot(i, room_) + slopes_.ridge[i] * p[i] - means_[i] * back;
  }
  double bias_step() const noexcept override {
    return bias_.there() ? -(bias_.slope + pulled_) / bias_.curvature : 0.0;
  }

 private:
  WeightedColumns columns_;
  ModelSlopes slopes_;
  std::vector<double> means_;
  FreeBias bias_;
  double pulled_ = 0.0;
  std::vector<double> t_, room_;  // t: the sum of d_i times column i
};

}  // namespace

WeightedColumns::WeightedColumns(const DesignMatrix& x, std::span<const std::uint32_t> columns, In curvature,
                                 const Run& run)
    : sparse(x.sparse()), rows(x.rows()), begin(columns.size() + 1), root(curvature.size()) {
  for (std::size_t i = 0; i < rows; ++i) root[i] = std::sqrt(curvature[i]);
  if (sparse) {
    x.make_columns(run);
    for (std::size_t k = 0; k < columns.size(); ++k) begin[k + 1] = begin[k] + x.column(columns[k]).row.size();
    row.resize(begin.back());
    value.resize(begin.back());
    run.executor.for_each(columns.size(), [&](std::size_t k) {
      const DesignMatrix::Column own = x.column(columns[k]);
      std::copy(own.row.begin(), own.row.end(), row.begin() + static_cast<std::ptrdiff_t>(begin[k]));
      for (std::size_t e = 0; e < own.row.size(); ++e) value[begin[k] + e] = own.value[e] * root[own.row[e]];
    });
    return;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) begin[k + 1] = begin[k] + rows;
  value.resize(begin.back());
  run.executor.for_each(x.blocks(), [&](std::size_t b) {
    x.for_each_chunk(b, [&](std::size_t first, std::size_t count, const double* values) {
      for (std::size_t k = 0; k < columns.size(); ++k) {
        double* const to = value.data() + begin[k] + first;
        for (std::size_t t = 0; t < count; ++t) to[t] = values[t * x.columns() + columns[k]] * root[first + t];
      }
    });
  });
}

double WeightedColumns::dot(std::size_t i, In t) const noexcept {
  const std::size_t from = begin[i], count = begin[i + 1] - from;
  if (!sparse) return math::dot({value.data() + from, count}, t);
  return math::sparse_dot({row.data() + from, count}, In(value.data() + from, count), t);
}

void WeightedColumns::add(std::size_t i, double a, Out t) const noexcept {
  const std::size_t from = begin[i], count = begin[i + 1] - from;
  if (!sparse) return math::axpy(a, {value.data() + from, count}, t);
  math::sparse_axpy(a, {row.data() + from, count}, In(value.data() + from, count), t);
}

double WeightedColumns::gram_cost() const noexcept {
  const auto m = static_cast<double>(begin.size() - 1);
  if (!sparse) return static_cast<double>(rows) * m * m / 2 / kDenseSpeed;
  std::vector<std::uint32_t> length(rows);
  for (const std::uint32_t i : row) ++length[i];
  double cost = m * m;
  for (const std::uint32_t each : length) cost += double{static_cast<double>(each)} * each / 2;
  return cost;
}

std::vector<double> WeightedColumns::gram(const Run& run) const {
  const std::size_t m = begin.size() - 1;
  std::vector<double> total(m * m);
  if (!sparse) {  // a few rows at a time, copied row after row
    constexpr std::size_t kChunk = 64;
    const std::size_t parts = std::clamp<std::size_t>(rows / kBlockRows, 1, kGramParts);
    run.reduce(Phase::fitting, parts, total, [&](std::size_t part, Out out) {
      std::vector<double> chunk(kChunk * m);
      const std::size_t end = rows * (part + 1) / parts;
      for (std::size_t i = rows * part / parts; i < end; i += kChunk) {
        const std::size_t count = std::min(kChunk, end - i);
        for (std::size_t k = 0; k < m; ++k)
          for (std::size_t t = 0; t < count; ++t) chunk[t * m + k] = value[begin[k] + i + t];
        math::gram_add(chunk.data(), count, m, m, nullptr, out.data());
      }
    });
  } else {
    std::vector<std::size_t> from(rows + 1);
    for (const std::uint32_t i : row) ++from[i + 1];
    for (std::size_t i = 0; i < rows; ++i) from[i + 1] += from[i];
    UnsetVector<std::uint32_t> index(row.size());
    UnsetVector<double> by_row(row.size());
    std::vector<std::size_t> next(from.begin(), from.end() - 1);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t e = begin[k]; e < begin[k + 1]; ++e) {
        const std::size_t at = next[row[e]]++;
        index[at] = static_cast<std::uint32_t>(k);
        by_row[at] = value[e];
      }
    const std::size_t parts = std::clamp<std::size_t>(row.size() / (4 * m * m + 1), 1, kGramParts);
    run.reduce(Phase::fitting, parts, total, [&](std::size_t part, Out out) {
      for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts; ++i)
        math::sparse_gram_add({index.data() + from[i], from[i + 1] - from[i]},
                              In(by_row.data() + from[i], from[i + 1] - from[i]), 1.0, m, out.data());
    });
  }
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < a; ++b) total[b * m + a] = total[a * m + b];
  return total;
}

std::unique_ptr<QuadraticModel> quadratic_model(WeightedColumns columns, ModelSlopes slopes, const Run& run) {
  const std::size_t m = slopes.gradient.size();
  FreeBias bias;
  std::vector<double> means(m), curve(m);
  if (slopes.free_bias) bias = {slopes.bias_slope, math::dot(columns.root, columns.root)};
  run.executor.for_each(m, [&](std::size_t i) {
    if (bias.there()) means[i] = columns.dot(i, columns.root);
    const In own(columns.value.data() + columns.begin[i], columns.begin[i + 1] - columns.begin[i]);
    curve[i] = math::dot(own, own);
  });
  for (std::size_t i = 0; i < m; ++i) {
    const double whole = curve[i];
    if (bias.there()) curve[i] -= means[i] * (means[i] / bias.curvature);
    if (!(curve[i] > kNoCurve * whole)) curve[i] = 0.0;
    curve[i] += slopes.ridge[i];
  }
  const bool matrix =
      m <= kMostMatrix && columns.gram_cost() <= kMatrixPasses * 2 * static_cast<double>(columns.entries());
  if (!matrix)
    return std::make_unique<ColumnModel>(std::move(columns), std::move(slopes), std::move(means), std::move(curve),
                                         bias);
  std::vector<double> gram = columns.gram(run);
  for (std::size_t a = 0; a < m; ++a) {
    if (bias.there()) math::axpy(-means[a] / bias.curvature, means, Out(gram).subspan(a * m, m));
    gram[a * m + a] += slopes.ridge[a];
    if (bias.there()) slopes.gradient[a] -= means[a] * (bias.slope / bias.curvature);
  }
  auto model = std::make_unique<MatrixModel>(std::move(gram), std::move(slopes.gradient), std::move(means), bias);
  model->set_curve(std::move(curve));
  return model;
}

std::unique_ptr<QuadraticModel> quadratic_model(std::vector<double> matrix, std::vector<double> gradient) {
  return std::make_unique<MatrixModel>(std::move(matrix), std::move(gradient), std::vector<double>(), FreeBias{});
}

}  // namespace plumb
