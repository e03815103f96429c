#include "plumb/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* otherwise) {
  if (!holds) throw Error(ErrorCode::model, std::string("the model contradicts itself: ") + otherwise);
}

bool finite(In values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// The number of rows of a link for a number of labels.
bool rows_fit(Link link, std::uint64_t rows, std::size_t labels) {
  switch (link) {
    case Link::identity:
    case Link::log: return rows == 1 && labels == 0;
    case Link::logistic: return rows == 1 && labels == 2;
    case Link::sign: return (rows == 1 && labels == 2) || (rows == labels && labels > 2);
    case Link::softmax: return rows == labels && labels >= 2;
    case Link::vote: return rows >= 1 && labels >= 2;
  }
  return false;
}

}  // namespace

std::string_view name_of(Link link) noexcept {
  constexpr std::string_view names[] = {"identity", "sign", "logistic", "softmax", "vote", "log"};
  return names[static_cast<std::size_t>(link)];
}

LinearModel::LinearModel(Parts parts) : parts_(std::move(parts)) {
  const Parts& p = parts_;
  require(p.map.features() == features(), "the feature map and the weights have different numbers of features");
  require(p.bias.size() == rows(), "there is not one bias per row");
  require(rows_fit(p.link, rows(), p.labels.size()), "the link does not fit the numbers of rows and labels");
  require(std::unordered_set<std::string>(p.labels.begin(), p.labels.end()).size() == p.labels.size(),
          "two labels are the same");
  require(p.link == Link::vote ? p.votes.size() == rows() : p.votes.empty(), "votes and link do not fit");
  require(p.weights.chains().empty() == (p.link != Link::vote || p.labels.size() == 2),
          "rows have chains where labels have votes, more than two, and nowhere else");
  require(std::all_of(p.weights.chains().begin(), p.weights.chains().end(),
                      [&](std::uint32_t chain) { return chain < p.labels.size(); }),
          "a row is that of a label which is not there");
  require(finite(p.bias) && finite(p.votes), "a bias or vote is not a finite number");
  require(std::all_of(p.votes.begin(), p.votes.end(), [](double v) { return v >= 0; }), "a vote is negative");
  if (const char* const fault = p.calibration.fault()) require(false, fault);
  require(p.calibration.scores.empty() || p.link == Link::logistic, "a calibration with knots is for two labels");
  require(p.threshold >= 0 && p.threshold <= 1, "the threshold is not between 0 and 1");
  require(!p.target || p.link == Link::identity, "only a number is predicted through a formula");
  if (has_vetoes()) {
    require(!predicts_numbers() && p.link != Link::vote, "this link takes no vetoes");
    p.vetoes.check(rows(), features());
    require(p.veto_base.empty() || p.veto_base.size() == rows(), "there is not one count of vetoes per row");
  } else {
    require(p.vetoes.index.empty() && p.vetoes.values.empty() && p.veto_base.empty(), "vetoes without rows");
  }
}

void LinearModel::scores(const Row& x, Out scores) const noexcept {
  parts_.weights.scores(x, scores);
  for (std::size_t r = 0; r < scores.size(); ++r) scores[r] += parts_.bias[r];
}

LinearModel LinearModel::of_target(const Formula& formula) const {
  Parts parts = parts_;
  parts.target = TargetScale::of(formula);
  return LinearModel(std::move(parts));
}

LinearModel LinearModel::calibrated(const Calibration& calibration) const {
  Parts parts = parts_;
  parts.calibration = calibration;
  if (parts.link == Link::sign) parts.link = parts.labels.size() == 2 ? Link::logistic : Link::softmax;
  return LinearModel(std::move(parts));
}

double LinearModel::value_of(double score) const noexcept {
  if (parts_.link == Link::log) return math::exp(score);
  return parts_.target ? parts_.target->back(score) : score;
}

void LinearModel::vetoes(const Row& x, std::span<std::int64_t> counts) const noexcept {
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const auto index = parts_.vetoes.row_index(r);
    const auto value = parts_.vetoes.row_values(r);
    std::int64_t count = parts_.veto_base.empty() ? 0 : parts_.veto_base[r];
    if (x.dense()) {
      for (std::size_t i = 0; i < index.size(); ++i)
        if (x.value[index[i]] != 0.0) count += value[i];
    } else {
      for (std::size_t i = 0, k = 0; i < index.size() && k < x.index.size();) {
        if (index[i] == x.index[k] && x.value[k] != 0.0) count += value[i];
        const bool step_i = index[i] <= x.index[k], step_k = x.index[k] <= index[i];
        i += step_i;
        k += step_k;
      }
    }
    counts[r] = count;
  }
}

const std::string* row_label(const LinearModel& model, std::uint64_t r) noexcept {
  const std::vector<std::string>& labels = model.parts().labels;
  if (labels.empty()) return nullptr;
  if (model.parts().link == Link::vote) {
    const std::vector<std::uint32_t>& chains = model.parts().weights.chains();
    return chains.empty() ? nullptr : &labels[chains[r]];
  }
  return model.rows() == 1 ? &labels.back() : &labels[r];
}

Predictor::Predictor(const LinearModel& model)
    : model_(model),
      scores_(model.rows()),
      vetoes_(model.has_vetoes() ? model.rows() : 0),
      probabilities_(model.parts().labels.size()),
      tallies_(model.parts().link == Link::vote ? model.parts().labels.size() : 0),
      planes_(tallies_.size() > 2 ? tallies_.size() : 0) {}

RowPrediction Predictor::predict(const Row& x) noexcept {
  model_.scores(x, scores_);
  if (!vetoes_.empty()) model_.vetoes(x, vetoes_);
  if (model_.predicts_numbers()) return {model_.value_of(scores_[0]), 0};
  if (!tallies_.empty()) count_votes();
  return {0.0, decide(vetoes_)};
}

void Predictor::count_votes() noexcept {
  const std::vector<double>& votes = model_.parts().votes;
  std::fill(tallies_.begin(), tallies_.end(), 0.0);
  if (planes_.empty()) {
    for (std::size_t r = 0; r < scores_.size(); ++r) tallies_[scores_[r] >= 0 ? 1 : 0] += votes[r];
    return;
  }
  const std::vector<std::uint32_t>& chains = model_.parts().weights.chains();
  std::fill(planes_.begin(), planes_.end(), 0.0);
  std::size_t best = planes_.size() - 1;  // the last of equals
  for (std::size_t r = 0; r < scores_.size(); ++r) {
    const std::size_t label = chains[r];
    const bool falls = label == best && scores_[r] < planes_[label];
    planes_[label] = scores_[r];
    if (falls) {
      best = 0;
      for (std::size_t k = 1; k < planes_.size(); ++k)
        if (planes_[k] >= planes_[best]) best = k;
    } else if (planes_[label] > planes_[best] || (planes_[label] == planes_[best] && label > best)) {
      best = label;
    }
    tallies_[best] += votes[r];
  }
}

std::size_t Predictor::decide(std::span<const std::int64_t> vetoes) const noexcept {
  const LinearModel::Parts& parts = model_.parts();
  if (tallies_.empty() && scores_.size() == 1) {
    if (!vetoes.empty() && vetoes[0] != 0) return vetoes[0] > 0 && parts.threshold > 0.0 ? 0 : 1;
    if (parts.link == Link::sign || (parts.threshold == 0.5 && parts.calibration.keeps_signs()))
      return scores_[0] >= 0 ? 1 : 0;
    return math::sigmoid(parts.calibration.log_odds(scores_[0])) >= parts.threshold ? 1 : 0;
  }
  const In scores = label_scores();
  std::size_t best = 0;
  for (std::size_t r = 1; r < scores.size(); ++r) {
    if (!vetoes.empty() && vetoes[r] != vetoes[best]) {
      if (vetoes[r] < vetoes[best]) best = r;
    } else if (scores[r] >= scores[best]) {
      best = r;
    }
  }
  return best;
}

bool Predictor::finite() const noexcept { return plumb::finite(scores_); }

double Predictor::log_odds() const noexcept {
  if (!vetoes_.empty() && vetoes_[0] != 0) return vetoes_[0] > 0 ? -kInfinity : kInfinity;
  return model_.parts().calibration.log_odds(scores_[0]);
}

void Predictor::fill_exponents() noexcept {
  const Calibration& calibration = model_.parts().calibration;
  const std::int64_t fewest = vetoes_.empty() ? 0 : *std::min_element(vetoes_.begin(), vetoes_.end());
  const auto open = [&](std::size_t r) { return vetoes_.empty() || vetoes_[r] == fewest; };
  double best =
      0.0;  // a softmax takes scores up to a number that all share; what is bent is the distance from the best
  if (calibration.bend > 0.0) {
    best = -kInfinity;
    for (std::size_t r = 0; r < scores_.size(); ++r)
      if (open(r)) best = std::max(best, scores_[r]);
  }
  for (std::size_t r = 0; r < scores_.size(); ++r)
    probabilities_[r] = open(r) ? calibration.slope * calibration.bent(scores_[r] - best) : -kInfinity;
}

In Predictor::probabilities() noexcept {
  if (model_.parts().link == Link::logistic) {
    const double t = log_odds();
    probabilities_[1] = math::sigmoid(t);
    probabilities_[0] = math::sigmoid(-t);
    return probabilities_;
  }
  fill_exponents();
  math::softmax(probabilities_, probabilities_);
  return probabilities_;
}

double Predictor::log_probability(std::size_t label) noexcept {
  if (model_.parts().link == Link::logistic) return math::log_sigmoid(label == 1 ? log_odds() : -log_odds());
  fill_exponents();
  return probabilities_[label] - math::log_sum_exp(probabilities_);
}

double Predictor::odds(std::size_t label) noexcept {
  if (model_.parts().link == Link::logistic) return math::exp(label == 1 ? log_odds() : -log_odds());
  probabilities();
  double others = 0.0;  // their sum: 1 - p would lose the digits of large odds
  for (std::size_t k = 0; k < probabilities_.size(); ++k)
    if (k != label) others += probabilities_[k];
  return probabilities_[label] / others;
}

double Predictor::decision() const noexcept {
  if (!tallies_.empty()) return tallies_[1] - tallies_[0];
  if (!vetoes_.empty() && vetoes_[0] != 0) return vetoes_[0] > 0 ? -kInfinity : kInfinity;
  return scores_[0];
}

}  // namespace plumb
