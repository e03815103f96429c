#include "plumb/feature/merge_maps.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/data/entry_names.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/square.h"
#include "plumb/feature/text_coder.h"

namespace plumb {
namespace {

using Input = FeatureMap::Input;

[[noreturn]] void refuse_merge(const std::string& what) {
  throw Error(ErrorCode::usage, "the models cannot be merged: " + what, "train both with the same columns and options");
}

// Categories as in training; the names of entries by number after those without one.
std::vector<std::string> all_levels(const Input& left, const Input& right) {
  if (left.levels == right.levels) return left.levels;
  std::set<std::string> both(left.levels.begin(), left.levels.end());
  both.insert(right.levels.begin(), right.levels.end());
  std::vector<std::string> levels(both.begin(), both.end());
  if (left.kind == Kind::category) {
    for (const Input* input : {&left, &right}) {
      std::vector<std::string> sorted = input->levels;
      sort_levels(sorted);
      if (sorted != input->levels)
        refuse_merge("column " + in_quotes(input->name) + " has other declared levels in each");
    }
    sort_levels(levels);
  } else {
    std::stable_sort(levels.begin(), levels.end(),
                     [](const std::string& a, const std::string& b) { return number_in_name(a) < number_in_name(b); });
  }
  return levels;
}

TextTerm all_terms(const TextTerm& left, const TextTerm& right, const std::string& column, LearntFrom right_from) {
  const BagOfWords& a = *left.bag;
  const BagOfWords& b = *right.bag;
  if (!(a.rules == b.rules) || a.positions != b.positions || !(a.weighting == b.weighting) ||
      a.hash_bits != b.hash_bits)
    refuse_merge("the texts of column " + in_quotes(column) + " become words in different ways");
  if (!a.weighting.idf && a.texts() == b.texts()) return left;
  BagOfWords bag = a;
  if (a.hash_bits > 0) {  // the same features, each named after the first term that it met
    bag.names = {};
    for (std::size_t id = 0; id < a.names.size(); ++id) bag.names.add(a.names[id].empty() ? b.names[id] : a.names[id]);
  } else if (a.texts() != b.texts()) {
    std::set<std::string> both;  // as by Wishes::terms_by_text
    for (const BagOfWords* const each : {&a, &b})
      for (std::uint32_t id = 0; id < each->vocabulary->size(); ++id) both.emplace(each->vocabulary->text(id));
    TextList terms;
    for (const std::string& text : both) terms.add(text);
    bag.vocabulary = std::make_shared<const Vocabulary>(std::move(terms));
  }
  if (a.weighting.idf) {
    bag.documents = 0;
    bag.document_frequency.assign(bag.features(), 0);
    for (const BagOfWords* const each : {&a, &b}) {
      if (each == &a && right_from == LearntFrom::more_rows) continue;
      bag.documents += each->documents;
      for (std::uint32_t id = 0; id < each->features(); ++id)
        bag.document_frequency[a.hash_bits > 0 ? id : bag.vocabulary->find(each->vocabulary->text(id))] +=
            each->document_frequency[id];
    }
  }
  return {left.input, std::make_shared<const BagOfWords>(std::move(bag))};
}

const BagOfWords* bag_of(const Term& term) {
  const TextTerm* const text = std::get_if<TextTerm>(&term);
  return text == nullptr ? nullptr : text->bag.get();
}

// The feature of the merged map for each feature of another: by position in a term of numbers or of hashed texts,
// otherwise by name.
std::vector<std::uint32_t> places(const FeatureMap& of, const FeatureMap& in) {
  std::vector<std::uint32_t> places;
  for (std::size_t t = 0; t < of.parts().terms.size(); ++t) {
    const std::uint32_t first = of.first_feature(t), last = of.first_feature(t + 1), begin = in.first_feature(t);
    const BagOfWords* const bag = bag_of(of.parts().terms[t]);
    const bool same = of.parts().terms[t] == in.parts().terms[t] && of.parts().inputs == in.parts().inputs;
    if (last - first == in.first_feature(t + 1) - begin && (same || (bag != nullptr && bag->hash_bits > 0))) {
      for (std::uint32_t j = first; j < last; ++j) places.push_back(begin + (j - first));
      continue;
    }
    if (formula_of(of.parts().terms[t], of.parts().inputs)) {
      places.push_back(begin);
      continue;
    }
    std::unordered_map<std::string, std::uint32_t> by_name;
    for (std::uint32_t j = begin; j < in.first_feature(t + 1); ++j) by_name.emplace(in.name(j), j);
    for (std::uint32_t j = first; j < last; ++j) places.push_back(by_name.at(of.name(j)));
  }
  return places;
}

bool alike(const Term& left, const Term& right, const FeatureMap::Parts& a, const FeatureMap::Parts& b, std::size_t t) {
  if (left == right) return true;
  // Squares about different centres are squares of the same number.
  return t > 0 && centre_of_square(a.terms[t - 1], left, a.inputs) && centre_of_square(b.terms[t - 1], right, b.inputs);
}

// Levels are in numeric order if all are numbers, otherwise bytewise: when the last that is not a number goes, the
// others may change places. Whether any did.
bool sort_as_learnt(const std::vector<Input>& before, std::vector<Input>& inputs) {
  bool moved = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string>& levels = inputs[i].levels;
    if (inputs[i].kind != Kind::category || levels.size() == before[i].levels.size()) continue;
    std::vector<std::string> sorted = before[i].levels;
    sort_levels(sorted);
    if (sorted != before[i].levels) continue;  // in a declared order
    sorted = levels;
    sort_levels(sorted);
    moved = moved || sorted != levels;
    levels = std::move(sorted);
  }
  return moved;
}

// The levels of categories, and names of entries, that remain when some features go. A level may be part of several
// terms: it goes if one of them can do without it and none needs it.
class LevelsToKeep {
 public:
  LevelsToKeep(const FeatureMap& map, const std::function<bool(std::uint32_t)>& keep) : map_(map) {
    const FeatureMap::Parts& parts = map.parts();
    for (const Input& input : parts.inputs) needed_.emplace_back(input.levels.size());
    std::vector<std::vector<bool>> spare = needed_;
    for (std::size_t t = 0; t < parts.terms.size(); ++t) {
      const std::vector<CategoryTerm> sides = sides_of(t);
      const bool based = std::any_of(sides.begin(), sides.end(), [](const CategoryTerm& each) { return !!each.base; });
      for (const CategoryTerm& side : sides) spare[side.input].assign(spare[side.input].size(), true);
      for (std::uint32_t j = map.first_feature(t); j < map.first_feature(t + 1); ++j)
        if (!sides.empty() && (based || keep(j)))
          visit(sides, j - map.first_feature(t), [&](std::uint32_t input, std::uint32_t level) {
            if (based)
              needed_[input].assign(needed_[input].size(), true);
            else
              needed_[input][level] = true;
          });
    }
    for (std::size_t i = 0; i < needed_.size(); ++i)
      for (std::size_t level = 0; level < needed_[i].size(); ++level)
        if (!spare[i][level]) needed_[i][level] = true;  // not in a term that can do without it
  }

  // Whether a feature of a term stays.
  bool keep(std::size_t t, std::uint32_t slot) const {
    const std::vector<CategoryTerm> sides = sides_of(t);
    bool kept = true;
    visit(sides, slot, [&](std::uint32_t input, std::uint32_t level) { kept = kept && needed_[input][level]; });
    return kept;
  }

  void thin(std::vector<Input>& inputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::size_t level = 0;
      std::erase_if(inputs[i].levels, [&](const std::string&) { return !needed_[i][level++]; });
    }
  }

 private:
  // The levels of the features of a term; empty for terms that always stay whole.
  std::vector<CategoryTerm> sides_of(std::size_t t) const {
    const Term& term = map_.parts().terms[t];
    if (const CategoryTerm* const category = std::get_if<CategoryTerm>(&term)) return {*category};
    if (const CrossTerm* const cross = std::get_if<CrossTerm>(&term)) return cross->sides();
    // Squares, if any, follow all values, in the same order.
    if (const EntriesTerm* const entries = std::get_if<EntriesTerm>(&term)) return {{entries->input, {}}};
    return {};
  }

  // The input and level of each side. For a side with a base, or a number, only the input.
  template <class Visit>
  void visit(const std::vector<CategoryTerm>& sides, std::uint32_t slot, Visit&& each) const {
    for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
      const std::vector<std::string>& levels = map_.parts().inputs[side->input].levels;
      const auto size = static_cast<std::uint32_t>(levels.empty() ? 1 : levels.size() - (side->base ? 1 : 0));
      if (!levels.empty()) {
        const std::uint32_t level = slot % size;
        each(side->input, level + (side->base && level >= *side->base ? 1 : 0));
      }
      slot /= size;
    }
  }

  const FeatureMap& map_;
  std::vector<std::vector<bool>> needed_;  // [input][level]
};

}  // namespace

std::optional<std::string> normalised_idf_column(const FeatureMap& map) {
  for (const Term& term : map.parts().terms)
    if (const BagOfWords* const bag = bag_of(term);
        bag != nullptr && bag->weighting.idf && bag->weighting.norm != RowNorm::none)
      return map.parts().inputs[std::get<TextTerm>(term).input].name;
  return {};
}

void expect_sums_that_add_up(const FeatureMap& map) {
  if (const std::optional<std::string> column = normalised_idf_column(map))
    throw Error(ErrorCode::usage,
                "the texts of column " + in_quotes(*column) +
                    " are weighed by how many texts hold a word, then each is divided by its length: the values of all "
                    "change with every text that comes or goes, and the sums that were kept cannot follow",
                "train with --tfidf --normalise none, or without --tfidf");
}

std::vector<double> value_factors(const FeatureMap& from, const FeatureMap& to,
                                  const std::vector<std::uint32_t>& feature) {
  std::vector<double> factors(from.features(), 1.0);
  for (std::size_t t = 0; t < from.parts().terms.size(); ++t) {
    const BagOfWords* const before = bag_of(from.parts().terms[t]);
    const BagOfWords* const after = bag_of(to.parts().terms[t]);
    if (before == nullptr || after == nullptr || !before->weighting.idf) continue;
    for (std::uint32_t id = 0; id < before->features(); ++id) {
      const std::uint32_t j = from.first_feature(t) + id;
      if (feature[j] >= to.first_feature(t + 1)) continue;  // gone
      factors[j] =
          inverse_document_frequency(after->documents, after->document_frequency[feature[j] - to.first_feature(t)]) /
          inverse_document_frequency(before->documents, before->document_frequency[id]);
    }
  }
  return factors;
}

MergedMap merge_maps(const FeatureMap& left, const FeatureMap& right, LearntFrom right_from) {
  const FeatureMap::Parts& a = left.parts();
  const FeatureMap::Parts& b = right.parts();
  FeatureMap::Parts parts = a;
  if (a.inputs.size() != b.inputs.size() || a.terms.size() != b.terms.size()) refuse_merge("their columns differ");
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    const Input& one = a.inputs[i];
    const Input& other = b.inputs[i];
    if (one.name != other.name || one.kind != other.kind)
      refuse_merge("column " + in_quotes(one.name) + " of one is " + in_quotes(other.name) +
                   " of the other, or of another kind");
    if (one.fill != other.fill)
      refuse_merge("missing values of column " + in_quotes(one.name) + " are filled in differently");
    parts.inputs[i].levels = all_levels(one, other);
  }
  for (std::size_t t = 0; t < a.terms.size(); ++t) {
    const TextTerm* const text = std::get_if<TextTerm>(&a.terms[t]);
    if (text != nullptr && std::holds_alternative<TextTerm>(b.terms[t])) {
      parts.terms[t] = all_terms(*text, std::get<TextTerm>(b.terms[t]), a.inputs[text->input].name, right_from);
    } else if (!alike(a.terms[t], b.terms[t], a, b, t)) {
      refuse_merge("feature " + in_quotes(left.name(left.first_feature(t))) + " of one is " +
                   in_quotes(right.name(right.first_feature(t))) + " of the other");
    }
  }
  expect_sums_that_add_up(left);
  MergedMap merged{FeatureMap(std::move(parts)), {}, {}};
  merged.left = places(left, merged.map);
  merged.right = places(right, merged.map);
  return merged;
}

ThinnedMap thin_map(const FeatureMap& map, const std::function<bool(std::uint32_t feature)>& keep,
                    const GoneRows& gone) {
  FeatureMap::Parts parts = map.parts();
  const LevelsToKeep levels(map, keep);
  ThinnedMap thinned;
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const std::uint32_t first = map.first_feature(t), last = map.first_feature(t + 1);
    TextTerm* const text = std::get_if<TextTerm>(&parts.terms[t]);
    if (text == nullptr) {
      for (std::uint32_t j = first; j < last; ++j)
        if (levels.keep(t, j - first)) thinned.kept.push_back(j);
      continue;
    }
    BagOfWords bag = *text->bag;
    const bool hashed = bag.hash_bits > 0;
    TextList terms, names;
    bag.document_frequency.clear();
    for (std::uint32_t j = first; j < last; ++j) {
      if (!hashed && !keep(j)) continue;
      if (!hashed) terms.add(text->bag->vocabulary->text(j - first));
      if (hashed && !bag.names.empty()) {
        const bool named = gone.with_feature[j] == 0;
        if (!named && !bag.names[j - first].empty()) ++thinned.unnamed;
        names.add(named ? bag.names[j - first] : std::string_view());
      }
      if (bag.weighting.idf)
        bag.document_frequency.push_back(text->bag->document_frequency[j - first] - gone.with_feature[j]);
      thinned.kept.push_back(j);
    }
    if (bag.weighting.idf) bag.documents -= gone.rows;
    if (hashed) bag.names = std::move(names);
    if (!hashed && terms.size() < last - first) bag.vocabulary = std::make_shared<const Vocabulary>(std::move(terms));
    text->bag = std::make_shared<const BagOfWords>(std::move(bag));
  }
  levels.thin(parts.inputs);
  thinned.map = FeatureMap(parts);
  if (sort_as_learnt(map.parts().inputs, parts.inputs)) {
    FeatureMap sorted(std::move(parts));
    const std::vector<std::uint32_t> place = places(thinned.map, sorted);
    const std::vector<std::uint32_t> kept = thinned.kept;
    for (std::size_t j = 0; j < kept.size(); ++j) thinned.kept[place[j]] = kept[j];
    thinned.map = std::move(sorted);
  }
  return thinned;
}

}  // namespace plumb
