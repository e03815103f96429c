#include "plumb/report/posterior_plots.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/square.h"
#include "plumb/math/special.h"
#include "plumb/report/class_plots.h"
#include "plumb/train/bayes_tables.h"

namespace plumb {
namespace {

constexpr Paint kPosteriorPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple};
constexpr std::size_t kMostGroups = 12;
constexpr std::size_t kLeastInGroup = 10;
constexpr int kPosteriorPlaces = 200;              // of a curve
constexpr std::size_t kMostLines = 4;              // labels with distinct paints
constexpr double kFloor = -0.02, kCeiling = 1.02;  // of probabilities, so that dots at 0 and 1 are fully visible

struct Seen {
  std::vector<double> x, score, weight;
  std::vector<std::size_t> label;
};

Seen seen_of(const LinearModel& model, const Examples& rows) {
  Seen seen;
  Predictor predictor(model);
  for (std::size_t b = 0; b < rows.blocks(); ++b)
    rows.block(b).for_each([&](const Example& example) {
      const auto label = static_cast<std::size_t>(example.target);
      if (example.weight == 0.0 || label >= model.parts().labels.size()) return;
      predictor.predict(example.x);
      seen.x.push_back(example.x.value.empty() ? 0.0 : example.x.value[0]);
      seen.score.push_back(predictor.scores()[0]);
      seen.weight.push_back(example.weight);
      seen.label.push_back(label);
    });
  return seen;
}

// From the smallest to the largest of the numbers; a curve does not go on where there are no rows.
std::vector<double> grid_of(const std::vector<double>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const double room = *high > *low ? 0.0 : 1e-9 * std::max(1.0, std::abs(*high));
  std::vector<double> grid;
  for (int k = 0; k <= kPosteriorPlaces; ++k)
    grid.push_back(*low - room + (*high - *low + 2 * room) * k / kPosteriorPlaces);
  return grid;
}

Points shares_of(const Seen& seen, const std::vector<double>& along, std::size_t label, Paint paint) {
  std::vector<double> is;
  for (const std::size_t each : seen.label) is.push_back(each == label ? 1.0 : 0.0);
  ObservedShares shares = observed_shares(along, is, seen.weight);
  return {std::move(shares.at), std::move(shares.share), "", paint};
}

Panel posterior_panel(const LinearModel& model, const std::string& target, const Seen& seen,
                      const PlotColumns& column) {
  const std::vector<std::string>& labels = model.parts().labels;
  Panel panel;
  panel.title = "Probability of each label";
  panel.notes.push_back("dots: share of the label among rows of about that value");
  panel.x = {.title = model.parts().map.name(0)};
  panel.y = {.title = "probability of " + target, .low = kFloor, .high = kCeiling};
  const std::vector<double> grid = grid_of(seen.x);
  std::vector<std::vector<double>> probability(labels.size());
  Predictor predictor(model);
  for (const double x : grid) {
    predictor.predict({{}, column.row(x)});
    for (std::size_t k = 0; k < labels.size(); ++k) probability[k].push_back(predictor.probabilities()[k]);
  }
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const Paint paint = k < kMostLines ? kPosteriorPaints[k] : Paint::grey;
    panel.marks.push_back(Line{grid, probability[k], labels[k], paint});
    if (k < kMostLines) panel.marks.push_back(shares_of(seen, seen.x, k, paint));
  }
  return panel;
}

// For two labels: s -> 1 / (1 + e^-s).
Panel sigmoid_panel(const LinearModel& model, const Seen& seen) {
  Panel panel;
  panel.title = "Score and probability";
  panel.notes.push_back("dots: share of " + model.parts().labels[1] + " among rows of about that score");
  panel.x = {.title = "score: log-odds of " + model.parts().labels[1]};
  panel.y = {.title = "probability of " + model.parts().labels[1], .low = kFloor, .high = kCeiling};
  Line sigmoid{grid_of(seen.score), {}, "1 / (1 + e^-score)", Paint::vermilion};
  const Calibration& calibration = model.parts().calibration;
  if (!calibration.none()) sigmoid.name = "calibrated";
  for (const double score : sigmoid.x) sigmoid.y.push_back(math::sigmoid(calibration.log_odds(score)));
  panel.marks.push_back(std::move(sigmoid));
  panel.marks.push_back(shares_of(seen, seen.score, 1, Paint::vermilion));
  return panel;
}

}  // namespace

ObservedShares observed_shares(const std::vector<double>& number, const std::vector<double>& is,
                               const std::vector<double>& weight) {
  std::vector<std::size_t> order(number.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return number[a] < number[b]; });
  const std::size_t groups = std::clamp<std::size_t>(number.size() / kLeastInGroup, 1, kMostGroups);
  ObservedShares shares;
  for (std::size_t g = 0; g < groups; ++g) {
    double total = 0.0, sum = 0.0, own = 0.0;
    for (std::size_t t = order.size() * g / groups; t < order.size() * (g + 1) / groups; ++t) {
      const double w = weight[order[t]];
      total += w;
      sum += w * number[order[t]];
      own += w * is[order[t]];
    }
    if (!(total > 0.0)) continue;
    shares.at.push_back(sum / total);
    shares.share.push_back(own / total);
  }
  return shares;
}

std::vector<double> PlotColumns::row(double first, double second) const {
  std::vector<double> row(features);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double value = c == 0 ? first : second;
    row[columns[c].feature] = value;
    if (columns[c].centre) row[columns[c].feature + 1] = (value - *columns[c].centre) * (value - *columns[c].centre);
  }
  return row;
}

std::optional<PlotColumns> plot_columns(const LinearModel& model) {
  const FeatureMap& map = model.parts().map;
  const std::vector<Term>& terms = map.parts().terms;
  PlotColumns found{{}, model.features()};
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const EntriesTerm* const entries = std::get_if<EntriesTerm>(&terms[t]);
    if (entries != nullptr && entries->form == EntryForm::with_square) return {};
    const std::optional<double> centre =
        t + 1 < terms.size() ? centre_of_square(terms[t], terms[t + 1], map.parts().inputs) : std::nullopt;
    for (std::uint32_t j = map.first_feature(t); j < map.first_feature(t + 1); ++j)
      found.columns.push_back({j, centre});
    if (centre) ++t;
  }
  return found;
}

std::optional<Panel> density_panel(const SavedModel& saved, const Examples& rows) {
  const std::optional<BayesTables> tables = bayes_tables(saved);
  if (!tables || tables->plan.gaussians.size() != 1 || !tables->plan.groups.empty()) return {};
  const Seen seen = seen_of(saved.model, rows);
  if (seen.x.empty()) return {};
  Panel panel;
  panel.title = "Density of each label";
  panel.notes.push_back("class density along " + saved.model.parts().map.name(0) +
                        " times its prior: the posterior probability is its share of the sum");
  panel.x = {.title = saved.model.parts().map.name(0)};
  panel.y = {.title = "density", .low = 0.0};
  const std::vector<double> grid = grid_of(seen.x);
  const std::size_t labels = tables->labels.size();
  for (std::size_t k = 0; k < labels; ++k) {
    const double mean = tables->mean[k], variance = tables->variance[k];
    Line line{grid, {}, tables->labels[k], k < kMostLines ? kPosteriorPaints[k] : Paint::grey};
    for (const double x : grid)
      line.y.push_back(tables->prior[k] * math::exp(-(x - mean) * (x - mean) / (2.0 * variance)) /
                       std::sqrt(2.0 * std::numbers::pi * variance));
    panel.marks.push_back(std::move(line));
  }
  return panel;
}

std::optional<Figure> posterior_figure(const LinearModel& model, const std::string& target, const Examples& rows) {
  const Link link = model.parts().link;
  std::optional<PlotColumns> one = plot_columns(model);
  if (one && one->columns.size() != 1) one.reset();
  const bool two = model.parts().labels.size() == 2 && link == Link::logistic;
  if ((link != Link::logistic && link != Link::softmax) || model.has_vetoes() || !(one || two)) return {};
  const Seen seen = seen_of(model, rows);
  if (seen.x.empty()) return {};
  Figure figure;
  figure.title =
      target + (one ? " from " + model.parts().map.name(0) : " from " + counted(model.features(), "feature"));
  figure.subtitle = counted(seen.x.size(), "row");
  if (one) figure.panels.push_back(posterior_panel(model, target, seen, *one));
  if (two) figure.panels.push_back(sigmoid_panel(model, seen));
  return figure;
}

}  // namespace plumb
