#include "plumb/train/event_estimates.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/formula.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr double kLeastSquares = 0x1p-960;      // below, squares lose digits
constexpr double kLog2Pi = 1.8378770664093453;  // ln(2 pi)

class Estimator {
 public:
  Estimator(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
            std::span<const std::string> labels, const EstimateRules& rules)
      : counts_(counts), plan_(plan), map_(map), labels_(labels), rules_(rules), classes_(counts.classes) {
    found_.classes = classes_;
    found_.features = plan.features;
    found_.weights.resize(classes_ * plan.features);
    found_.bias.resize(classes_);
    found_.vetoes.resize(classes_);
    found_.veto_base.resize(classes_);
  }

  EventEstimates run() {
    if (!rules_.virtual_classes.empty()) spread_virtual_examples();
    priors();
    for (const EventGroup& group : plan_.groups) {
      if (group.event == Event::bernoulli)
        presence(group);
      else if (group.event == Event::complement)
        complement(group);
      else
        outcomes(group);
    }
    if (!plan_.gaussians.empty()) gaussians();
    for (auto& each : found_.vetoes) std::sort(each.begin(), each.end());
    if (plan_.has(Event::complement)) found_.log_likelihood = 0.0;
    if (!std::all_of(found_.weights.begin(), found_.weights.end(), [](double w) { return std::isfinite(w); }))
      throw Error(ErrorCode::data, "counts are too large for numbers, which end at 1.8e308", "--smoothing 1");
    return std::move(found_);
  }

 private:
  double virtual_examples() const { return rules_.virtual_examples.value_or(0.0); }
  double& weight_of(std::size_t k, std::uint32_t feature) { return found_.weights[k * plan_.features + feature]; }

  // m Q(value, class) for every outcome and presence: as named, and the rest of the class shared evenly.
  void spread_virtual_examples() {
    if (plan_.has(Event::complement))
      throw Error(ErrorCode::usage, "--virtual-prior says nothing about complements of classes",
                  "--event multinomial, or --virtual-prior uniform");
    virtual_.assign(std::size_t{plan_.features} * classes_, -1.0);
    std::unordered_map<std::string, std::uint32_t> by_name;
    for (const EventGroup& group : plan_.groups)
      for (const EventGroup::Range& range : group.ranges)
        for (std::uint32_t j = range.first; j < range.last && !rules_.virtual_shares.empty(); ++j)
          by_name.emplace(map_.name(j), j);
    for (const VirtualShare& each : rules_.virtual_shares) {
      const auto found = by_name.find(each.feature);
      if (found == by_name.end())
        throw Error(ErrorCode::data,
                    "--virtual-prior names the feature " + in_quotes(each.feature) + ", which is not there",
                    "plumb inspect shows how features are called; --levels declares those that no row has");
      virtual_[found->second * classes_ + each.label] = each.share;
    }
    for (const EventGroup& group : plan_.groups)
      for (std::size_t k = 0; k < classes_; ++k) spread_virtual_examples(group, k);
  }

  void spread_virtual_examples(const EventGroup& group, std::size_t k) {
    const double whole = rules_.virtual_classes[k], m = virtual_examples();
    const bool binary = group.event == Event::bernoulli;
    double left = whole, open = 0.0;
    const auto each = [&](auto&& visit) {
      for (const EventGroup::Range& range : group.ranges)
        for (std::uint32_t j = range.first; j < range.last; ++j) visit(virtual_[j * classes_ + k]);
    };
    each([&](double share) {
      if (share < 0.0) ++open;
      if (share > (binary ? whole : left) + 1e-9)
        throw Error(ErrorCode::data, "--virtual-prior gives the values of " + in_quotes(group.name) +
                                         " more than it gives their class " + in_quotes(labels_[k]));
      if (share > 0.0) left -= share;
    });
    if (!binary && open == 0.0 && left > 1e-6)
      throw Error(ErrorCode::data, "--virtual-prior gives the values of " + in_quotes(group.name) +
                                       " less than it gives " + "their class " + in_quotes(labels_[k]));
    each([&](double& share) { share = m * (share >= 0.0 ? share : binary ? whole / 2 : std::max(left, 0.0) / open); });
  }

  // The number added to the count of entry i = [feature][class]; to the whole class; and `a` if all are equal.
  double added(std::size_t i, double a) const { return virtual_.empty() ? a : virtual_[i]; }
  double added_to_class(std::size_t k, double alike) const {
    return virtual_.empty() ? alike : virtual_examples() * rules_.virtual_classes[k];
  }

  // (N_k + m Q(k)) / (N + m), or as given.
  void priors() {
    const double total = counts_.total_weight(), m = virtual_examples();
    const auto classes = static_cast<double>(classes_);
    found_.uses_prior = plan_.groups.empty() || !plan_.gaussians.empty() ||
                        std::any_of(plan_.groups.begin(), plan_.groups.end(),
                                    [](const EventGroup& group) { return group.event != Event::complement; });
    for (std::size_t k = 0; k < classes_; ++k) {
      const double added = rules_.virtual_classes.empty() ? m / classes : m * rules_.virtual_classes[k];
      const double prior = rules_.prior.empty() ? (counts_.weight_of(k) + added) / (total + m) : rules_.prior[k];
      found_.prior.push_back(prior);
      if (!found_.uses_prior) continue;
      if (prior == 0.0) {
        ++found_.veto_base[k];
        found_.warnings.push_back("class " + in_quotes(labels_[k]) + " has probability 0, so nothing is ever of it");
        found_.impossible = found_.impossible || counts_.weight_of(k) > 0.0;
      } else {
        found_.bias[k] += math::log(prior);
        found_.log_likelihood += counts_.weight_of(k) * math::log(prior);
      }
    }
  }

  // Added to each of that many outcomes.
  double smoothing(double outcomes) const {
    if (!rules_.virtual_examples) return rules_.smoothing;
    return *rules_.virtual_examples / (static_cast<double>(classes_) * outcomes);
  }

  // The ranges of a group in parts whose logarithms fit in the nearer caches.
  static std::vector<EventGroup::Range> parts_of(const EventGroup& group) {
    constexpr std::uint32_t most = 1024;
    std::vector<EventGroup::Range> parts;
    for (EventGroup::Range rest : group.ranges)
      for (; rest.first < rest.last; rest.first = parts.back().last)
        parts.push_back({rest.first, rest.first + std::min(most, rest.last - rest.first)});
    return parts;
  }

  // The sums of a range, [feature][class], and the logarithms of their probabilities.
  template <class Make>
  void logs_of(const EventGroup::Range& range, Make&& make, std::vector<double>& values) const {
    const std::size_t begin = range.first * classes_, end = range.last * classes_;
    values.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) values[i - begin] = make(counts_.sums[i], i);
    math::log(values, values);
  }

  // Equal shares have equal logarithms: a quotient is rounded once, whatever the counts, so that a feature that is as
  // frequent in one class as in another has the same weight in both.
  static double share_of(double part, double whole) { return part > 0.0 ? part / whole : 0.0; }
  // For a quotient so small or large that digits, or all of it, were lost.
  static double log_of_share(double log_share, double part, double whole) {
    constexpr double kMost = 690.0;
    if (!(part > 0.0) || std::abs(log_share) <= kMost) return log_share;
    return math::log(part) - math::log(whole);
  }

  std::vector<double> sums_by_class(const EventGroup& group) const {
    std::vector<double> sums(classes_);
    for (const EventGroup::Range& range : group.ranges)
      for (std::size_t j = range.first; j < range.last; ++j)
        for (std::size_t k = 0; k < classes_; ++k) sums[k] += counts_.sums[j * classes_ + k];
    return sums;
  }

  // One of L outcomes at a time: (T_kj + a) / (S_k + a L). An outcome that a class never showed rules it out; all
  // outcomes do if it showed none.
  void outcomes(const EventGroup& group) {
    const auto size = static_cast<double>(group.features());
    const double a = smoothing(size);
    std::vector<double> whole = sums_by_class(group), logs;
    for (std::size_t k = 0; k < classes_; ++k) whole[k] += added_to_class(k, a * size);
    const auto of_feature = [&](double sum, std::size_t i) { return sum + added(i, a); };
    for (const EventGroup::Range& range : parts_of(group)) {
      logs_of(
          range, [&](double sum, std::size_t i) { return share_of(of_feature(sum, i), whole[i % classes_]); }, logs);
      for (std::uint32_t j = range.first; j < range.last; ++j)
        for (std::size_t k = 0; k < classes_; ++k) {
          const std::size_t i = j * classes_ + k;
          const double log_share =
              log_of_share(logs[(j - range.first) * classes_ + k], of_feature(counts_.sums[i], i), whole[k]);
          if (std::isinf(log_share)) {
            found_.vetoes[k].emplace_back(j, 1);
          } else {
            weight_of(k, j) = log_share;
            found_.log_likelihood += counts_.sums[i] * log_share;
          }
        }
    }
    found_.parameters += static_cast<double>(classes_) * (size - 1);
  }

  // Present or not: p = (N_kj + a) / (N_k + a + b), so log p^x (1 - p)^(1 - x) = x log(p / (1 - p)) + log(1 - p).
  void presence(const EventGroup& group) {
    const double a = rules_.beta ? rules_.beta->first - 1 : smoothing(2);
    const double b = rules_.beta ? rules_.beta->second - 1 : smoothing(2);
    std::vector<double> odds, absent, whole(classes_);
    const bool named = !virtual_.empty() && !rules_.beta;
    for (std::size_t k = 0; k < classes_; ++k)
      whole[k] = counts_.weight_of(k) + (named ? added_to_class(k, 0.0) : a + b);
    const auto with = [&](double sum, std::size_t i) { return sum + (named ? virtual_[i] : a); };
    const auto without = [&](double sum, std::size_t i) {
      const std::size_t k = i % classes_;
      return std::max(left_of(counts_.weight_of(k), sum), 0.0) + (named ? added_to_class(k, 0.0) - virtual_[i] : b);
    };
    for (const EventGroup::Range& range : parts_of(group)) {
      logs_of(
          range, [&](double sum, std::size_t i) { return share_of(with(sum, i), without(sum, i)); }, odds);
      logs_of(
          range, [&](double sum, std::size_t i) { return share_of(without(sum, i), whole[i % classes_]); }, absent);
      for (std::uint32_t j = range.first; j < range.last; ++j)
        for (std::size_t k = 0; k < classes_; ++k) {
          const std::size_t i = j * classes_ + k, at = (j - range.first) * classes_ + k;
          const double present = counts_.sums[i], n = with(present, i), rest = without(present, i);
          if (whole[k] == 0.0) {
            found_.bias[k] += math::log(0.5);
          } else if (n == 0.0) {
            found_.vetoes[k].emplace_back(j, 1);
          } else if (rest == 0.0) {
            ++found_.veto_base[k];
            found_.vetoes[k].emplace_back(j, -1);
          } else {
            const double log_odds = log_of_share(odds[at], n, rest),
                         log_absent = log_of_share(absent[at], rest, whole[k]);
            weight_of(k, j) = log_odds;
            found_.bias[k] += log_absent;
            found_.log_likelihood += present * log_odds + counts_.weight_of(k) * log_absent;
          }
        }
    }
    found_.parameters += static_cast<double>(classes_) * group.features();
  }

  // Words of other classes are evidence against a class: -log((T_j - T_kj + a) / (S - S_k + a L)).
  void complement(const EventGroup& group) {
    const auto size = static_cast<double>(group.features());
    const double a = smoothing(size);
    const std::vector<double> sums = sums_by_class(group);
    double all = 0.0;
    for (const double sum : sums) all += sum;
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) {
        double of_all = 0.0;
        for (std::size_t k = 0; k < classes_; ++k) of_all += counts_.sums[j * classes_ + k];
        for (std::size_t k = 0; k < classes_; ++k) {
          const double others = std::max(left_of(of_all, counts_.sums[j * classes_ + k]), 0.0) + a;
          const double whole = std::max(left_of(all, sums[k]), 0.0) + a * size;
          if (others > 0.0) {
            weight_of(k, j) = log_of_share(math::log(whole / others), whole, others);
          } else if (of_all > 0.0) {  // no other class has it
            for (std::size_t other = 0; other < classes_; ++other)
              if (other != k) found_.vetoes[other].emplace_back(j, 1);
          }
        }
      }
    found_.parameters += static_cast<double>(classes_) * (size - 1);
  }

  void gaussians() {
    const std::size_t count = plan_.gaussians.size();
    const DoubleDouble all = counts_.all_weight();
    const double total = all.high;
    std::vector<double> spreads(count * classes_), total_variance(count);
    found_.mean.resize(count * classes_);
    found_.centre.resize(count);
    double largest = 0.0;
    for (std::size_t g = 0; g < count; ++g) {
      double squares = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) {
        squares += counts_.second[g * classes_ + k].high;
        spreads[g * classes_ + k] = std::max(counts_.spread_of(g, k), 0.0);
      }
      const DoubleDouble first = counts_.all_first(g).rounded();
      if ((first.high != 0.0 || squares != 0.0) && squares < kLeastSquares * total)
        throw Error(ErrorCode::data,
                    "the values of feature " + in_quotes(map_.name(plan_.gaussians[g].feature)) +
                        " are so small that their squares are lost: numbers end at 2.2e-308",
                    "multiply the column by a power of ten");
      const double mean = static_cast<double>(first / all);
      found_.centre[g] = plan_.gaussians[g].square ? plan_.gaussians[g].centre : mean;
      for (std::size_t k = 0; k < classes_; ++k) {
        const std::size_t i = g * classes_ + k;
        found_.mean[i] =
            counts_.weight_of(k) == 0.0 ? mean : static_cast<double>(counts_.first[i].rounded() / counts_.weight[k]);
      }
      total_variance[g] = std::max(counts_.spread_of(g), 0.0) / total;
      largest = std::max(largest, total_variance[g]);
    }
    found_.variance = variances(spreads);
    const double add = rules_.variance_add * largest;
    std::vector<std::size_t> constant;
    for (std::size_t i = 0; i < found_.variance.size(); ++i) {
      double& variance = found_.variance[i];
      variance += add;
      if (variance > 0.0) continue;
      if (total_variance[i / classes_] > 0.0)
        throw Error(ErrorCode::data,
                    "feature " + in_quotes(map_.name(plan_.gaussians[i / classes_].feature)) +
                        " has the same value in every row of class " + in_quotes(labels_[i % classes_]) +
                        ", so its variance is 0; a Gaussian needs one above 0",
                    "--variance-add 1e-9 adds a little to every variance");
      variance = 1.0;  // the same in all rows: any variance gives every class the same density there
      if (constant.empty() || constant.back() != i / classes_) constant.push_back(i / classes_);
    }
    if (!constant.empty())
      found_.warnings.push_back(
          "feature " + in_quotes(map_.name(plan_.gaussians[constant[0]].feature)) +
          (constant.size() > 1 ? " and " + counted(constant.size() - 1, "more feature") + " are" : " is") +
          " constant: no information about the class; variance set to 1");
    for (std::size_t g = 0; g < count; ++g)
      for (std::size_t k = 0; k < classes_; ++k) bell(g, k, spreads[g * classes_ + k]);
    warn_of_rounding();
    const auto shared = static_cast<double>(count), classes = static_cast<double>(classes_);
    constexpr VarianceOf own = VarianceOf::class_feature;
    found_.parameters += shared * classes + (variance_of() == own                      ? shared * classes
                                             : variance_of() == VarianceOf::feature    ? shared
                                             : variance_of() == VarianceOf::class_only ? classes
                                                                                       : 1.0);
  }

  // Without squares among the features the classes share their variances.
  VarianceOf variance_of() const {
    if (!needs_squares(rules_.variance)) return rules_.variance;
    const bool squares = std::all_of(plan_.gaussians.begin(), plan_.gaussians.end(),
                                     [](const GaussianFeature& each) { return each.square.has_value(); });
    if (squares) return rules_.variance;
    return rules_.variance == VarianceOf::class_feature ? VarianceOf::feature : VarianceOf::one;
  }

  // Unbiased: divisors n_k - 1, N - K, p (n_k - 1) and p (N - K). A variance with too few rows is replaced by the one
  // pooled over classes, and if these have too few by that of all rows.
  std::vector<double> variances(const std::vector<double>& spreads) {
    const std::size_t count = plan_.gaussians.size();
    const bool unbiased = rules_.divisor == VarianceDivisor::unbiased;
    const VarianceOf of = variance_of();
    if (of != rules_.variance)
      found_.warnings.push_back("the features hold no squares, so the classes share their variances");
    double present = 0.0;
    for (const DoubleDouble weight : counts_.weight) present += weight.high > 0.0 ? 1.0 : 0.0;
    const double total = counts_.total_weight();
    const double pooled_divisor = unbiased && total > present ? total - present : total;
    const auto pooled = [&](std::size_t g) {
      double sum = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) sum += spreads[g * classes_ + k];
      return sum / pooled_divisor;
    };
    const auto mean_over = [&](auto&& each) {
      double sum = 0.0;
      for (std::size_t g = 0; g < count; ++g) sum += each(g) / static_cast<double>(count);
      return sum;
    };
    std::vector<double> found(count * classes_);
    for (std::size_t k = 0; k < classes_; ++k) {
      const double divisor = counts_.weight_of(k) - (unbiased ? 1.0 : 0.0);
      const bool alone = !(divisor > 0.0);
      if (alone && needs_squares(of))
        found_.warnings.push_back("class " + in_quotes(labels_[k]) +
                                  " has too few rows for its own variances; pooled variances are used");
      const auto own = [&](std::size_t g) { return alone ? pooled(g) : spreads[g * classes_ + k] / divisor; };
      const double shared = of == VarianceOf::class_only ? mean_over(own)
                            : of == VarianceOf::one      ? mean_over(pooled)
                                                         : 0.0;
      for (std::size_t g = 0; g < count; ++g)
        found[g * classes_ + k] = of == VarianceOf::class_feature ? own(g)
                                  : of == VarianceOf::feature     ? pooled(g)
                                                                  : shared;
    }
    return found;
  }

  // -(x - mu)^2 / 2v = -(x - c)^2 / 2v + x (mu - c)/v - (mu - c)^2 / 2v - c (mu - c)/v. If classes share v the first
  // term is the same for all and is left out.
  void bell(std::size_t g, std::size_t k, double spread) {
    const GaussianFeature& each = plan_.gaussians[g];
    const double v = found_.variance[g * classes_ + k], c = found_.centre[g];
    const DoubleDouble off = math::two_sum(found_.mean[g * classes_ + k], -c);
    const DoubleDouble slope = off / DoubleDouble(v);
    weight_of(k, each.feature) = slope.high;
    found_.bias[k] += -(off * off / DoubleDouble(2 * v)) - slope.high * DoubleDouble(c);
    found_.bias[k] += -0.5 * (kLog2Pi + math::log(v));
    if (each.square) weight_of(k, *each.square) = -0.5 / v;
    const double weight = counts_.weight_of(k);
    found_.log_likelihood += -0.5 * weight * (kLog2Pi + math::log(v)) - spread / (2 * v);
    if (!std::isfinite(slope.high) || !std::isfinite(0.5 / v) || !std::isfinite(found_.bias[k].high))
      throw Error(ErrorCode::data,
                  "feature " + in_quotes(map_.name(each.feature)) + " varies too little in class " +
                      in_quotes(labels_[k]) + " for numbers that end at 1.8e308",
                  "--variance-add 1e-6 adds more to every variance");
  }

  // x (mu - c)/v and (x - c)^2/2v are large numbers if x is far from 0, or from c, and v is small, and their rounding
  // errors enter the score.
  void warn_of_rounding() {
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t i = 0; i < found_.mean.size(); ++i) {
      const std::uint32_t feature = plan_.gaussians[i / classes_].feature;
      const double off = found_.mean[i] - found_.centre[i / classes_];
      const double square = plan_.gaussians[i / classes_].square ? 0.5 * off * off / found_.variance[i] : 0.0;
      const double rounding = 0x1p-53 * std::max(std::abs(weight_of(i % classes_, feature) * found_.mean[i]), square);
      if (rounding <= most) continue;
      most = rounding;
      worst = i;
    }
    if (most < 1e-6) return;
    const std::string name = map_.name(plan_.gaussians[worst / classes_].feature);
    const double mean = found_.mean[worst], near = 1000 * std::sqrt(found_.variance[worst]);
    double centre = parse_number(number_text(mean, 1)).value;
    for (int digits = 2; digits < 18 && std::abs(centre - mean) > near; ++digits)
      centre = parse_number(number_text(mean, digits)).value;
    found_.warnings.push_back(
        "feature " + in_quotes(name) + " is so far from 0, or from its mean, beside how little it varies in class " +
        in_quotes(labels_[worst % classes_]) + ", that log probabilities are rounded to about " + number_text(most, 1) +
        "; " + number_text(centre) + " taken off keeps the digits" + features_less(name, centre));
  }

  // What to type instead of `name`, if every column is a feature by itself and they are few.
  std::string features_less(const std::string& name, double centre) const {
    const FeatureMap::Parts& parts = map_.parts();
    std::vector<bool> alone(parts.inputs.size());
    for (const Term& term : parts.terms)
      if (const ProductTerm* const product = std::get_if<ProductTerm>(&term)) {
        if (product->powers.size() == 1 && product->powers[0].power == 1) alone[product->powers[0].input] = true;
      } else if (const CategoryTerm* const category = std::get_if<CategoryTerm>(&term)) {
        alone[category->input] = true;
      } else if (const TextTerm* const text = std::get_if<TextTerm>(&term)) {
        alone[text->input] = true;
      }
    std::string list;
    bool found = false;
    for (std::size_t i = 0; i < parts.inputs.size(); ++i) {
      const std::string& column = parts.inputs[i].name;
      if (!alone[i] || column.find(',') != std::string::npos) return "";
      list += (list.empty() ? "" : ",") + Formula::of_column(column).text();
      if (column != name) continue;
      list += (centre < 0 ? "+" : "-") + number_text(std::abs(centre));
      found = true;
    }
    constexpr std::size_t kMost = 12;
    return found && parts.inputs.size() <= kMost ? ": --features " + as_typed(list) : "";
  }

  const EventCounts& counts_;
  const EventPlan& plan_;
  const FeatureMap& map_;
  std::span<const std::string> labels_;
  const EstimateRules& rules_;
  const std::size_t classes_;
  std::vector<double> virtual_;  // [feature][class]: the virtual examples' part; empty: the same for all
  EventEstimates found_;
};

}  // namespace

EventEstimates estimate_events(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                               std::span<const std::string> labels, const EstimateRules& rules) {
  return Estimator(counts, plan, map, labels, rules).run();
}

}  // namespace plumb
