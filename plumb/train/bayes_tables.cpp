#include "plumb/train/bayes_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/sparse.h"
#include "plumb/math/special.h"
#include "plumb/train/naive_bayes.h"

namespace plumb {
namespace {

std::vector<double> numbers(const Record& record, const std::string& name, std::size_t size) {
  const Statistic* const found = find_statistic(record, name);
  if (found == nullptr && size == 0) return {};
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (values == nullptr || values->size() != size)
    throw Error(ErrorCode::model, "the statistic " + name + " is not there, or has another size than the model");
  return *values;
}

// The same, for numbers in a range.
std::vector<double> numbers_in(const Record& record, const std::string& name, std::size_t size, double low,
                               double high) {
  std::vector<double> found = numbers(record, name, size);
  for (const double each : found)
    if (!(each >= low && each <= high))
      throw Error(ErrorCode::model, "the statistic " + name + " holds " + number_text(each) +
                                        ", which can not be; a number from " + number_text(low) + " to " +
                                        number_text(high) + " was expected");
  return found;
}

EventChoices choices_of(const Record& record) {
  for (const auto& [option, text] : record.options)
    if (option == "event") {
      NaiveBayesOptions options;
      const OptionGroup group = options_of("", options);
      for (const OptionInfo& info : group.options)
        if (info.name == option) info.set(group.owner, text);
      return EventChoices(options.event);
    }
  return {};
}

// x^2 beside x is the square of its Gaussian, or a number with a Gaussian of its own: the number of means tells.
EventPlan plan_of(const SavedModel& saved) {
  const FeatureMap& map = saved.model.parts().map;
  const EventChoices choices = choices_of(saved.record);
  EventPlan plan = plan_events(map, choices);
  const Statistic* const means = find_statistic(saved.record, "bayes.mean");
  const bool squares = means == nullptr || means->shape.empty() || means->shape[0] == plan.gaussians.size();
  return squares ? plan : plan_events(map, choices, false);
}

// The hyperplanes of the classes themselves; with two classes the model has their difference.
void add_hyperplanes(const SavedModel& saved, BayesTables& tables) {
  const LinearModel& model = saved.model;
  const std::size_t p = model.features();
  tables.weights.resize(tables.labels.size() * p);
  tables.bias = model.parts().bias;
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    const std::size_t k = model.rows() == 1 ? 1 : r;
    model.parts().weights.row(r, Out(tables.weights).subspan(k * p, p));
  }
  if (model.rows() != 1) return;
  const std::vector<double> reference = numbers(saved.record, "bayes.reference", p + 1);
  tables.bias = {reference[0], reference[0] + model.parts().bias[0]};
  for (std::size_t j = 0; j < p; ++j) {
    tables.weights[j] = reference[j + 1];
    tables.weights[p + j] += reference[j + 1];
  }
}

bool of_complement(const EventPlan& plan, std::uint32_t feature) {
  for (const EventGroup& group : plan.groups)
    for (const EventGroup::Range& range : group.ranges)
      if (range.first <= feature && feature < range.last) return group.event == Event::complement;
  return false;
}

void add_probabilities(const LinearModel& model, BayesTables& tables) {
  const std::size_t p = model.features(), classes = tables.labels.size();
  tables.probability.resize(classes * p);
  for (const EventGroup& group : tables.plan.groups)
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j)
        for (std::size_t k = 0; k < classes; ++k) {
          const double w = tables.weights[k * p + j];
          tables.probability[k * p + j] = group.event == Event::bernoulli    ? math::sigmoid(w)
                                          : group.event == Event::complement ? math::exp(-w)
                                                                             : math::exp(w);
        }
  // A veto by a present feature means probability 0, one by an absent feature means 1.
  const auto vetoed = [&](std::size_t k, std::uint32_t feature) { return tables.vetoes[k].counts.contains(feature); };
  for (std::size_t k = 0; k < tables.vetoes.size(); ++k)
    for (const auto& [feature, count] : tables.vetoes[k].counts) {
      if (!of_complement(tables.plan, feature)) {
        tables.probability[k * p + feature] = count < 0 ? 1.0 : 0.0;
        continue;
      }
      // A feature that only one class has is 0 in the others, except in the class that it does not rule out.
      for (std::size_t only = 0; only < classes; ++only)
        if (!vetoed(only, feature)) tables.probability[only * p + feature] = 0.0;
    }
}

// The vetoes of the first of two classes. Older models did not store them: vetoes of the first are negative in the
// difference of the two.
BayesVetoes reference_vetoes(const SavedModel& saved) {
  const LinearModel::Parts& parts = saved.model.parts();
  BayesVetoes found;
  const Statistic* const kept = find_statistic(saved.record, "bayes.reference_vetoes");
  if (kept == nullptr) {
    const auto index = parts.vetoes.row_index(0);
    const auto count = parts.vetoes.row_values(0);
    found.base = parts.veto_base.empty() ? 0 : std::max(-parts.veto_base[0], 0);
    for (std::size_t i = 0; i < index.size(); ++i)
      if (count[i] < 0) found.counts[index[i]] = -count[i];
    return found;
  }
  const auto* const values = std::get_if<std::vector<std::int64_t>>(&kept->values);
  const auto refuse = [] { throw Error(ErrorCode::model, "the statistic bayes.reference_vetoes is broken"); };
  if (values == nullptr || values->size() < 2 || values->size() % 2 != 0) refuse();
  for (std::size_t i = 0; i < values->size(); i += 2) {
    const std::int64_t feature = (*values)[i], count = (*values)[i + 1];
    if (feature < 0 || feature > saved.model.features() || (feature == saved.model.features()) != (i == 0) ||
        std::abs(count) > saved.model.features() + std::int64_t{1})
      refuse();
    if (i == 0)
      found.base = static_cast<std::int32_t>(count);
    else
      found.counts[static_cast<std::uint32_t>(feature)] = static_cast<std::int32_t>(count);
  }
  return found;
}

// The vetoes of every class.
void add_vetoes(const SavedModel& saved, BayesTables& tables) {
  const LinearModel& model = saved.model;
  if (!model.has_vetoes() && find_statistic(saved.record, "bayes.reference_vetoes") == nullptr) return;
  if (model.rows() == 1) tables.vetoes.push_back(reference_vetoes(saved));
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    BayesVetoes vetoes = model.rows() == 1 ? tables.vetoes.front() : BayesVetoes();
    if (model.has_vetoes()) {
      if (!model.parts().veto_base.empty()) vetoes.base += model.parts().veto_base[r];
      const auto index = model.parts().vetoes.row_index(r);
      const auto count = model.parts().vetoes.row_values(r);
      for (std::size_t i = 0; i < index.size(); ++i) vetoes.counts[index[i]] += count[i];
      std::erase_if(vetoes.counts, [](const auto& each) { return each.second == 0; });
    }
    tables.vetoes.push_back(std::move(vetoes));
  }
}

void add_joint(BayesTables& tables) {
  if (!tables.plan.gaussians.empty()) return;
  double combinations = 0.0, exact = 1.0;  // log10 of their number, and the number
  for (const EventGroup& group : tables.plan.groups) {
    if (group.event != Event::categorical && group.event != Event::bernoulli) return;
    const double outcomes = group.event == Event::bernoulli ? 2.0 : group.features();
    const double variables = group.event == Event::bernoulli ? group.features() : 1.0;
    combinations += variables * std::log10(outcomes);
    exact *= std::pow(outcomes, variables);
  }
  const auto classes = static_cast<double>(tables.labels.size());
  tables.joint_digits = combinations + std::log10(classes);
  if (exact < 1e15) tables.joint_parameters = classes * (exact - 1);
}

}  // namespace

std::optional<BayesTables> bayes_tables(const SavedModel& saved) {
  if (saved.record.model != "naive-bayes" || saved.model.parts().labels.empty()) return {};
  BayesTables tables;
  tables.labels = saved.model.parts().labels;
  const std::size_t classes = tables.labels.size();
  tables.plan = plan_of(saved);
  const std::size_t gaussians = tables.plan.gaussians.size();
  tables.prior = numbers_in(saved.record, "bayes.prior", classes, 0.0, 1.0);
  tables.mean = numbers(saved.record, "bayes.mean", gaussians * classes);
  tables.variance = numbers_in(saved.record, "bayes.variance", gaussians * classes,
                               std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max());
  tables.centre = numbers(saved.record, "bayes.centre", gaussians);
  add_hyperplanes(saved, tables);
  add_vetoes(saved, tables);
  add_probabilities(saved.model, tables);
  add_joint(tables);
  if (const double* const count = find_number(saved.record, "parameters")) tables.parameters = *count;
  tables.dependence = kept_dependence(saved.record, tables.plan);
  return tables;
}

JointLikelihood::JointLikelihood(const LinearModel& model, const BayesTables& tables)
    : model_(model), tables_(tables), joint_(tables.labels.size()) {
  if (tables.plan.has(Event::complement))
    throw Error(ErrorCode::usage, "--event complement has no density of rows, so there is no evidence",
                "train with --event multinomial");
  const std::size_t classes = tables.labels.size();
  for (std::size_t g = 0; g < tables.plan.gaussians.size(); ++g) {
    if (tables.plan.gaussians[g].square) continue;
    curve_.resize(model.features());
    curve_[tables.plan.gaussians[g].feature] = -0.5 / tables.variance[g * classes];
  }
}

In JointLikelihood::log_joint(const Row& x) {
  const std::size_t p = model_.features();
  for (std::size_t k = 0; k < joint_.size(); ++k) {
    const double* const w = tables_.weights.data() + k * p;
    joint_[k] = tables_.bias[k];
    for (std::size_t i = 0; i < x.value.size(); ++i) joint_[k] += w[x.dense() ? i : x.index[i]] * x.value[i];
  }
  for (std::size_t g = 0; g < tables_.plan.gaussians.size() && !curve_.empty(); ++g) {
    const std::uint32_t feature = tables_.plan.gaussians[g].feature;
    double value = 0.0;
    if (x.dense()) {
      value = x.value[feature];
    } else if (const auto found = std::lower_bound(x.index.begin(), x.index.end(), feature);
               found != x.index.end() && *found == feature) {
      value = x.value[static_cast<std::size_t>(found - x.index.begin())];
    }
    const double off = value - tables_.centre[g];
    for (double& each : joint_) each += curve_[feature] * off * off;
  }
  constexpr double kImpossible = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < tables_.vetoes.size(); ++k) {
    std::int64_t vetoes = tables_.vetoes[k].base;
    for (std::size_t i = 0; i < x.value.size(); ++i) {
      if (x.value[i] == 0.0) continue;
      const auto found = tables_.vetoes[k].counts.find(x.dense() ? static_cast<std::uint32_t>(i) : x.index[i]);
      if (found != tables_.vetoes[k].counts.end()) vetoes += found->second;
    }
    if (vetoes > 0) joint_[k] = kImpossible;
  }
  return joint_;
}

double JointLikelihood::log_evidence(const Row& x) { return math::log_sum_exp(log_joint(x)); }

}  // namespace plumb
