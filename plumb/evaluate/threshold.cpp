#include "plumb/evaluate/threshold.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr const char* kExpected = "a probability such as 0.3, max-f1, or cost:FP=1,FN=5";

double cost(std::string_view& rest, std::string_view name) {
  if (!rest.starts_with(name)) throw OptionFault{kExpected};
  rest.remove_prefix(name.size());
  const std::size_t end = std::min(rest.find(','), rest.size());
  const ParsedNumber number = parse_number(rest.substr(0, end));
  if (number.fault != NumberFault::none || !(number.value >= 0)) throw OptionFault{kExpected};
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return number.value;
}

}  // namespace

LinearModel ThresholdChoice::applied_to(const SavedModel& saved) const {
  const LinearModel& model = saved.model;
  if (model.parts().link != Link::logistic)
    throw Error(ErrorCode::usage,
                "--threshold needs a model with probabilities for two classes; this one has " +
                    (model.parts().labels.size() > 2 ? std::to_string(model.parts().labels.size()) + " classes"
                                                     : std::string("none")));
  LinearModel::Parts parts = model.parts();
  const std::string* const trained = find_option(saved.record, "threshold");
  if (max_f1 && trained != nullptr && *trained == "max-f1") return model;  // it has that threshold
  const double* const kept = find_number(saved.record, kLargestF1);
  if (max_f1 && (kept == nullptr || !(*kept >= 0.0 && *kept <= 1.0)))
    throw Error(ErrorCode::usage, "the model has no max-f1 threshold: train chooses it with --threshold max-f1",
                "plumb train ... --threshold max-f1");
  parts.threshold = max_f1 ? *kept : *probability;
  return LinearModel(std::move(parts));
}

std::optional<ChosenThreshold> choose_threshold(const ThresholdChoice& choice, const PredictedClasses& rows,
                                                const Calibration& calibration) {
  if (rows.known != 2 || rows.scores.size() != rows.rows()) return {};
  std::vector<double> p;  // as in Predictor, to the last bit
  for (const double score : rows.scores) p.push_back(math::sigmoid(calibration.log_odds(score)));
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  double positive = 0.0, total = 0.0, said = 0.0, right = 0.0;
  for (const std::size_t i : order) {
    positive += rows.actual[i] == 1 ? rows.weight[i] : 0.0;
    total += rows.weight[i];
  }
  if (!(positive > 0.0)) return {};
  const ThresholdChoice::Costs costs = choice.costs.value_or(ThresholdChoice::Costs());
  const auto merit = [&] {  // the larger the better
    return choice.costs ? -(costs.false_positive * (said - right) + costs.false_negative * (positive - right)) / total
                        : 2.0 * right / (said + positive);
  };
  ChosenThreshold found{1.0, {}};
  double best = merit();  // that of never predicting the second label
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (; end < order.size() && p[order[end]] == p[order[begin]]; ++end) {
      said += rows.weight[order[end]];
      right += rows.actual[order[end]] == 1 ? rows.weight[order[end]] : 0.0;
    }
    if (!(merit() > best)) continue;
    best = merit();
    found.probability = p[order[begin]];
  }
  if (choice.costs) found.cost = -best;
  return found;
}

std::optional<double> largest_f1_threshold(const PredictedClasses& rows, const LinearModel& model) {
  if (model.parts().link != Link::logistic) return {};
  const std::optional<ChosenThreshold> found = choose_threshold({{}, true, {}, {}}, rows, model.parts().calibration);
  return found ? std::optional(found->probability) : std::nullopt;
}

ThresholdChoice OptionText<ThresholdChoice>::read(std::string_view text) {
  ThresholdChoice choice{{}, text == "max-f1", std::string(text)};
  if (choice.max_f1) return choice;
  if (text.starts_with("cost:")) {
    std::string_view rest = text.substr(5);
    const double alarm = cost(rest, "FP="), miss = cost(rest, "FN=");
    if (!rest.empty() || !(alarm + miss > 0)) throw OptionFault{kExpected};
    choice.probability = alarm / (alarm + miss);
    choice.costs = {alarm, miss};
    return choice;
  }
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none || !(number.value >= 0 && number.value <= 1)) throw OptionFault{kExpected};
  choice.probability = number.value;
  return choice;
}

}  // namespace plumb
