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

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "the models cannot be merged: " + what, "train both with the same columns and options");
}

// Of a category as learning sorts them; the names of entries by number after those that have none.
std::vector<std::string> all_levels(const Input& left, const Input& right) {
  if (left.levels == right.levels) return left.levels;
  std::set<std::string> both(left.levels.begin(), left.levels.end());
  both.insert(right.levels.begin(), right.levels.end());
  std::vector<std::string> levels(both.begin(), both.end());
  if (left.kind == Kind::category) {
    for (const Input* input : {&left, &right}) {
      std::vector<std::string> sorted = input->levels;
      sort_levels(sorted);
      if (sorted != input->levels) refuse("column " + in_quotes(input->name) + " has other declared levels in each");
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
    refuse("the texts of column " + in_quotes(column) + " become words in different ways");
  if (!a.weighting.idf && (a.texts() == b.texts() || a.hash_bits > 0)) return left;
  BagOfWords bag = a;
  if (a.hash_bits == 0 && a.texts() != b.texts()) {
    TextList terms = a.vocabulary->terms();
    for (std::uint32_t id = 0; id < b.vocabulary->size(); ++id)
      if (a.vocabulary->find(b.vocabulary->text(id)) == kNoTerm) terms.add(b.vocabulary->text(id));
    bag.vocabulary = std::make_shared<const Vocabulary>(std::move(terms));
  }
  if (a.weighting.idf) {
    const bool add = right_from == LearntFrom::separate_rows;
    bag.documents = b.documents + (add ? a.documents : 0);
    bag.document_frequency.resize(bag.features());
    if (!add) std::fill(bag.document_frequency.begin(), bag.document_frequency.end(), 0);
    for (std::uint32_t id = 0; id < b.features(); ++id)
      bag.document_frequency[a.hash_bits > 0 ? id : bag.vocabulary->find(b.vocabulary->text(id))] +=
          b.document_frequency[id];
  }
  return {left.input, std::make_shared<const BagOfWords>(std::move(bag))};
}

const BagOfWords* bag_of(const Term& term) {
  const TextTerm* const text = std::get_if<TextTerm>(&term);
  return text == nullptr ? nullptr : text->bag.get();
}

// Which feature of the merged map each feature of another is: by place in a term of numbers, else by name.
std::vector<std::uint32_t> places(const FeatureMap& of, const FeatureMap& in) {
  std::vector<std::uint32_t> places;
  for (std::size_t t = 0; t < of.parts().terms.size(); ++t) {
    const std::uint32_t first = of.first_feature(t), last = of.first_feature(t + 1), begin = in.first_feature(t);
    const BagOfWords* const bag = bag_of(of.parts().terms[t]);
    if ((bag != nullptr && bag->hash_bits > 0) ||
        (last - first == in.first_feature(t + 1) - begin && of.parts().terms[t] == in.parts().terms[t] &&
         of.parts().inputs == in.parts().inputs)) {
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
  if (a.inputs.size() != b.inputs.size() || a.terms.size() != b.terms.size()) refuse("their columns differ");
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    const Input& one = a.inputs[i];
    const Input& other = b.inputs[i];
    if (one.name != other.name || one.kind != other.kind)
      refuse("column " + in_quotes(one.name) + " of one is " + in_quotes(other.name) +
             " of the other, or of another kind");
    if (one.fill != other.fill)
      refuse("missing values of column " + in_quotes(one.name) + " are filled in differently");
    parts.inputs[i].levels = all_levels(one, other);
  }
  for (std::size_t t = 0; t < a.terms.size(); ++t) {
    const TextTerm* const text = std::get_if<TextTerm>(&a.terms[t]);
    if (text != nullptr && std::holds_alternative<TextTerm>(b.terms[t])) {
      parts.terms[t] = all_terms(*text, std::get<TextTerm>(b.terms[t]), a.inputs[text->input].name, right_from);
    } else if (!alike(a.terms[t], b.terms[t], a, b, t)) {
      refuse("feature " + in_quotes(left.name(left.first_feature(t))) + " of one is " +
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
  ThinnedMap thinned;
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const std::uint32_t first = map.first_feature(t), last = map.first_feature(t + 1);
    const CategoryTerm* const category = std::get_if<CategoryTerm>(&parts.terms[t]);
    const EntriesTerm* const entries = std::get_if<EntriesTerm>(&parts.terms[t]);
    TextTerm* const text = std::get_if<TextTerm>(&parts.terms[t]);
    const bool levels =
        (category != nullptr && !category->base) || (entries != nullptr && entries->form != EntryForm::with_square);
    if (levels) {
      Input& input = parts.inputs[category != nullptr ? category->input : entries->input];
      std::vector<std::string> kept;
      for (std::uint32_t j = first; j < last; ++j) {
        if (!keep(j)) continue;
        kept.push_back(input.levels[j - first]);
        thinned.kept.push_back(j);
      }
      input.levels = std::move(kept);
    } else if (text != nullptr) {
      BagOfWords bag = *text->bag;
      const bool hashed = bag.hash_bits > 0;
      TextList terms;
      bag.document_frequency.clear();
      for (std::uint32_t j = first; j < last; ++j) {
        if (!hashed && !keep(j)) continue;
        if (!hashed) terms.add(text->bag->vocabulary->text(j - first));
        if (bag.weighting.idf)
          bag.document_frequency.push_back(text->bag->document_frequency[j - first] - gone.with_feature[j]);
        thinned.kept.push_back(j);
      }
      if (bag.weighting.idf) bag.documents -= gone.rows;
      if (!hashed && terms.size() < last - first) bag.vocabulary = std::make_shared<const Vocabulary>(std::move(terms));
      text->bag = std::make_shared<const BagOfWords>(std::move(bag));
    } else {
      for (std::uint32_t j = first; j < last; ++j) thinned.kept.push_back(j);
    }
  }
  thinned.map = FeatureMap(std::move(parts));
  return thinned;
}

}  // namespace plumb
