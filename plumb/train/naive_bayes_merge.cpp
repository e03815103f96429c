#include "plumb/train/naive_bayes_merge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/data/entry_names.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/merge_maps.h"
#include "plumb/feature/square.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/event_statistics.h"
#include "plumb/train/naive_bayes.h"

namespace plumb {
namespace {

const std::string* recorded(const Record& record, std::string_view name) {
  for (const auto& [option, value] : record.options)
    if (option == name) return &value;
  return nullptr;
}

// The trainer of the record.
NaiveBayesTrainer trainer_of(const Record& record) {
  if (record.model != "naive-bayes")
    throw Error(
        ErrorCode::model,
        "a model of naive-bayes with its statistics was expected, and this one is of " + in_quotes(record.model),
        "plumb train ... -m naive-bayes --keep-statistics");
  NaiveBayesOptions options;
  const OptionGroup group = options_of("", options);
  for (const OptionInfo& info : group.options)
    if (const std::string* const text = recorded(record, info.name)) try {
        info.set(group.owner, *text);
      } catch (const OptionFault& fault) {
        throw Error(ErrorCode::model, "its record says --" + info.name + " " + in_quotes(*text) + "; " +
                                          fault.expected + " was expected");
      }
  if (!options.virtual_prior.uniform())
    throw Error(ErrorCode::usage, "its virtual examples came from a file, which was not kept",
                "train with --virtual-prior uniform");
  options.keep_statistics = true;
  NaiveBayesTrainer trainer(options);
  if (!options.prior.empirical() && !options.prior.uniform()) {
    const Statistic* const prior = find_statistic(record, "bayes.prior");
    const auto* const numbers = prior == nullptr ? nullptr : std::get_if<std::vector<double>>(&prior->values);
    if (numbers == nullptr) throw Error(ErrorCode::model, "its priors came from a file and were not kept");
    trainer.set_prior(*numbers);
  }
  return trainer;
}

EventCounts sums_of(const SavedModel& saved, const EventPlan& plan) {
  std::optional<EventCounts> counts = kept_counts(saved.record, plan, saved.model.parts().labels.size());
  if (!counts)
    throw Error(ErrorCode::model,
                "the model kept no statistics, so it cannot be merged, trained further or made to forget",
                "plumb train ... -m naive-bayes --keep-statistics");
  return std::move(*counts);
}

// Sums under another map and other labels; `feature` and `label` have the new number of each, kGone for none, and
// `factor` the change of values.
constexpr std::uint32_t kGone = 0xFFFF'FFFF;

void add_as(const EventCounts& from, const EventPlan& from_plan, const std::vector<std::uint32_t>& feature,
            const std::vector<double>& factor, const std::vector<std::uint32_t>& label, const EventPlan& to_plan,
            EventCounts& to) {
  std::vector<std::uint32_t> gaussian_of(to_plan.features, kGone);
  for (std::uint32_t g = 0; g < to_plan.gaussians.size(); ++g) gaussian_of[to_plan.gaussians[g].feature] = g;
  to.rows += from.rows;
  for (std::size_t k = 0; k < from.classes; ++k) {
    if (label[k] == kGone) continue;
    to.weight[label[k]] += from.weight[k];
    for (std::uint32_t j = 0; j < from_plan.features && !from.sums.empty(); ++j)
      if (feature[j] != kGone)
        to.sums[feature[j] * to.classes + label[k]] += factor[j] * from.sums[j * from.classes + k];
    for (std::size_t g = 0; g < from_plan.gaussians.size(); ++g) {
      const std::uint32_t j = from_plan.gaussians[g].feature;
      if (feature[j] == kGone) continue;
      const std::size_t place = gaussian_of[feature[j]] * to.classes + label[k];
      math::accumulate(to.first[place], from.first[g * from.classes + k], factor[j]);
      math::accumulate(to.second[place], from.second[g * from.classes + k] * factor[j], factor[j]);
    }
  }
}

// Squares are about the centres that training on all of the rows would find.
FeatureMap about_their_means(const FeatureMap& map, const EventPlan& plan, const EventCounts& counts) {
  const double total = counts.total_weight();
  return recentred(map, [&](std::uint32_t feature) -> std::optional<double> {
    const auto found = std::find_if(plan.gaussians.begin(), plan.gaussians.end(), [&](const GaussianFeature& each) {
      return each.feature == feature && each.square.has_value();
    });
    if (found == plan.gaussians.end() || !(total > 0.0)) return {};
    const auto g = static_cast<std::size_t>(found - plan.gaussians.begin());
    const double mean = static_cast<double>(counts.all_first(g).rounded() / counts.all_weight());
    return short_centre(mean, std::sqrt(std::max(counts.spread_of(g), 0.0) / total));
  });
}

// The model of sums under a map, like one trained on all of their rows.
Trained fit_of(const NaiveBayesTrainer& trainer, const EventCounts& counts, const FeatureMap& map,
               std::span<const std::string> labels) {
  const FeatureMap centred = about_their_means(map, trainer.plan(map), counts);
  return trainer.fit(counts, trainer.plan(centred), centred, labels);
}

// Squares of Gaussians are equal whatever their centres; a square that is a number by itself is not.
void expect_same_numbers(const FeatureMap& from, const EventPlan& plan, const FeatureMap& to,
                         const std::vector<std::uint32_t>& feature) {
  for (const GaussianFeature& each : plan.gaussians)
    if (from.name(each.feature) != to.name(feature[each.feature]))
      throw Error(ErrorCode::usage,
                  "the models cannot be merged: feature " + in_quotes(to.name(feature[each.feature])) + " of one is " +
                      in_quotes(from.name(each.feature)) + " of the other",
                  "train both with the same columns and options");
}

// The parts of the record that `fit` leaves out: everything that is not counted.
Trained described(Trained fit, const Record& before, const EventCounts& counts) {
  fit.record.model = before.model;
  fit.record.target = before.target;
  fit.record.options = before.options;
  const auto fitted_apart = std::erase_if(fit.record.options, [](const auto& option) {
    return option.first == "calibrate" || option.first == "threshold";
  });
  if (fitted_apart > 0)
    fit.warnings.push_back(
        "probabilities are no longer calibrated, and the threshold is 0.5: both need fits to some of all training "
        "rows");
  fit.record.seed = before.seed;
  fit.record.reading = before.reading;
  fit.record.statistics.push_back({"class_weights", {counts.classes}, counts.weights()});
  return fit;
}

// The option that selected terms of texts, so that the counts of the others are missing; nullptr: none.
const char* selecting_option(const Record& record) {
  TextOptions options;
  const OptionGroup group = options_of("", options);
  for (const char* const name : {"min-df", "max-df", "min-count", "drop-top", "max-terms"}) {
    const std::string* const text = recorded(record, name);
    if (text == nullptr) continue;
    for (const OptionInfo& info : group.options)
      if (info.name == name) try {
          info.set(group.owner, *text);
        } catch (const OptionFault&) {
          return name;
        }
    if (options != TextOptions{}) return name;
  }
  return recorded(record, "vocabulary") != nullptr ? "vocabulary" : nullptr;
}

void expect_whole_vocabularies(const SavedModel& left, const FeatureMap& further, const Record& further_record) {
  const std::vector<Term>& a = left.model.parts().map.parts().terms;
  const std::vector<Term>& b = further.parts().terms;
  for (std::size_t t = 0; t < std::min(a.size(), b.size()); ++t) {
    const TextTerm* const one = std::get_if<TextTerm>(&a[t]);
    const TextTerm* const other = std::get_if<TextTerm>(&b[t]);
    if (one == nullptr || other == nullptr || one->bag->texts() == other->bag->texts()) continue;
    for (const char* const option : {selecting_option(left.record), selecting_option(further_record)})
      if (option != nullptr)
        throw Error(ErrorCode::usage,
                    std::string("the models cannot be merged: --") + option +
                        " left out other terms in each, and nothing is known of their counts",
                    "train both with the same --vocabulary FILE");
  }
}

// Options that define what is counted; the others apply when the sums become probabilities.
bool shapes_sums(const std::string& option) { return option == "event" || option == "entries" || option == "variance"; }

enum class Alike { in_all, in_sums };
void expect_same_options(const NaiveBayesTrainer& left, const NaiveBayesTrainer& right, Alike alike) {
  NaiveBayesOptions mine = left.options(), theirs = right.options();
  mine.keep_statistics = theirs.keep_statistics;
  const OptionGroup a = options_of("", mine), b = options_of("", theirs);
  for (std::size_t i = 0; i < a.options.size(); ++i)
    if ((alike == Alike::in_all || shapes_sums(a.options[i].name)) &&
        a.options[i].text(a.owner) != b.options[i].text(b.owner))
      throw Error(ErrorCode::usage,
                  "the sums cannot be added up: --" + a.options[i].name + " is " +
                      in_quotes(a.options[i].text(a.owner)) + " in one and " + in_quotes(b.options[i].text(b.owner)) +
                      " in the other",
                  "train both with the same --" + a.options[i].name);
}

std::vector<std::uint32_t> places_among(const std::vector<std::string>& labels, std::span<const std::string> all) {
  const std::vector<std::string> of(all.begin(), all.end());
  const LabelCodes codes(of);
  std::vector<std::uint32_t> places;
  for (const std::string& label : labels) {
    if (label.empty()) throw Error(ErrorCode::model, "a label of the model is empty; no row has such a label");
    const std::optional<std::uint32_t> place = codes.find(label);
    if (!place) throw Error(ErrorCode::internal, "a label of the model is not one of those expected");
    places.push_back(*place);
  }
  return places;
}

// Without these rows, terms that were left out might be selected, and their counts are unknown.
void expect_whole_vocabulary(const SavedModel& model) {
  const std::vector<Term>& terms = model.model.parts().map.parts().terms;
  const char* const option = selecting_option(model.record);
  if (option == nullptr || std::string_view(option) == "vocabulary") return;
  if (std::any_of(terms.begin(), terms.end(), [](const Term& term) { return std::holds_alternative<TextTerm>(term); }))
    throw Error(ErrorCode::usage,
                std::string("the model cannot forget: --") + option +
                    " chose its terms by all rows, and nothing is known of the counts of the others",
                std::string("train on the rest of the rows, or without --") + option);
}

// Fill values were learnt from all rows, and the sums do not tell which values were filled.
void expect_fixed_fills(const SavedModel& model) {
  const std::string* const missing = recorded(model.record, "missing");
  if (missing != nullptr && *missing == "zero") return;
  for (const FeatureMap::Input& input : model.model.parts().map.parts().inputs)
    if (input.fill)
      throw Error(ErrorCode::usage,
                  std::string("the model cannot forget: the ") +
                      (missing != nullptr && *missing == "mean" ? "mean" : "median") + " of column " +
                      in_quotes(input.name) +
                      ", which fills missing values, was computed from all rows and would change without these",
                  "train on the rest of the rows, or with --missing zero");
}

std::string positive_of(const Record& record) {
  const std::string* const positive = recorded(record, "positive");
  return positive == nullptr ? "" : *positive;
}

// Declared levels stay without rows.
bool is_declared(const std::string* levels, const std::string& column) {
  return levels != nullptr && levels->find(column + "=") != std::string::npos;
}

// Marks the features of a cross with a level that no row has any more.
void mark_crosses(const FeatureMap& map, const std::string* declared,
                  const std::function<std::pair<double, double>(std::uint32_t)>& before_and_after,
                  std::vector<bool>& gone) {
  const FeatureMap::Parts& parts = map.parts();
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const CrossTerm* const cross = std::get_if<CrossTerm>(&parts.terms[t]);
    if (cross == nullptr) continue;
    std::uint32_t step = 1;  // between features that differ in the level of this side alone
    const std::vector<CategoryTerm> sides = cross->sides();
    for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
      const FeatureMap::Input& input = parts.inputs[side->input];
      const auto levels = static_cast<std::uint32_t>(input.levels.size() - (side->base ? 1 : 0));
      std::vector<double> before(levels), after(levels);
      for (std::uint32_t j = map.first_feature(t); j < map.first_feature(t + 1); ++j) {
        const std::uint32_t level = (j - map.first_feature(t)) / step % levels;
        const auto [was, is] = before_and_after(j);
        before[level] += was;
        after[level] += is;
      }
      for (std::uint32_t j = map.first_feature(t); j < map.first_feature(t + 1) && !is_declared(declared, input.name);
           ++j) {
        const std::uint32_t level = (j - map.first_feature(t)) / step % levels;
        if (before[level] > 0.0 && after[level] == 0.0) gone[j] = true;
      }
      step *= levels;
    }
  }
}

// Sums have an error of 2^-104 of the removed rows' squares, and some more for their number. If that is not small
// beside the rest, and beside the addition of --variance-add, the variance of the rest is unknown; unless the removed
// rows cancel to the last digit.
void expect_digits_left(const EventCounts& before, const EventCounts& after, double variance_add, const EventPlan& plan,
                        const FeatureMap& map) {
  double largest = 0.0;
  for (std::size_t g = 0; g < plan.gaussians.size(); ++g) largest = std::max(largest, after.spread_of(g));
  for (std::size_t g = 0; g < plan.gaussians.size(); ++g)
    for (std::size_t k = 0; k < before.classes; ++k) {
      const std::size_t i = g * before.classes + k;
      if (!(after.weight_of(k) > 0.0)) continue;
      const double added = variance_add * largest * (after.weight_of(k) / after.total_weight());
      const double rounding = 0x1p-98 * before.spread_of(g, k);
      if (rounding <= 1e-10 * (after.spread_of(g, k) + added)) continue;
      const double left = math::spread_of(after.first[i], after.second[i], after.weight[k]);
      if (std::abs(left) <= 0x1p-140 * before.second[i].high) continue;
      throw Error(ErrorCode::data,
                  "the rows are so far from the others in feature " + in_quotes(map.name(plan.gaussians[g].feature)) +
                      " that too few digits of these would be left in the sums",
                  "train on the rest of the rows");
    }
}

// Marks numbers of entries that no row has any more, with their squares. If they are numbered up to the highest, and to
// `declared` at least, they are removed only from the end.
void mark_numbers(const FeatureMap& map, const EventPlan& plan, const EventCounts& before, const EventCounts& after,
                  std::uint32_t declared, std::vector<bool>& gone) {
  const auto squares = [](const EventCounts& of, std::size_t g) {
    double sum = 0.0;
    for (std::size_t k = 0; k < of.classes; ++k) sum += of.second[g * of.classes + k].high;
    return sum;
  };
  for (std::size_t t = 0; t < map.parts().terms.size(); ++t) {
    const EntriesTerm* const entries = std::get_if<EntriesTerm>(&map.parts().terms[t]);
    if (entries == nullptr) continue;
    const std::vector<std::string>& names = map.parts().inputs[entries->input].levels;
    for (std::size_t g = plan.gaussians.size(); g-- > 0;) {
      const GaussianFeature& each = plan.gaussians[g];
      if (each.feature < map.first_feature(t) || each.feature >= map.first_feature(t + 1)) continue;
      const bool empty = squares(after, g) == 0.0;
      const auto number = number_in_name(names[each.feature - map.first_feature(t)]);
      if (declared > 0 && (!empty || !number || *number <= declared)) break;
      if (!empty || (declared == 0 && squares(before, g) == 0.0)) continue;
      gone[each.feature] = true;
      if (each.square) gone[*each.square] = true;
    }
  }
}

// How many rows there are, without those of weight 0, and how many of them have each feature.
GoneRows rows_gone(const Examples& rows, std::uint32_t features) {
  GoneRows gone{0, std::vector<std::uint64_t>(features)};
  for (std::size_t b = 0; b < rows.blocks(); ++b)
    rows.block(b).for_each([&](const Example& e) {
      if (e.weight == 0.0) return;
      ++gone.rows;
      for (std::size_t i = 0; i < e.x.value.size(); ++i)
        if (e.x.value[i] != 0) ++gone.with_feature[e.x.dense() ? i : e.x.index[i]];
    });
  return gone;
}

bool holds_documents(const FeatureMap& map, const GoneRows& gone) {
  for (std::size_t t = 0; t < map.parts().terms.size(); ++t) {
    const TextTerm* const text = std::get_if<TextTerm>(&map.parts().terms[t]);
    if (text == nullptr || !text->bag->weighting.idf) continue;
    if (gone.rows > text->bag->documents) return false;
    for (std::uint32_t id = 0; id < text->bag->features(); ++id)
      if (gone.with_feature[map.first_feature(t) + id] > text->bag->document_frequency[id]) return false;
  }
  return true;
}

}  // namespace

FeatureMap grown_map(const SavedModel& start, const FeatureMap& further) {
  expect_whole_vocabularies(start, further, start.record);
  return merge_maps(start.model.parts().map, further).map;
}

EventCounts counts_to_add_to(const SavedModel& start, const NaiveBayesTrainer& trainer, const FeatureMap& map,
                             std::span<const std::string> labels) {
  expect_same_options(trainer_of(start.record), trainer, Alike::in_sums);
  const FeatureMap& before = start.model.parts().map;
  const MergedMap merged = merge_maps(before, map, LearntFrom::more_rows);
  if (!(merged.map.parts() == map.parts()))
    throw Error(ErrorCode::internal, "the features do not hold those of the model that is trained further");
  const EventPlan own = trainer.plan(before), plan = trainer.plan(map);
  EventCounts counts(plan, labels.size());
  add_as(sums_of(start, own), own, merged.left, value_factors(before, map, merged.left),
         places_among(start.model.parts().labels, labels), plan, counts);
  return counts;
}

Trained merge_models(const SavedModel& left, const SavedModel& right) {
  const NaiveBayesTrainer trainer = trainer_of(left.record), other = trainer_of(right.record);
  if (left.record.target != right.record.target)
    throw Error(ErrorCode::usage, "the models cannot be merged: one predicts " + in_quotes(left.record.target) +
                                      ", the other " + in_quotes(right.record.target));
  expect_same_options(trainer, other, Alike::in_all);
  expect_whole_vocabularies(left, right.model.parts().map, right.record);
  const MergedMap merged = merge_maps(left.model.parts().map, right.model.parts().map);
  const std::vector<std::string>& one = left.model.parts().labels;
  const std::vector<std::string>& two = right.model.parts().labels;
  std::vector<std::string> labels = one;
  if (one != two) {
    labels.insert(labels.end(), two.begin(), two.end());
    labels = labels_of_all(std::move(labels), positive_of(left.record));
  }
  if (labels.size() > one.size() && !trainer.options().prior.empirical() && !trainer.options().prior.uniform())
    throw Error(ErrorCode::usage, "the models cannot be merged: the priors of their labels came from a file");
  const EventPlan plan = trainer.plan(merged.map);
  EventCounts counts(plan, labels.size());
  for (const auto& [saved, feature] : {std::pair(&left, &merged.left), std::pair(&right, &merged.right)}) {
    const std::vector<std::uint32_t> label = places_among(saved->model.parts().labels, labels);
    const EventPlan own = trainer.plan(saved->model.parts().map);
    expect_same_numbers(saved->model.parts().map, own, merged.map, *feature);
    add_as(sums_of(*saved, own), own, *feature, value_factors(saved->model.parts().map, merged.map, *feature), label,
           plan, counts);
  }
  return described(fit_of(trainer, counts, merged.map, labels), left.record, counts);
}

Trained forget_rows(const SavedModel& model, const Examples& rows, const Run& run) {
  const NaiveBayesTrainer trainer = trainer_of(model.record);
  expect_whole_vocabulary(model);
  expect_fixed_fills(model);
  const FeatureMap& map = model.model.parts().map;
  expect_sums_that_add_up(map);
  const std::vector<std::string>& labels = model.model.parts().labels;
  const EventPlan plan = trainer.plan(map);
  const EventCounts before = sums_of(model, plan);
  EventCounts counts = before;
  counts.subtract(count_events(rows, plan, map, labels.size(), run));
  const auto negative = [](double after, double was) { return after < -1e-9 * std::max(was, 1.0); };
  bool strange = false;
  for (std::size_t k = 0; k < labels.size(); ++k)
    strange = strange || negative(counts.weight_of(k), before.weight_of(k));
  for (std::size_t i = 0; i < counts.sums.size(); ++i) strange = strange || negative(counts.sums[i], before.sums[i]);
  for (std::size_t i = 0; i < counts.second.size(); ++i)
    strange = strange || negative(counts.second[i].high, before.second[i].high);
  const GoneRows gone_rows = rows_gone(rows, plan.features);
  counts.rows = before.rows - std::min(before.rows, gone_rows.rows);
  strange = strange || !holds_documents(map, gone_rows);
  if (strange)
    throw Error(ErrorCode::data, "the model was not trained on all of these rows: a count would fall below 0",
                "give rows that it was trained on");

  for (std::size_t k = 0; k < labels.size(); ++k)
    if (is_rounding(counts.weight_of(k), before.weight_of(k))) counts.weight[k] = 0.0;
  expect_digits_left(before, counts, trainer.options().variance_add, plan, map);
  constexpr double kSumRounding = 0x1p-140;  // of sums in triple-double
  for (std::size_t i = 0; i < counts.second.size(); ++i)
    if (std::abs(counts.second[i].high) <= kSumRounding * before.second[i].high)
      counts.first[i] = counts.second[i] = {};

  std::vector<bool> gone(plan.features);
  const std::string* const declared = recorded(model.record, "levels");
  const auto total = [&](const EventCounts& of, std::uint32_t j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < of.classes; ++k) sum += of.sums[j * of.classes + k];
    return sum;
  };
  const bool given = recorded(model.record, "vocabulary") != nullptr;  // terms that stay without rows
  std::vector<std::string> texts;
  for (const FeatureMap::Input& input : map.parts().inputs)
    if (input.kind == Kind::text) texts.push_back(input.name);
  for (const EventGroup& group : plan.groups) {
    if (!group.learnt || is_declared(declared, group.name)) continue;
    if (given && std::find(texts.begin(), texts.end(), group.name) != texts.end()) continue;
    bool only_end = group.numbered;
    for (auto range = group.ranges.rbegin(); range != group.ranges.rend(); ++range)
      for (std::uint32_t j = range->last; j-- > range->first;) {
        const bool empty = total(counts, j) == 0.0;
        const bool by_end = group.numbered && !group.is_zero(j);
        const bool stays = by_end && j - group.ranges[0].first < group.declared;
        if (!stays && (by_end ? only_end && empty : empty && total(before, j) > 0.0)) gone[j] = true;
        only_end = only_end && empty;
      }
  }
  mark_crosses(
      map, declared, [&](std::uint32_t j) { return std::pair(total(before, j), total(counts, j)); }, gone);
  mark_numbers(map, plan, before, counts, trainer.options().entries, gone);
  const ThinnedMap thinned = thin_map(
      map, [&](std::uint32_t j) { return !gone[j]; }, gone_rows);
  std::vector<std::string> left;
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (counts.weight_of(k) > 0.0) left.push_back(labels[k]);
  if (left.size() < labels.size()) left = labels_of_all(std::move(left), positive_of(model.record));
  std::vector<std::uint32_t> label(labels.size(), kGone), feature(plan.features, kGone);
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (counts.weight_of(k) > 0.0) label[k] = places_among({labels[k]}, left)[0];
  for (std::uint32_t j = 0; j < thinned.kept.size(); ++j) feature[thinned.kept[j]] = j;
  const EventPlan thin_plan = trainer.plan(thinned.map);
  EventCounts rest(thin_plan, left.size());
  add_as(counts, plan, feature, value_factors(map, thinned.map, feature), label, thin_plan, rest);
  Trained fit = described(fit_of(trainer, rest, thinned.map, left), model.record, rest);
  if (thinned.unnamed > 0)
    fit.warnings.push_back(counted(thinned.unnamed, "hashed feature") +
                           " of these rows lost the name: which other words they stand for is not known");
  return fit;
}

}  // namespace plumb
