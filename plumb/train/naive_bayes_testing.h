// For the tests of naive Bayes: a small sheet of columns, learnt and counted in one call, and the posterior multiplied
// in extended precision by its definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/feature/levels.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/event_estimates.h"
#include "plumb/train/naive_bayes.h"

namespace plumb {

struct Sheet {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::vector<std::pair<std::string, std::vector<std::string>>> categories;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> entries;  // of each row; empty: no such column
  std::vector<std::string> target;
  std::vector<double> weight;
  std::map<std::string, std::vector<std::string>> declared = {};

  std::size_t rows() const { return target.size(); }

  static Column category_column(const std::vector<std::string>& values) {
    Column column{Kind::category};
    for (const std::string& value : values) {
      const auto found = std::find(column.levels.begin(), column.levels.end(), value);
      column.codes.push_back(static_cast<std::uint32_t>(found - column.levels.begin()));
      if (found == column.levels.end()) column.levels.push_back(value);
    }
    return column;
  }

  FeaturePlan plan() const {
    FeaturePlan plan;
    for (const auto& [name, values] : numbers) plan.inputs.push_back({name, Kind::number, true});
    for (const auto& [name, values] : categories)
      plan.inputs.push_back(
          {name, Kind::category, true, declared.contains(name) ? declared.at(name) : std::vector<std::string>{}});
    if (!entries.empty()) plan.inputs.push_back({"entries", Kind::sparse, true});
    for (const FeaturePlan::Input& input : plan.inputs) plan.terms.emplace_back(Formula::of_column(input.name));
    plan.target = "y";
    plan.target_kind = Kind::category;
    if (!weight.empty()) plan.weight = "w";
    return plan;
  }

  Tables tables() const {
    Table table;
    table.rows = rows();
    for (const auto& [name, values] : numbers) table.columns.push_back({Kind::number, values});
    for (const auto& [name, values] : categories) table.columns.push_back(category_column(values));
    if (!entries.empty()) {
      Column& column = table.columns.emplace_back();
      column.kind = Kind::sparse;
      for (const auto& row : entries) {
        for (const auto& [index, value] : row) {
          column.entries.index.push_back(index);
          column.entries.value.push(value);
        }
        column.entries.offsets.push_back(column.entries.index.size());
      }
    }
    table.columns.push_back(category_column(target));
    if (!weight.empty()) table.columns.push_back({Kind::number, weight});
    Tables all;
    all.rows = table.rows;
    all.pieces.push_back(std::move(table));
    return all;
  }

  // The sheet without the marked rows.
  Sheet without(const std::vector<bool>& marked) const {
    Sheet rest;
    rest.declared = declared;
    for (const auto& [name, values] : numbers) rest.numbers.emplace_back(name, std::vector<double>());
    for (const auto& [name, values] : categories) rest.categories.emplace_back(name, std::vector<std::string>());
    for (std::size_t r = 0; r < rows(); ++r) {
      if (marked[r]) continue;
      for (std::size_t c = 0; c < numbers.size(); ++c) rest.numbers[c].second.push_back(numbers[c].second[r]);
      for (std::size_t c = 0; c < categories.size(); ++c) rest.categories[c].second.push_back(categories[c].second[r]);
      if (!entries.empty()) rest.entries.push_back(entries[r]);
      rest.target.push_back(target[r]);
      if (!weight.empty()) rest.weight.push_back(weight[r]);
    }
    return rest;
  }
};

struct LearntSheet {
  FeatureMap map;
  Examples examples;
  std::vector<std::string> labels;

  LearntSheet(const Sheet& sheet, const Trainer& trainer) : examples({}, 0) {
    Tables tables = sheet.tables();
    const Learnt learnt = learn_features(tables, sheet.plan(), RowSet(sheet.rows(), true), trainer.wishes());
    Executor executor(1);
    FeatureMap::Unseen unseen;
    map = learnt.map;
    labels = learnt.layout.labels;
    examples = map.apply(std::move(tables), learnt.layout, unseen, plumb::Run{executor});
  }
  Problem problem() const { return {examples, map, labels}; }
};

inline Trained fit_sheet(const Sheet& sheet, NaiveBayesOptions options = {}, unsigned threads = 1) {
  const NaiveBayesTrainer trainer(std::move(options));
  const LearntSheet learnt(sheet, trainer);
  Executor executor(threads);
  return trainer.train(learnt.problem(), plumb::Run{executor});
}

// The probabilities of the rows of a sheet, by a model learnt from any sheet.
inline std::vector<std::vector<double>> probabilities_of(const LinearModel& model, const Sheet& sheet) {
  TableLayout layout;
  for (const FeatureMap::Input& input : model.parts().map.parts().inputs) {
    const std::vector<FeaturePlan::Input> inputs = sheet.plan().inputs;
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&](const auto& each) { return each.name == input.name; });
    layout.inputs.push_back(static_cast<std::size_t>(found - inputs.begin()));
  }
  FeatureMap::Unseen unseen;
  const Piece piece = model.parts().map.apply(sheet.tables().pieces[0], layout, unseen);
  PieceRows rows(piece);
  Predictor predictor(model);
  std::vector<std::vector<double>> found;
  for (std::uint64_t r = 0; r < piece.rows; ++r) {
    predictor.predict(rows.row(r));
    const In probabilities = predictor.probabilities();
    found.emplace_back(probabilities.begin(), probabilities.end());
  }
  return found;
}

// ln P(x, y) of one row, factor by factor in extended precision; -infinity if a factor is 0. `rules` has no file.
class MultipliedOut {
 public:
  using Wide = long double;

  MultipliedOut(const Sheet& sheet, NaiveBayesOptions options) : sheet_(sheet), options_(std::move(options)) {
    labels_ = labels_among({sheet.target.begin(), sheet.target.end()});
    std::sort(labels_.begin(), labels_.end());
    labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
    for (const auto& row : sheet.entries)
      for (const auto& [index, value] : row) names_.insert(index);
  }

  std::vector<Wide> log_joint(const Sheet& from, std::size_t row) {
    std::vector<Wide> logs;
    largest_ = 0;
    for (const std::string& label : labels_) {
      Wide log = 0;
      add(log, (mass(label) + virtual_examples() / static_cast<Wide>(labels_.size())) / (total() + virtual_examples()));
      for (std::size_t c = 0; c < sheet_.numbers.size(); ++c) number(log, label, c, from.numbers[c].second[row]);
      for (std::size_t c = 0; c < sheet_.categories.size(); ++c) level(log, label, c, from.categories[c].second[row]);
      if (!sheet_.entries.empty()) words(log, label, from.entries[row]);
      logs.push_back(log);
    }
    return logs;
  }
  std::vector<Wide> posterior(const Sheet& from, std::size_t row) {
    std::vector<Wide> logs = log_joint(from, row);
    const Wide most = *std::max_element(logs.begin(), logs.end());
    Wide sum = 0;
    for (Wide& each : logs) sum += each = std::exp(each - most);
    for (Wide& each : logs) each /= sum;
    return logs;
  }
  // For the last row: the largest of the added terms.
  double largest_term() const { return static_cast<double>(largest_); }

 private:
  Wide weight(std::size_t r) const { return sheet_.weight.empty() ? 1.0L : static_cast<Wide>(sheet_.weight[r]); }
  Wide total() const {
    Wide sum = 0;
    for (std::size_t r = 0; r < sheet_.rows(); ++r) sum += weight(r);
    return sum;
  }
  Wide mass(const std::string& label) const {
    Wide sum = 0;
    for (std::size_t r = 0; r < sheet_.rows(); ++r)
      if (sheet_.target[r] == label) sum += weight(r);
    return sum;
  }
  Wide virtual_examples() const { return std::max(static_cast<Wide>(options_.virtual_examples), Wide{0}); }
  Wide smoothing(std::size_t outcomes) const {
    return options_.virtual_examples >= 0
               ? options_.virtual_examples / (static_cast<Wide>(labels_.size()) * static_cast<Wide>(outcomes))
               : static_cast<Wide>(options_.smoothing);
  }
  void add(Wide& log, Wide factor) {
    const Wide term = std::log(factor);
    if (std::isfinite(term)) largest_ = std::max(largest_, std::abs(term));
    log += term;
  }

  void number(Wide& log, const std::string& label, std::size_t c, double x) {
    const std::vector<double>& values = sheet_.numbers[c].second;
    if (EventChoices(options_.event).of(sheet_.numbers[c].first, Kind::number) == Event::bernoulli) {
      Wide present = 0;
      for (std::size_t r = 0; r < values.size(); ++r)
        if (sheet_.target[r] == label && values[r] > 0) present += weight(r);
      const Wide a = smoothing(2), p = (present + a) / (mass(label) + 2 * a);
      return add(log, x > 0 ? p : 1 - p);
    }
    Wide largest = 0, variance = 0;
    for (std::size_t other = 0; other < sheet_.numbers.size(); ++other)
      if (EventChoices(options_.event).of(sheet_.numbers[other].first, Kind::number) == Event::gaussian)
        largest = std::max(largest, spread(other, nullptr) / total());
    const bool unbiased = options_.divisor == VarianceDivisor::unbiased;
    const auto count = static_cast<Wide>(sheet_.numbers.size()), classes = static_cast<Wide>(labels_.size());
    const Wide own = mass(label) - (unbiased ? 1 : 0), all = total() - (unbiased ? classes : 0);
    for (std::size_t other = 0; other < sheet_.numbers.size(); ++other) {
      const bool features_share = options_.variance == VarianceOf::class_only || options_.variance == VarianceOf::one;
      if (!features_share && other != c) continue;
      if (needs_squares(options_.variance))
        variance += spread(other, &label) / own;
      else
        for (const std::string& each : labels_) variance += spread(other, &each) / all;
    }
    if (options_.variance == VarianceOf::class_only || options_.variance == VarianceOf::one) variance /= count;
    variance += static_cast<Wide>(options_.variance_add) * largest;
    const Wide off = x - mean(c, &label);
    const Wide term = -0.5L * std::log(2 * std::acos(-1.0L) * variance) - off * off / (2 * variance);
    largest_ = std::max(largest_, std::abs(term));
    log += term;
  }
  Wide mean(std::size_t c, const std::string* label) const {
    Wide sum = 0, whole = 0;
    for (std::size_t r = 0; r < sheet_.rows(); ++r) {
      if (label != nullptr && sheet_.target[r] != *label) continue;
      sum += weight(r) * sheet_.numbers[c].second[r];
      whole += weight(r);
    }
    return sum / whole;
  }
  Wide spread(std::size_t c, const std::string* label) const {
    const Wide about = mean(c, label);
    Wide sum = 0;
    for (std::size_t r = 0; r < sheet_.rows(); ++r)
      if (label == nullptr || sheet_.target[r] == *label)
        sum += weight(r) * (sheet_.numbers[c].second[r] - about) * (sheet_.numbers[c].second[r] - about);
    return sum;
  }

  void level(Wide& log, const std::string& label, std::size_t c, const std::string& x) {
    const auto& [name, values] = sheet_.categories[c];
    std::set<std::string> levels(values.begin(), values.end());
    if (sheet_.declared.contains(name)) levels.insert(sheet_.declared.at(name).begin(), sheet_.declared.at(name).end());
    if (!levels.contains(x)) return;
    const bool bernoulli = EventChoices(options_.event).of(name, Kind::category) == Event::bernoulli;
    const Wide a = smoothing(bernoulli ? 2 : levels.size());
    for (const std::string& level : levels) {
      Wide count = 0;
      for (std::size_t r = 0; r < values.size(); ++r)
        if (sheet_.target[r] == label && values[r] == level) count += weight(r);
      const Wide p = (count + a) / (mass(label) + a * static_cast<Wide>(bernoulli ? 2 : levels.size()));
      if (level == x)
        add(log, p);
      else if (bernoulli)
        add(log, 1 - p);
    }
  }

  void words(Wide& log, const std::string& label, const std::vector<std::pair<std::uint32_t, double>>& row) {
    const Event event = EventChoices(options_.event).of("entries", Kind::sparse);
    const Wide a = smoothing(event == Event::bernoulli ? 2 : names_.size());
    std::map<std::uint32_t, Wide> counts;
    Wide whole = 0;
    for (std::size_t r = 0; r < sheet_.rows(); ++r)
      if (sheet_.target[r] == label)
        for (const auto& [index, value] : sheet_.entries[r]) {
          const Wide count = event == Event::bernoulli ? (value > 0 ? weight(r) : 0) : weight(r) * value;
          counts[index] += count;
          whole += count;
        }
    for (const std::uint32_t name : names_) {
      double value = 0;
      for (const auto& [index, x] : row)
        if (index == name) value = x;
      if (event == Event::bernoulli) {
        const Wide p = (counts[name] + a) / (mass(label) + 2 * a);
        add(log, value > 0 ? p : 1 - p);
      } else if (value > 0) {
        const Wide term = value * std::log((counts[name] + a) / (whole + a * static_cast<Wide>(names_.size())));
        if (std::isfinite(term)) largest_ = std::max(largest_, std::abs(term));
        log += term;
      }
    }
  }

  const Sheet& sheet_;
  NaiveBayesOptions options_;
  std::vector<std::string> labels_;
  std::set<std::uint32_t> names_;
  Wide largest_ = 0;
};

}  // namespace plumb
