// Notation: n the sum of the weights, k the rank, l the log-likelihood.
#include "plumb/infer/likelihood_inference.h"

#include <cmath>
#include <optional>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/infer/full_inference.h"
#include "plumb/infer/interval.h"
#include "plumb/infer/robust_errors.h"
#include "plumb/math/distributions.h"
#include "plumb/math/special.h"
#include "plumb/objective/row_loss.h"
#include "plumb/train/firth.h"

namespace plumb {
namespace {

// What deviances need of the rows: targets and weights, and their offsets if there is one.
struct Rows {
  std::vector<double> target, weight, offset;
  double total = 0.0;

  Rows(const Examples& examples, std::optional<std::uint32_t> offset_feature) {
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& e) {
        if (!(e.weight > 0.0)) return;
        target.push_back(e.target);
        weight.push_back(e.weight);
        total += e.weight;
        if (offset_feature) offset.push_back(value_of(e.x, *offset_feature));
      });
  }

 private:
  static double value_of(const Row& x, std::uint32_t feature) {
    if (x.dense()) return x.value[feature];
    for (std::size_t k = 0; k < x.index.size(); ++k)
      if (x.index[k] == feature) return x.value[k];
    return 0.0;
  }
};

// sum_k n_k log(n / n_k): the loss of predicting the shares of the labels.
double loss_of_shares(const Rows& rows, std::size_t labels) {
  std::vector<double> weight(labels);
  for (std::size_t i = 0; i < rows.target.size(); ++i)
    weight[static_cast<std::size_t>(rows.target[i])] += rows.weight[i];
  double loss = 0.0;
  for (const double each : weight)
    if (each > 0.0) loss += each * math::log(rows.total / each);
  return loss;
}

// The least loss of one score plus the offsets; or of the offsets alone. Newton's method with halved steps: the loss
// is convex in the bias.
double loss_of_bias(const Rows& rows, const RowLoss& loss, bool bias) {
  constexpr int kMostSteps = 200;
  const std::size_t n = rows.target.size();
  std::vector<double> z(n), slope(n), curve(n), diagonal(n);
  const auto at = [&](double b) {
    for (std::size_t i = 0; i < n; ++i) z[i] = b + (rows.offset.empty() ? 0.0 : rows.offset[i]);
    return loss.value(z, rows.target, rows.weight, slope, curve);
  };
  double b = 0.0;
  if (bias && rows.offset.empty()) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += rows.weight[i] * rows.target[i];
    b = loss.first_score(sum / rows.total);
  }
  double value = at(b);
  for (int steps = 0; bias && steps < kMostSteps; ++steps) {
    loss.diagonal(curve, rows.weight, diagonal);
    double g = 0.0, h = 0.0;
    for (std::size_t i = 0; i < n; ++i) g += slope[i], h += diagonal[i];
    if (!(h > 0.0)) break;
    double step = -g / h;
    while (std::abs(step) > 1e-15 * (1.0 + std::abs(b)) && !(at(b + step) <= value)) step /= 2;
    if (!(std::abs(step) > 1e-15 * (1.0 + std::abs(b)))) break;
    b += step;
    value = at(b);
  }
  return value;
}

class LikelihoodInference {
 public:
  LikelihoodInference(Trained& fit, const Examples& examples)
      : fit_(fit),
        record_(fit.record),
        curvature_(*fit.curvature),
        rows_(examples, fit.model.parts().map.offset()),
        k_(static_cast<double>(curvature_.factor.rank())) {}

  void add() {
    add_deviances();
    add_errors();
    if (curvature_.outputs == 1 && curvature_.features <= kMostKeptFeatures) keep_basis(record_, curvature_.basis());
  }

 private:
  void put(const char* name, double value) {
    if (std::isfinite(value)) record_.fit.emplace_back(name, value);
  }

  // The saturated model predicts every row: its log-likelihood is 0 for labels, and for counts that of means equal to
  // them.
  double saturated() const {
    double sum = 0.0;
    if (curvature_.loss->numbers())
      for (std::size_t i = 0; i < rows_.target.size(); ++i)
        sum += rows_.weight[i] * math::log_poisson_at_mean(rows_.target[i]);
    return sum;
  }

  void add_deviances() {
    const double* const loss = find_number(record_, "training_loss");
    if (loss == nullptr) return;
    const double n = rows_.total, outputs = static_cast<double>(curvature_.outputs);
    const double constant = curvature_.bias ? outputs : 0.0;
    const std::optional<double> none = null_loss();
    if (none) {
      put(kNullDeviance, 2 * *none);
      put(kNullFreedom, n * outputs - constant);
    }
    put(kResidualDeviance, 2 * *loss);
    put(kResidualFreedom, n * outputs - k_);
    put("rank", k_);
    const bool firth = find_number(record_, kFirthLikelihood) != nullptr;
    if (none && k_ > constant && !firth) {
      const double ratio = std::max(0.0, 2 * (*none - *loss));
      put("likelihood_ratio", ratio);
      put("likelihood_ratio_degrees", k_ - constant);
      put("likelihood_ratio_p", math::ChiSquare{k_ - constant}.upper(ratio));
    }
    const double at_best = saturated(), log_likelihood = at_best - *loss;
    put("log_likelihood", log_likelihood);
    if (firth) return;  // the criteria are of the largest likelihood
    put("aic", 2 * k_ - 2 * log_likelihood);
    put("bic", math::log(n) * k_ - 2 * log_likelihood);
    if (none && at_best != *none) put("mcfadden_r_squared", (*none - *loss) / (*none - at_best));
  }

  // The loss of the model without features. A softmax with an offset would need a fit of its own.
  std::optional<double> null_loss() const {
    const std::size_t labels = fit_.model.parts().labels.size();
    if (!rows_.offset.empty() && curvature_.outputs > 1) return {};
    if (labels > 0 && rows_.offset.empty())
      return curvature_.bias ? loss_of_shares(rows_, labels) : rows_.total * math::log(static_cast<double>(labels));
    return loss_of_bias(rows_, *curvature_.loss, curvature_.bias);
  }

  // In the shape of the model. A softmax has rows for all labels: those of the reference are 0.
  void add_errors() {
    const Curvature::Errors errors = curvature_.standard_errors();
    const std::size_t p = curvature_.features, rows = fit_.model.rows();
    ModelNumbers& found = record_.standard_errors;
    found = {};
    for (const std::vector<double>* part : {&errors.bias, &errors.weights})
      for (const double each : *part)
        if (!std::isfinite(each)) {
          fit_.warnings.emplace_back(
              "there are no standard errors: one is too large for a number; --scale standard may help");
          return;
        }
    if (curvature_.bias) found.bias.assign(rows, 0.0);
    found.weights.assign(rows * p, 0.0);
    for (std::size_t r = 0, k = 0; r < rows; ++r) {
      if (curvature_.outputs > 1 && r == curvature_.reference) continue;
      if (curvature_.bias) found.bias[r] = errors.bias[k];
      for (std::size_t j = 0; j < p; ++j) found.weights[r * p + j] = errors.weights[k * p + j];
      ++k;
    }
    if (curvature_.reference) put("reference", static_cast<double>(*curvature_.reference));
  }

  Trained& fit_;
  Record& record_;
  const Curvature& curvature_;
  Rows rows_;
  double k_;
};

}  // namespace

void add_likelihood_inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run,
                              const InferenceData& data) {
  LikelihoodInference(fit, examples).add();
  const bool firth = find_number(fit.record, kFirthLikelihood) != nullptr;
  if (options.errors.robust() || !options.cluster.empty()) {
    if (firth)
      throw Error(ErrorCode::usage,
                  "--firth has the errors of its likelihood, and --errors or --cluster asks for others",
                  "leave out --firth");
    Refits refits(fit, examples, false, run);
    return make_likelihood_errors_robust(fit, refits, examples, options, data.clusters);
  }
  const bool full = options.inference == InferenceAmount::full;
  if (full) return add_full_inference(fit, examples, true, run);
  if (!firth || options.inference == InferenceAmount::wald) return;
  if (profile_work(fit, examples) <= kMostProfileWork) return add_full_inference(fit, examples, false, run);
  fit.warnings.emplace_back(
      "the intervals are weight -+ 1.96 standard errors, because profile intervals take minutes here; "
      "--inference full computes them");
}

}  // namespace plumb
