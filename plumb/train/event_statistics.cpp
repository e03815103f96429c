#include "plumb/train/event_statistics.h"

#include <cmath>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/dense.h"

namespace plumb {
namespace {

using math::DoubleDouble;
using math::TripleDouble;

constexpr double kRounding = 1e-6;  // how far subtracting rows may go below 0

void add(Record& record, std::string name, std::vector<std::uint64_t> shape, std::vector<double> values) {
  if (!values.empty()) record.statistics.push_back({std::move(name), std::move(shape), std::move(values)});
}

std::vector<double> flat(const std::vector<TripleDouble>& numbers) {
  std::vector<double> parts;
  parts.reserve(3 * numbers.size());
  for (const TripleDouble& each : numbers) parts.insert(parts.end(), {each.high, each.middle, each.low});
  return parts;
}

// A stored list of that many numbers.
const std::vector<double>& kept(const Record& record, const std::string& name, std::size_t size) {
  static const std::vector<double> kNone;
  const Statistic* const found = find_statistic(record, name);
  if (found == nullptr && size == 0) return kNone;
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (values == nullptr || values->size() != size)
    throw Error(ErrorCode::model, "the statistic " + name + " is not there, or has another size than the model",
                "plumb train ... -m naive-bayes --keep-statistics keeps its statistics");
  return *values;
}

std::vector<TripleDouble> kept_sums(const Record& record, const std::string& name, std::size_t size) {
  const std::vector<double>& parts = kept(record, name, 3 * size);
  std::vector<TripleDouble> numbers;
  for (std::size_t i = 0; i < parts.size(); i += 3)
    numbers.push_back(TripleDouble::sum_of(parts[i], parts[i + 1], parts[i + 2]));
  return numbers;
}

}  // namespace

void add_statistics(Record& record, const EventEstimates& estimates, const EventPlan& plan, const EventCounts* counts) {
  const std::uint64_t classes = estimates.classes, gaussians = plan.gaussians.size();
  add(record, "bayes.prior", {classes}, estimates.prior);
  add(record, "bayes.mean", {gaussians, classes}, estimates.mean);
  add(record, "bayes.variance", {gaussians, classes}, estimates.variance);
  add(record, "bayes.centre", {gaussians}, estimates.centre);
  if (classes == 2) {  // one hyperplane is the difference of two: the first of them, bias and weights
    std::vector<double> reference = {static_cast<double>(estimates.bias[0])};
    reference.insert(reference.end(), estimates.weights.begin(), estimates.weights.begin() + estimates.features);
    add(record, "bayes.reference", {std::uint64_t{estimates.features} + 1}, std::move(reference));
    // ... and its vetoes: features and counts, the first of them for every row.
    if (!estimates.vetoes[0].empty() || !estimates.vetoes[1].empty() || estimates.veto_base[0] != 0 ||
        estimates.veto_base[1] != 0) {
      std::vector<std::int64_t> vetoes = {estimates.features, estimates.veto_base[0]};
      for (const auto& [feature, count] : estimates.vetoes[0]) {
        vetoes.push_back(feature);
        vetoes.push_back(count);
      }
      record.statistics.push_back({"bayes.reference_vetoes", {vetoes.size() / 2, 2}, std::move(vetoes)});
    }
  }
  if (counts == nullptr) return;
  add(record, "counts.weight", {classes}, counts->weights());
  // For fractional weights, the rounding errors of their sums.
  std::vector<double> low;
  for (const DoubleDouble each : counts->weight) low.push_back(each.low);
  if (!math::is_zero(low)) add(record, "counts.weight_low", {classes}, std::move(low));
  add(record, "counts.sums", {counts->sums.size() / classes, classes}, counts->sums);
  add(record, "counts.first", {gaussians, classes, 3}, flat(counts->first));
  add(record, "counts.second", {gaussians, classes, 3}, flat(counts->second));
}

std::optional<EventCounts> kept_counts(const Record& record, const EventPlan& plan, std::size_t classes) {
  if (find_statistic(record, "counts.weight") == nullptr) return {};
  EventCounts counts(plan, classes);
  counts.rows = record.train_rows;
  const std::vector<double>& weight = kept(record, "counts.weight", classes);
  const std::vector<double> whole(classes);
  const bool rounded = find_statistic(record, "counts.weight_low") != nullptr;
  const std::vector<double>& low = rounded ? kept(record, "counts.weight_low", classes) : whole;
  for (std::size_t k = 0; k < classes; ++k) counts.weight[k] = math::two_sum(weight[k], low[k]);
  counts.sums = kept(record, "counts.sums", counts.sums.size());
  counts.first = kept_sums(record, "counts.first", counts.first.size());
  counts.second = kept_sums(record, "counts.second", counts.second.size());
  const auto expect_counts = [](const std::string& name, const std::vector<double>& values) {
    for (const double value : values)
      if (value < -kRounding)
        throw Error(ErrorCode::model,
                    "the statistic " + name + " holds " + number_text(value) + "; a count is not negative");
  };
  expect_counts("counts.weight", counts.weights());
  expect_counts("counts.sums", counts.sums);
  return counts;
}

}  // namespace plumb
