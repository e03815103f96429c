// Errors and targets are gathered once, brought near 1 by powers of two, and then summed: squares and fourth powers of
// what is left neither overflow nor vanish, and the units change no bit of a ratio.
#include "plumb/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/unit.h"

namespace plumb {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // 97.5 % of a standard normal lies below

using Predict = std::function<double(const Row&)>;
using MakePredict = std::function<Predict()>;  // one per block, so that each has its own room to work in

struct Judged {
  double error;
  double target;
  double weight;
};

class Rows {
 public:
  Rows(const Examples& examples, const Run& run, const MakePredict& make) : run_(run), blocks_(examples.blocks()) {
    run.for_each(Phase::evaluating, blocks_.size(), [&](std::size_t b) {
      const Predict predict = make();
      examples.block(b).for_each([&](const Example& e) {
        const double error = predict(e.x) - e.target;
        if (!std::isfinite(error))
          throw Error(ErrorCode::data, "the prediction of row " + count_text(e.number + 1) +
                                           ", or its error, is too large for a number");
        if (e.weight > 0) blocks_[b].push_back({error, e.target, e.weight});
      });
    });
    Judged largest{};
    const Judged* first = nullptr;
    for (const std::vector<Judged>& block : blocks_)
      for (const Judged& row : block) {
        if (first == nullptr) {
          first = &row;
          first_target_ = row.target;
        }
        one_target_ = one_target_ && row.target == first->target;
        largest.error = std::max(largest.error, std::abs(row.error));
        largest.target = std::max(largest.target, std::abs(row.target));
        largest.weight = std::max(largest.weight, row.weight);
      }
    error_unit_ = math::unit_of(largest.error);
    target_unit_ = math::unit_of(largest.target);
    weight_unit_ = math::unit_of(largest.weight);
    for (std::vector<Judged>& block : blocks_)
      for (Judged& row : block)
        row = {row.error * error_unit_.scale, row.target * target_unit_.scale, row.weight * weight_unit_.scale};
  }

  int error_exponent() const { return error_unit_.exponent; }
  int target_exponent() const { return target_unit_.exponent; }
  int weight_exponent() const { return weight_unit_.exponent; }
  bool one_target() const { return one_target_; }  // all targets are the same
  double first_target() const { return first_target_; }

  // Weighted sums over rows, in the units above and in the fixed tree. terms(error, target) gives one number for each.
  template <std::size_t n, class Terms>
  std::array<double, n> sums(Terms&& terms) const {
    std::array<double, n> total{};
    run_.executor.reduce(blocks_.size(), std::span<double>(total), [&](std::size_t b, Out out) {
      for (const Judged& row : blocks_[b]) {
        const std::array<double, n> each = terms(row.error, row.target);
        for (std::size_t i = 0; i < n; ++i) out[i] += row.weight * each[i];
      }
    });
    return total;
  }

 private:
  const Run& run_;
  std::vector<std::vector<Judged>> blocks_;
  bool one_target_ = true;
  double first_target_ = 0.0;
  math::Unit error_unit_;
  math::Unit target_unit_;
  math::Unit weight_unit_;
};

std::vector<Metric> metrics(const Examples& examples, const Run& run, const MakePredict& make, bool with_intervals) {
  const Rows rows(examples, run, make);
  const auto first = rows.sums<4>([](double e, double y) { return std::array<double, 4>{1.0, e * e, std::abs(e), y}; });
  const double weight = first[0];
  if (!(weight > 0)) return {};
  const double mse = first[1] / weight, mae = first[2] / weight, mean = first[3] / weight;
  const double variance =
      rows.sums<1>([&](double, double y) { return std::array<double, 1>{(y - mean) * (y - mean)}; })[0] / weight;
  // 1 - A / B with A = mean e^2, B = mean (y - mean)^2: each row moves A / B by about (e^2 - A / B (y - mean)^2) / B.
  // With A and B in units of their own, the row's part in units of A / B is e^2 / A - (y - mean)^2 / B.
  const auto squares = rows.sums<3>([&](double e, double y) {
    const double of_mse = e * e - mse, of_mae = std::abs(e) - mae;
    const double of_ratio = mse > 0 && variance > 0 ? e * e / mse - (y - mean) * (y - mean) / variance : 0.0;
    return std::array<double, 3>{of_mse * of_mse, of_mae * of_mae, of_ratio * of_ratio};
  });

  // A weight of k counts as k rows, here as in training.
  const double copies = std::ldexp(weight, rows.weight_exponent());
  const bool intervals = with_intervals && copies > 1;
  const auto half_width = [&](double sum) { return kNormal95 * std::sqrt(sum / weight / (copies - 1)); };
  const auto in_units = [&](double number) { return std::ldexp(number, rows.error_exponent()); };
  std::vector<Metric> found;
  found.push_back({"rmse", in_units(std::sqrt(mse)), {}, {}});
  found.push_back({"mae", in_units(mae), {}, {}});
  if (intervals) {
    found[0].low = in_units(std::sqrt(std::max(0.0, mse - half_width(squares[0]))));
    found[0].high = in_units(std::sqrt(mse + half_width(squares[0])));
    found[1].low = in_units(std::max(0.0, mae - half_width(squares[1])));
    found[1].high = in_units(mae + half_width(squares[1]));
  }
  if (!rows.one_target() && variance > 0) {
    const double ratio = std::ldexp(mse / variance, 2 * (rows.error_exponent() - rows.target_exponent()));
    const double by = ratio * half_width(squares[2]);
    if (std::isfinite(ratio)) {
      found.push_back({"r2", 1 - ratio, {}, {}});
      if (intervals && std::isfinite(by)) {
        found.back().low = 1 - ratio - by;
        found.back().high = std::min(1.0, 1 - ratio + by);
      }
    }
  }
  return found;
}

MakePredict always(double value) {
  return [value]() -> Predict { return [value](const Row&) { return value; }; };
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
  return metrics(examples, run, always(value), false);
}

double mean_target(const Examples& examples, const Run& run) {
  const Rows rows(examples, run, always(0.0));
  const auto total = rows.sums<2>([](double, double y) { return std::array<double, 2>{1.0, y}; });
  if (rows.one_target()) return rows.first_target();  // not what is left of it after a sum and a division
  return total[0] > 0 ? std::ldexp(total[1] / total[0], rows.target_exponent()) : 0.0;
}

}  // namespace plumb
