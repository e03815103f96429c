#include "plumb/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "plumb/base/error.h"

namespace plumb {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // 97.5 % of a standard normal lies below

using Predict = std::function<double(const Row&)>;
using MakePredict = std::function<Predict()>;  // one per block, so that each has its own room to work in

// Sums over rows of a few numbers per row, in the fixed tree.
template <std::size_t n>
std::array<double, n> sums(const Examples& examples, const Run& run, const MakePredict& make,
                           const std::function<std::array<double, n>(double error, double target)>& terms) {
  std::array<double, n> total{};
  run.executor.reduce(examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    const Predict predict = make();
    examples.block(b).for_each([&](const Example& e) {
      const std::array<double, n> each = terms(predict(e.x) - e.target, e.target);
      for (std::size_t i = 0; i < n; ++i) out[i] += e.weight * each[i];
    });
  });
  return total;
}

std::vector<Metric> metrics(const Examples& examples, const Run& run, const MakePredict& make, bool with_intervals) {
  const auto rows = static_cast<double>(examples.size());
  const auto first = sums<5>(examples, run, make, [](double e, double y) {
    return std::array<double, 5>{1.0, e * e, std::abs(e), e * e * e * e, y};
  });
  const double n = first[0];
  if (!(n > 0)) throw Error(ErrorCode::data, "there are no rows to judge by");
  const double mse = first[1] / n, mae = first[2] / n, mean = first[4] / n;
  const auto spread =
      sums<1>(examples, run, make, [&](double, double y) { return std::array<double, 1>{(y - mean) * (y - mean)}; });
  const double variance = spread[0] / n;
  // 1 - A / B with A = mean e^2, B = mean (y - mean)^2: each row moves it by about -e^2 / B + A (y - mean)^2 / B^2.
  const auto moved = sums<2>(examples, run, make, [&](double e, double y) {
    const double by = variance > 0 ? (mse * (y - mean) * (y - mean) / variance - e * e) / variance : 0.0;
    return std::array<double, 2>{by * by, (std::abs(e) - mae) * (std::abs(e) - mae)};
  });

  const bool intervals = with_intervals && rows >= 2;
  const auto half_width = [&](double squares) { return kNormal95 * std::sqrt(squares / n / (rows - 1)); };
  std::vector<Metric> found;
  found.push_back({"rmse", std::sqrt(mse), {}, {}});
  found.push_back({"mae", mae, {}, {}});
  if (intervals) {
    const double of_mse = half_width(std::max(0.0, first[3] - n * mse * mse));
    found[0].low = std::sqrt(std::max(0.0, mse - of_mse));
    found[0].high = std::sqrt(mse + of_mse);
    found[1].low = std::max(0.0, mae - half_width(moved[1]));
    found[1].high = mae + half_width(moved[1]);
  }
  if (variance > 0) {
    const double r2 = 1 - mse / variance;
    found.push_back({"r2", r2, {}, {}});
    if (intervals) {
      found.back().low = r2 - half_width(moved[0]);
      found.back().high = std::min(1.0, r2 + half_width(moved[0]));
    }
  }
  return found;
}

}  // namespace

std::vector<Metric> regression_metrics(const LinearModel& model, const Examples& examples, const Run& run) {
  return metrics(
      examples, run,
      [&]() -> Predict {
        auto predictor = std::make_shared<Predictor>(model);
        return [predictor](const Row& x) { return predictor->predict(x).value; };
      },
      true);
}

std::vector<Metric> constant_metrics(double value, const Examples& examples, const Run& run) {
  return metrics(
      examples, run, [value]() -> Predict { return [value](const Row&) { return value; }; }, false);
}

double mean_target(const Examples& examples, const Run& run) {
  std::array<double, 2> total{};
  run.executor.reduce(examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      out[0] += e.weight;
      out[1] += e.weight * e.target;
    });
  });
  return total[0] > 0 ? total[1] / total[0] : 0.0;
}

}  // namespace plumb
