#include "plumb/solver/stochastic.h"

#include <algorithm>
#include <cmath>

#include "plumb/solver/certifier.h"
#include "plumb/solver/online.h"

namespace plumb {
namespace {

// Told by its slope at a score of 0: the solver sees no names.
Loss online_loss(const RowLoss& loss) {
  if (loss.outputs() > 1 || loss.probabilistic()) return Loss::logistic;
  const double z[] = {0.0}, y[] = {1.0}, s[] = {1.0};
  double slope[1], curve[1];
  loss.value(z, y, s, slope, curve);
  return slope[0] == -1.0 ? Loss::hinge : Loss::squared_hinge;
}

}  // namespace

// The penalty of the sum is shared out: each of n rows has l2 / n. The rate falls as 1 / (1 + rate (l2 / n) t), which
// is Bottou's; without one given it starts where a step can do no harm, at 1 / (largest |x|^2 / 4 + l2 / n).
Solution minimise_by_sgd(Objective& f, std::vector<double> start, const SolverOptions& options) {
  const DesignMatrix& x = f.matrix();
  const std::size_t p = x.columns() - (x.bias() ? 1 : 0), k = f.outputs();
  double largest = 0.0, l2 = 0.0;
  for (std::size_t j = 0; j < p; ++j) l2 = std::max(l2, std::ldexp(f.ridge()[j], 2 * x.exponent(j)));
  std::vector<double> values;
  const auto plain = [&](std::size_t i) {  // the row in the units of its features, without the bias
    Row row = x.row(i);
    const std::size_t count = row.value.size() - (x.bias() ? 1 : 0);
    values.resize(count);
    for (std::size_t e = 0; e < count; ++e)
      values[e] = std::ldexp(row.value[e], x.exponent(row.index.empty() ? e : row.index[e]));
    if (!row.index.empty()) row.index = row.index.first(count);
    row.value = values;
    return row;
  };
  for (std::size_t i = 0; i < x.rows(); ++i) {
    double squares = x.bias() ? 1.0 : 0.0;
    for (const double value : plain(i).value) squares += value * value;
    largest = std::max(largest, squares * x.weights()[i]);
  }
  OnlineRule rule;
  rule.update = Update::loss;
  rule.loss = online_loss(f.loss());
  rule.l2 = l2 / f.total_weight();
  rule.rate = options.rate > 0.0 ? options.rate : 1.0 / (largest / 4 + rule.l2);
  rule.decay = rule.rate * rule.l2;
  rule.bias = x.bias();
  rule.average = true;
  OnlineLearner learner(rule, static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(k));
  Planes first;
  first.planes = static_cast<std::uint32_t>(k);
  first.weights.resize(p * k);
  first.bias.assign(k, 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < p; ++j)
      first.weights[j * k + c] = std::ldexp(start[c * x.columns() + j], -x.exponent(j));
    if (x.bias()) first.bias[c] = start[c * x.columns() + p];
  }
  learner.start(std::move(first));

  Solution result;
  Certifier certifier(f, options.tolerance);
  const auto visit = [&](const Planes& planes) {
    std::vector<double> w(f.size());
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t j = 0; j < p; ++j) w[c * x.columns() + j] = std::ldexp(planes.weights[j * k + c], x.exponent(j));
      if (x.bias()) w[c * x.columns() + p] = planes.bias[c];
    }
    return f.at(std::move(w));
  };
  result.gap = kInfinity;
  result.point = f.at(std::move(start));
  for (;; ++result.iterations) {
    note_step(f, result, rule.rate);
    if (result.iterations >= options.iterations) break;
    for (const std::uint64_t i : order_of(RowOrder::shuffled, 0, x.rows(), f.run().random, result.iterations)) {
      const double target = k == 1 ? (x.targets()[i] == 0.0 ? -1.0 : 1.0) : x.targets()[i];
      learner.learn(plain(i), target, x.weights()[i]);
    }
    learner.expect_finite();
    f.run().report(Phase::fitting, result.iterations, options.iterations);
    f.count_passes(2);
    if (result.iterations == 0) learner.forget_average();
    result.point = visit(result.iterations == 0 ? learner.weights() : learner.average());
  }
  result.gap = certifier.gap(result.point);
  result.why =
      result.gap <= options.tolerance * result.point.value ? StopReason::converged : StopReason::iteration_limit;
  return result;
}

}  // namespace plumb
