// With A the information, or X'SX, and m_i the score of a row, its share of the gradient, the covariance is
// A^-1 M A^-1; M is the sum of m_i m_i' over rows, or of the squares of the sums over clusters.
#include "plumb/infer/robust_errors.h"

#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/math/dense.h"
#include "plumb/train/leverages.h"
#include "plumb/train/row_pass.h"

namespace plumb {
namespace {

// Lower triangle of M for rows: s v x x' with v the square of the row's slope of each output, corrected.
std::vector<double> meat_of_rows(Refits& refits, Errors errors) {
  const DesignMatrix& x = refits.matrix();
  const Objective::Point& point = refits.best().point;
  const std::size_t k = refits.outputs(), p = x.columns(), q = k * p;
  std::vector<double> room(x.rows(), 1.0);
  if (errors == Errors::hc2 || errors == Errors::hc3) {
    const std::vector<double> distance = row_distances(x, refits.factor().packed_root(), refits.run());
    std::vector<double> curvature(x.rows());
    refits.loss().diagonal(point.curve, x.weights(), curvature);
    for (std::size_t i = 0; i < room.size(); ++i) {
      const double left = 1.0 - distance[i] * curvature[i] / x.weights()[i];
      if (left <= kLeverageOne)
        throw Error(ErrorCode::data, "a row has leverage 1: it alone determines a weight, so its residual is always 0",
                    "--errors hc1");
      room[i] = errors == Errors::hc2 ? left : left * left;
    }
  }
  std::vector<double> meat(q * q), d(x.rows());
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = point.slope[i * k + a] * point.slope[i * k + b] / (x.weights()[i] * room[i]);
      const std::vector<double> own = x.gram(d, refits.run());
      for (std::size_t r = 0; r < p; ++r)
        for (std::size_t c = 0; c < p; ++c)
          meat[(a * p + r) * q + b * p + c] = r >= c ? own[r * p + c] : own[c * p + r];
    }
  return meat;
}

std::vector<double> meat_of_clusters(Refits& refits, const Clusters& clusters) {
  const DesignMatrix& x = refits.matrix();
  const Objective::Point& point = refits.best().point;
  const std::size_t k = refits.outputs(), p = x.columns(), q = k * p;
  x.lay_out(refits.run());
  std::vector<double> sums(clusters.count * q);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const Row row = x.row(i);
    for (std::size_t a = 0; a < k; ++a) {
      double* const own = &sums[clusters.of_row[i] * q + a * p];
      const double slope = point.slope[i * k + a];
      for (std::size_t e = 0; e < row.value.size(); ++e)
        own[row.index.empty() ? e : row.index[e]] += slope * row.value[e];
    }
  }
  std::vector<double> meat(q * q);
  for (std::size_t c = 0; c < clusters.count; ++c) {
    const In own = In(sums).subspan(c * q, q);
    for (std::size_t r = 0; r < q; ++r) math::axpy(own[r], own.first(r + 1), Out(meat).subspan(r * q, r + 1));
  }
  return meat;
}

// v'Mv from the lower triangle.
double quadratic(In meat, In v) {
  const std::size_t q = v.size();
  double sum = 0.0;
  for (std::size_t r = 0; r < q; ++r)
    sum += v[r] * (2.0 * math::dot(meat.subspan(r * q, r), v.first(r)) + meat[r * (q + 1)] * v[r]);
  return std::max(0.0, sum);
}

}  // namespace

Clusters::Clusters(const Examples& examples, std::span<const std::uint32_t> of_all) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0.0)) return;
      if (e.number >= of_all.size()) throw Error(ErrorCode::internal, "a row has no cluster");
      of_row.push_back(numbers.emplace(of_all[e.number], static_cast<std::uint32_t>(numbers.size())).first->second);
    });
  count = numbers.size();
  if (count < 2)
    throw Error(ErrorCode::data,
                "the column that --cluster names has one value in the training rows; two or more were expected",
                "leave out --cluster");
}

double Clusters::correction(double copies, double rank) const {
  const auto g = static_cast<double>(count);
  return g / (g - 1.0) * (copies - 1.0) / (copies - rank);
}

void make_likelihood_errors_robust(Trained& fit, Refits& refits, const Examples& examples,
                                   const InferenceOptions& options, std::span<const std::uint32_t> clusters) {
  const bool leverages = options.errors.kind == Errors::hc2 || options.errors.kind == Errors::hc3;
  if (leverages && refits.outputs() > 1)
    throw Error(ErrorCode::usage,
                "--errors hc2 and hc3 need one leverage a row, and a softmax has one for each pair of labels",
                "--errors hc1");
  double copies = 0.0;
  for (const double each : refits.matrix().weights()) copies += each;
  const auto rank = static_cast<double>(refits.factor().rank());
  if (!(copies > rank)) throw Error(ErrorCode::data, "robust errors need more rows than weights", "--errors classic");
  double correction = options.errors.kind == Errors::hc1 ? copies / (copies - rank) : 1.0;
  std::vector<double> meat;
  if (!clusters.empty()) {
    const Clusters own(examples, clusters);
    correction = own.correction(copies, rank);
    fit.record.fit.emplace_back(kClusters, static_cast<double>(own.count));
    meat = meat_of_clusters(refits, own);
  } else {
    meat = meat_of_rows(refits, options.errors.kind);
  }
  ModelNumbers& errors = fit.record.standard_errors;
  const std::size_t p = refits.features();
  std::vector<double> pull(refits.outputs() * refits.matrix().columns());
  for (std::size_t r = 0, k = 0; r < fit.model.rows(); ++r) {
    if (refits.outputs() > 1 && r == fit.curvature->reference) continue;
    for (std::size_t j = 0; j <= p; ++j) {
      if (j == p ? !refits.bias() : !refits.free(j)) continue;
      refits.factor().solve(refits.form_of({k, j}), pull);
      const double error = refits.unit_of({k, j}) * std::sqrt(correction * quadratic(meat, pull));
      if (!std::isfinite(error))
        throw Error(ErrorCode::data, "a robust standard error is too large for a number", "--errors classic");
      (j == p ? errors.bias[r] : errors.weights[r * p + j]) = error;
    }
    ++k;
  }
}

// The sums over clusters are taken of t = U^-T z, which rows have already: u = U^-1 t is their influence on the
// weights.
void make_errors_clustered(Trained& fit, const Examples& examples, std::span<const std::uint32_t> of_all) {
  const Basis& basis = basis_of(fit);
  const double *const sd = find_number(fit.record, "residual_sd"), *const freedom =
                                                                       find_number(fit.record, "degrees_of_freedom");
  if (!has_leverages(fit) || sd == nullptr || freedom == nullptr || !(*freedom > 0)) {
    fit.record.standard_errors = {};
    fit.warnings.emplace_back("there are no clustered errors: the fit has no leverages or no degrees of freedom");
    return;
  }
  const Clusters clusters(examples, of_all);
  const std::size_t q = basis.size(), first = basis.bias() ? 1 : 0;
  std::vector<double> sums(clusters.count * q);
  std::size_t at = 0;
  for (std::size_t b = 0; b < examples.blocks() && *sd > 0; ++b)
    for_each_placed(examples.block(b), fit, basis, examples, [&](std::span<const PlacedRow> rows, EightRows& eight) {
      for (std::size_t lane = 0; lane < rows.size(); ++lane) {
        double* const own = &sums[clusters.of_row[at++] * q];
        const double pull = rows[lane].weight * rows[lane].residual / *sd;
        for (std::size_t i = 0; i < q; ++i) own[i] += pull * eight.number(i, lane).high;
      }
    });
  const std::vector<double>& root = basis.parts().root;
  std::vector<double> variance(q);
  for (std::size_t c = 0; c < clusters.count; ++c) {
    double* const u = &sums[c * q];
    for (std::size_t i = q; i-- > 0;) {
      const double* const row = root.data() + basis.row_begin(i);
      for (std::size_t j = i + 1; j < q; ++j) u[i] -= row[j - i] * u[j];
      u[i] = row[0] > 0 ? u[i] / row[0] : 0.0;
    }
    double bias = first == 1 ? u[0] : 0.0;
    for (std::size_t j = 0; j < basis.features(); ++j) {
      variance[first + j] += u[first + j] * u[first + j];
      bias -= basis.parts().centre[j] * u[first + j];
    }
    if (first == 1) variance[0] += bias * bias;
  }
  const double correction =
      clusters.correction(*freedom + static_cast<double>(basis.rank()), static_cast<double>(basis.rank()));
  const auto error = [&](std::size_t i) { return *sd * std::sqrt(correction * variance[i]); };
  ModelNumbers& errors = fit.record.standard_errors;
  if (first == 1) errors.bias = {error(0)};
  errors.weights.resize(basis.features());
  for (std::size_t j = 0; j < basis.features(); ++j) {
    errors.weights[j] = std::ldexp(error(first + j), -static_cast<int>(basis.parts().exponent[j]));
    if (!std::isfinite(errors.weights[j]))
      throw Error(ErrorCode::data, "a clustered standard error is too large for a number", "leave out --cluster");
  }
  fit.record.fit.emplace_back(kClusters, static_cast<double>(clusters.count));
}

}  // namespace plumb
