#include "plumb/infer/full_inference.h"

#include <cmath>
#include <utility>
#include <vector>

#include "plumb/infer/likelihood_inference.h"
#include "plumb/infer/model_terms.h"
#include "plumb/infer/refits.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/distributions.h"
#include "plumb/train/firth.h"

namespace plumb {
namespace {

void add_profiles(Trained& fit, Refits& refits) {
  const double quantile = math::ChiSquare{1}.upper_quantile(1.0 - kIntervalLevel);
  const std::size_t p = refits.features(), rows = fit.model.rows();
  std::vector<double> low(rows * (p + 1)), high = low, ratio = low;
  for (std::size_t r = 0, k = 0; r < rows; ++r) {
    if (refits.outputs() > 1 && r == fit.curvature->reference) continue;
    for (std::size_t j = 0; j <= p; ++j) {
      if (j == p ? !refits.bias() : !refits.free(j)) continue;
      const Refits::Interval found = refits.profile({k, j}, quantile);
      const std::size_t at = r * (p + 1) + j;
      low[at] = std::isfinite(found.low) ? found.low : -kNoEnd;
      high[at] = std::isfinite(found.high) ? found.high : kNoEnd;
      ratio[at] = refits.ratio({k, j});
    }
    ++k;
  }
  const std::vector<std::uint64_t> shape = {rows, p + 1};
  fit.record.statistics.push_back({kProfileLow, shape, std::move(low)});
  fit.record.statistics.push_back({kProfileHigh, shape, std::move(high)});
  fit.record.statistics.push_back({kProfileRatio, shape, std::move(ratio)});
}

void add_terms(Trained& fit, Refits& refits) {
  const std::vector<ModelTerm> terms = model_terms(fit.model.parts().map);
  std::vector<double> degrees, ratio;
  for (const ModelTerm& term : terms) {
    double count = 0.0;
    for (const std::uint32_t j : term.features) count += refits.free(j) ? static_cast<double>(refits.outputs()) : 0.0;
    degrees.push_back(count);
    ratio.push_back(count > 0 ? refits.ratio(term.features, containing(terms, term)) : 0.0);
  }
  const std::vector<std::uint64_t> shape = {terms.size()};
  fit.record.statistics.push_back({kTermDegrees, shape, std::move(degrees)});
  fit.record.statistics.push_back({kTermChiSquare, shape, std::move(ratio)});
}

// Of the penalised likelihood: all features at 0.
void add_ratio_of_model(Trained& fit, Refits& refits) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t j = 0; j < fit.model.features(); ++j)
    if (refits.free(j)) all.push_back(j);
  if (all.empty()) return;
  const double ratio = refits.ratio(all), degrees = static_cast<double>(all.size());
  fit.record.fit.emplace_back("likelihood_ratio", ratio);
  fit.record.fit.emplace_back("likelihood_ratio_degrees", degrees);
  fit.record.fit.emplace_back("likelihood_ratio_p", math::ChiSquare{degrees}.upper(ratio));
}

}  // namespace

double profile_work(const Trained& fit, const Examples& examples) {
  const auto q = static_cast<double>(fit.curvature->factor.size());
  return static_cast<double>(examples.size()) * q * q * q;
}

void add_full_inference(Trained& fit, const Examples& examples, bool terms, const Run& run) {
  const bool firth = find_number(fit.record, kFirthLikelihood) != nullptr;
  Refits refits(fit, examples, firth, run);
  add_profiles(fit, refits);
  if (terms) add_terms(fit, refits);
  if (firth) add_ratio_of_model(fit, refits);
  if (!refits.converged())
    fit.warnings.emplace_back(
        "a refit for the intervals and tests did not reach its optimum; --scale standard may help");
}

}  // namespace plumb
