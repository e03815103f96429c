#include "plumb/train/bayes_sample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/distributions.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSampleStream = std::uint64_t{6} << 48;  // beside those of base/random.h

// The input of a feature; none if a formula hides it.
std::optional<std::uint32_t> input_of(const Term& term, const std::vector<FeatureMap::Input>& inputs) {
  return std::visit(Cases{[](const ProductTerm& each) -> std::optional<std::uint32_t> {
                            if (each.powers.size() != 1 || each.powers[0].power != 1) return {};
                            return each.powers[0].input;
                          },
                          [&](const FormulaTerm& each) -> std::optional<std::uint32_t> {
                            if (each.inputs.size() != 1) return {};
                            const Formula column = Formula::of_column(inputs[each.inputs[0]].name);
                            if (each.formula.text() != column.text() + ">0") return {};
                            return each.inputs[0];
                          },
                          [](const CategoryTerm& each) -> std::optional<std::uint32_t> { return each.input; },
                          [](const EntriesTerm& each) -> std::optional<std::uint32_t> { return each.input; },
                          [](const TextTerm& each) -> std::optional<std::uint32_t> { return each.input; },
                          [](const auto&) -> std::optional<std::uint32_t> { return {}; }},
                    term);
}

// Whether texts with these terms one after another would give the same counts.
bool plain_words(const BagOfWords& bag) {
  const bool words = bag.rules.tokens == Tokens::word || bag.rules.tokens == Tokens::ascii;
  return words && bag.rules.longest_ngram == 1 && bag.rules.stem.empty() && bag.hash_bits == 0 &&
         !bag.weighting.sublinear && !bag.weighting.idf && bag.weighting.norm == RowNorm::none;
}

}  // namespace

class BayesSampler::Draws {
 public:
  Draws(RandomKey key, std::uint64_t number) : key_(key.with_stream(kSampleStream + number)) {}
  double uniform() { return key_.uniform(next_++); }
  double normal() {
    double u = 0.0;
    while (u == 0.0) u = uniform();
    return math::Normal{}.quantile(u);
  }

 private:
  RandomKey key_;
  std::uint64_t next_ = 0;
};

BayesSampler::BayesSampler(const SavedModel& saved, RandomKey key, std::uint32_t words)
    : map_(saved.model.parts().map), key_(key), words_(words) {
  std::optional<BayesTables> tables = bayes_tables(saved);
  if (!tables || tables->plan.has(Event::complement))
    throw Error(ErrorCode::usage,
                "a model that knows how rows come about was expected: naive-bayes, of events other than complement",
                "plumb train ... -m naive-bayes");
  tables_ = std::move(*tables);
  for (const FeatureMap::Input& input : map_.parts().inputs) columns_.push_back(input.name);
  of_feature_.assign(map_.features(), columns_.size());
  std::vector<Kind> kinds(map_.features(), Kind::number);
  std::vector<bool> squares(map_.features());
  for (const GaussianFeature& each : tables_.plan.gaussians)
    if (each.square) squares[*each.square] = true;
  for (std::size_t t = 0; t < map_.parts().terms.size(); ++t) {
    const std::optional<std::uint32_t> input = input_of(map_.parts().terms[t], map_.parts().inputs);
    for (std::uint32_t j = map_.first_feature(t); j < map_.first_feature(t + 1); ++j) {
      if (squares[j]) continue;
      if (!input)
        throw Error(ErrorCode::usage, "feature " + in_quotes(map_.name(j)) + " is made of columns that cannot be drawn",
                    "train on the columns themselves");
      of_feature_[j] = *input;
      kinds[j] = map_.parts().inputs[*input].kind;
    }
  }
  for (const Term& term : map_.parts().terms)
    if (const TextTerm* const text = std::get_if<TextTerm>(&term); text != nullptr && !plain_words(*text->bag))
      warnings_.push_back("column " + in_quotes(columns_[text->input]) +
                          " was not learnt as counts of words: its terms are drawn one after another, and read again "
                          "they may be others");
  const std::size_t classes = tables_.labels.size();
  for (const EventGroup& group : tables_.plan.groups) {
    std::vector<std::uint32_t>& features = outcomes_.emplace_back();
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) features.push_back(j);
    of_group_.push_back({of_feature_[features.front()], kinds[features.front()]});
    if (group.event == Event::bernoulli && of_group_.back().kind == Kind::category)
      throw Error(ErrorCode::usage,
                  "column " + in_quotes(group.name) +
                      " cannot be drawn: with --event bernoulli each of its levels is there or not by itself, and a "
                      "row has one of them",
                  "train with --event " + as_typed(group.name + "=categorical"));
    std::vector<double>& sums = up_to_.emplace_back();
    for (std::size_t k = 0; k < classes; ++k) {
      double sum = 0.0;
      for (const std::uint32_t j : features) sums.push_back(sum += tables_.probability[k * map_.features() + j]);
    }
  }
}

std::size_t BayesSampler::outcome(const EventGroup& group, std::size_t label, double uniform) const {
  const auto g = static_cast<std::size_t>(&group - tables_.plan.groups.data());
  const std::size_t count = outcomes_[g].size();
  const auto begin = up_to_[g].begin() + static_cast<std::ptrdiff_t>(label * count);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const auto found = std::upper_bound(begin, end, uniform * *(end - 1));
  return static_cast<std::size_t>(std::min(found, end - 1) - begin);
}

// A level, a word, the name of an entry.
std::string BayesSampler::value_name(std::uint32_t feature, const Column& column) const {
  const std::string name = map_.name(feature);
  if (column.kind == Kind::sparse) return name;
  return name.substr(columns_[column.field].size() + 1);
}

void BayesSampler::draw_group(const EventGroup& group, const Column& column, Draws& draws, Row& row) const {
  const auto g = static_cast<std::size_t>(&group - tables_.plan.groups.data());
  const std::vector<std::uint32_t>& features = outcomes_[g];
  std::map<std::uint32_t, std::uint64_t> counts;
  if (group.event == Event::bernoulli) {
    for (const std::uint32_t j : features)
      if (draws.uniform() < tables_.probability[row.label * map_.features() + j]) counts[j] = 1;
  } else {
    const bool none = up_to_[g][(row.label + 1) * features.size() - 1] == 0.0;  // the class never showed an outcome
    const std::uint32_t drawn = none ? 0 : group.event == Event::categorical ? 1 : words_;
    for (std::uint32_t i = 0; i < drawn; ++i) ++counts[features[outcome(group, row.label, draws.uniform())]];
  }
  if (column.kind == Kind::number) {
    for (const std::uint32_t j : features) row.fields[of_feature_[j]] = "0";
    for (const auto& [j, count] : counts) row.fields[of_feature_[j]] = std::to_string(count);
    return;
  }
  std::string& field = row.fields[column.field];
  for (const auto& [j, count] : counts) {
    std::string name = value_name(j, column);
    // Some words of a text are words at a place, 2=sir: places are drawn in their order.
    if (column.kind == Kind::text && group.event == Event::categorical) name.erase(0, name.find('=') + 1);
    if (column.kind == Kind::sparse) {
      field += (field.empty() ? "" : " ") + name + ":" + std::to_string(count);
    } else {
      for (std::uint64_t i = 0; i < count; ++i) field += (field.empty() ? "" : " ") + name;
    }
  }
}

BayesSampler::Row BayesSampler::row(std::uint64_t number) const {
  Draws draws(key_, number);
  Row row;
  row.fields.resize(columns_.size());
  double left = draws.uniform();
  while (row.label + 1 < tables_.prior.size() && left >= tables_.prior[row.label]) left -= tables_.prior[row.label++];
  for (std::size_t g = 0; g < tables_.plan.groups.size(); ++g)
    draw_group(tables_.plan.groups[g], of_group_[g], draws, row);
  const std::size_t classes = tables_.labels.size();
  for (std::size_t g = 0; g < tables_.plan.gaussians.size(); ++g) {
    const std::size_t place = g * classes + row.label;
    const double value = tables_.mean[place] + std::sqrt(tables_.variance[place]) * draws.normal();
    const std::size_t field = of_feature_[tables_.plan.gaussians[g].feature];
    const bool entry = map_.parts().inputs[field].kind == Kind::sparse;
    if (entry) {
      row.fields[field] += (row.fields[field].empty() ? "" : " ") + map_.name(tables_.plan.gaussians[g].feature) + ":" +
                           number_text(value);
    } else {
      row.fields[field] = number_text(value);
    }
  }
  return row;
}

}  // namespace plumb
