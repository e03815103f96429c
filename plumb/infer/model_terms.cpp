#include "plumb/infer/model_terms.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "plumb/math/distributions.h"

namespace plumb {
namespace {

using Inputs = std::set<std::uint32_t>;

struct InputsOf {
  Inputs operator()(const ProductTerm& term) const {
    Inputs found;
    for (const Power& each : term.powers) found.insert(each.input);
    return found;
  }
  Inputs operator()(const FormulaTerm& term) const { return {term.inputs.begin(), term.inputs.end()}; }
  Inputs operator()(const CrossTerm& term) const {
    Inputs found;
    for (const CategoryTerm& side : term.sides()) found.insert(side.input);
    return found;
  }
  template <class Other>
  Inputs operator()(const Other& term) const {
    return {term.input};
  }
};

const std::vector<double>* numbers_of(const Record& record, const char* name, std::size_t size) {
  const Statistic* const found = find_statistic(record, name);
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  return values == nullptr || values->size() != size ? nullptr : values;
}

}  // namespace

std::vector<ModelTerm> model_terms(const FeatureMap& map) {
  std::vector<ModelTerm> found;
  const FeatureMap::Parts& parts = map.parts();
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const Term& term = parts.terms[t];
    if (std::holds_alternative<OffsetTerm>(term)) continue;
    const Inputs inputs = std::visit(InputsOf(), term);
    ModelTerm own{"", {}, {inputs.begin(), inputs.end()}};
    const bool apart = std::holds_alternative<EntriesTerm>(term);
    for (std::uint32_t j = map.first_feature(t); j < map.first_feature(t + 1); ++j) {
      own.features.push_back(j);
      if (!apart) continue;
      own.name = map.name(j);
      found.push_back(std::exchange(own, {"", {}, own.inputs}));
    }
    if (apart || own.features.empty()) continue;
    const bool category = std::holds_alternative<CategoryTerm>(term) || std::holds_alternative<CrossTerm>(term) ||
                          std::holds_alternative<TextTerm>(term);
    if (category)
      for (const std::uint32_t input : own.inputs) own.name += (own.name.empty() ? "" : ":") + parts.inputs[input].name;
    else
      own.name = map.name(own.features.front());
    found.push_back(std::move(own));
  }
  return found;
}

std::vector<std::uint32_t> containing(const std::vector<ModelTerm>& terms, const ModelTerm& term) {
  std::vector<std::uint32_t> found;
  for (const ModelTerm& each : terms)
    if (each.inputs.size() > term.inputs.size() &&
        std::includes(each.inputs.begin(), each.inputs.end(), term.inputs.begin(), term.inputs.end()))
      found.insert(found.end(), each.features.begin(), each.features.end());
  return found;
}

std::vector<TermTest> term_tests(const FeatureMap& map, const Record& record) {
  if (find_statistic(record, kTermDegrees) == nullptr) return {};
  const std::vector<ModelTerm> terms = model_terms(map);
  const auto* const degrees = numbers_of(record, kTermDegrees, terms.size());
  const auto* const chi_square = numbers_of(record, kTermChiSquare, terms.size());
  const auto* const squares = numbers_of(record, kTermSquares, terms.size());
  const double* const freedom = find_number(record, "degrees_of_freedom");
  const double* const sd = find_number(record, "residual_sd");
  const bool f = squares != nullptr && freedom != nullptr && sd != nullptr && *freedom > 0 && *sd > 0;
  if (degrees == nullptr || (chi_square == nullptr && !f)) return {};
  std::vector<TermTest> found;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    TermTest test{terms[t].name, (*degrees)[t]};
    test.p = std::numeric_limits<double>::quiet_NaN();
    if (test.degrees > 0 && chi_square != nullptr) {
      test.statistic = (*chi_square)[t];
      test.p = math::ChiSquare{test.degrees}.upper(test.statistic);
    } else if (test.degrees > 0) {
      test.squares = (*squares)[t];
      test.statistic = test.squares / test.degrees / (*sd * *sd);
      test.p = math::FRatio{test.degrees, *freedom}.upper(test.statistic);
    }
    found.push_back(std::move(test));
  }
  return found;
}

}  // namespace plumb
