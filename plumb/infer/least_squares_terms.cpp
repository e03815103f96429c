// Setting the weights of features A to 0 adds w_A' (C_AA)^-1 w_A to the residual sum of squares, C = (X'X)^-1: no refit
// is needed. With S the terms that contain T, the sum of squares of T is that of S and T less that of S.
#include "plumb/infer/least_squares_terms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "plumb/infer/model_terms.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/kernels.h"
#include "plumb/train/basis.h"

namespace plumb {
namespace {

class Covariance {
 public:
  explicit Covariance(const Trained& fit) : fit_(fit), basis_(*fit.basis), first_(basis_.bias() ? 1 : 0) {}

  bool free(std::uint32_t feature) const { return basis_.parts().root[basis_.row_begin(first_ + feature)] > 0.0; }

  // What the residual sum of squares gains if these features get no weight.
  double gain(std::vector<std::uint32_t> features) {
    std::erase_if(features, [&](std::uint32_t j) { return !free(j); });
    if (features.empty()) return 0.0;
    const std::size_t n = features.size();
    std::vector<double> block(n * n), w(n);
    for (std::size_t a = 0; a < n; ++a) {
      w[a] = std::ldexp(fit_.model.parts().weights.dense_values()[features[a]],
                        static_cast<int>(basis_.parts().exponent[features[a]]));
      for (std::size_t b = 0; b <= a; ++b) block[a * n + b] = column(features[b])[first_ + features[a]];
    }
    return math::Cholesky(std::move(block), n, 0.0).inverse_form(w);
  }

 private:
  // C e_j, by the two triangular systems of U'U.
  const std::vector<double>& column(std::uint32_t feature) {
    const auto [found, added] = columns_.try_emplace(feature);
    std::vector<double>& u = found->second;
    if (!added) return u;
    const std::vector<double>& root = basis_.parts().root;
    const std::size_t q = basis_.size();
    u.resize(q);
    u[first_ + feature] = 1.0;
    for (std::size_t i = 0; i < q; ++i) {
      const double* const row = root.data() + basis_.row_begin(i);
      u[i] = row[0] > 0.0 ? u[i] / row[0] : 0.0;
      for (std::size_t j = i + 1; j < q && u[i] != 0.0; ++j) u[j] -= row[j - i] * u[i];
    }
    for (std::size_t i = q; i-- > 0;) {
      const double* const row = root.data() + basis_.row_begin(i);
      for (std::size_t j = i + 1; j < q; ++j) u[i] -= row[j - i] * u[j];
      u[i] = row[0] > 0.0 ? u[i] / row[0] : 0.0;
    }
    return u;
  }

  const Trained& fit_;
  const Basis& basis_;
  std::size_t first_;
  std::map<std::uint32_t, std::vector<double>> columns_;
};

// Between the sorted numbers around it, as R's type 7.
double quantile(std::vector<double>& numbers, double share) {
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(numbers.begin(), at, numbers.end());
  const double rest = place - static_cast<double>(low);
  if (rest == 0.0) return *at;
  return *at + rest * (*std::min_element(at + 1, numbers.end()) - *at);
}

}  // namespace

void add_least_squares_terms(Trained& fit, bool all) {
  const std::vector<ModelTerm> terms = model_terms(fit.model.parts().map);
  Covariance covariance(fit);
  std::vector<double> degrees, squares;
  bool joint = false;
  for (const ModelTerm& term : terms) {
    const auto count =
        std::count_if(term.features.begin(), term.features.end(), [&](std::uint32_t j) { return covariance.free(j); });
    degrees.push_back(static_cast<double>(count));
    joint = joint || count > 1;
  }
  if (terms.empty() || (!all && !joint)) return;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    std::vector<std::uint32_t> more = containing(terms, terms[t]);
    const double without = covariance.gain(more);
    more.insert(more.end(), terms[t].features.begin(), terms[t].features.end());
    std::sort(more.begin(), more.end());
    squares.push_back(degrees[t] > 0 ? std::max(0.0, covariance.gain(more) - without) : 0.0);
  }
  if (!std::all_of(squares.begin(), squares.end(), [](double each) { return std::isfinite(each); })) return;
  const std::vector<std::uint64_t> shape = {terms.size()};
  fit.record.statistics.push_back({kTermDegrees, shape, std::move(degrees)});
  fit.record.statistics.push_back({kTermSquares, shape, std::move(squares)});
}

void add_residual_quantiles(Trained& fit, const Examples& examples, const Run& run) {
  if (examples.size() > kMostQuantileRows) return;
  const math::Kernels& kernels = math::kernels();
  const double* const w = fit.model.parts().weights.dense_values().data();
  const double bias = fit.model.parts().bias[0];
  std::vector<std::vector<double>> parts(examples.blocks());
  run.executor.for_each(parts.size(), [&](std::size_t b) {
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0.0)) return;
      const std::size_t n = e.x.value.size();
      const math::DoubleDouble score =
          bias + (e.x.dense() ? kernels.dot2(e.x.value.data(), w, n)
                              : kernels.sparse_dot2(e.x.index.data(), e.x.value.data(), n, w));
      parts[b].push_back((e.target - score).high);
    });
  });
  std::vector<double> residuals;
  for (const std::vector<double>& part : parts) residuals.insert(residuals.end(), part.begin(), part.end());
  if (residuals.empty()) return;
  std::vector<double> found;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) found.push_back(quantile(residuals, share));
  if (std::all_of(found.begin(), found.end(), [](double each) { return std::isfinite(each); }))
    fit.record.statistics.push_back({kResidualQuantiles, {found.size()}, std::move(found)});
}

}  // namespace plumb
