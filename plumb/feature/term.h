// The terms of a FeatureMap: each makes one or more features. Inputs are referred to by their position in the map.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "plumb/feature/formula.h"
#include "plumb/feature/text_term.h"

namespace plumb {

struct Power {
  std::uint32_t input = 0;
  std::uint32_t power = 1;
  bool operator==(const Power&) const = default;
};

// A column of numbers, or a product of whole powers of some: one feature, rounded once.
struct ProductTerm {
  std::vector<Power> powers;
  bool operator==(const ProductTerm&) const = default;
};

// Any other formula of numbers: one feature.
struct FormulaTerm {
  Formula formula;
  std::vector<std::uint32_t> inputs;  // of formula.columns(), in that order
  bool operator==(const FormulaTerm&) const = default;
};

// A category: a feature for each level, except for the base if there is one.
struct CategoryTerm {
  std::uint32_t input = 0;
  std::optional<std::uint32_t> base;  // a level
  bool operator==(const CategoryTerm&) const = default;
};

// The product of two columns of which one or both are categories: a feature for each level, or for each pair of levels.
// A side that is a number has no base. With `more` sides all are categories: a feature for each combination of levels,
// those of the last side fastest.
struct CrossTerm {
  CategoryTerm left;
  CategoryTerm right;
  std::vector<CategoryTerm> more = {};

  std::vector<CategoryTerm> sides() const {
    std::vector<CategoryTerm> all = {left, right};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  bool operator==(const CrossTerm&) const = default;
};

// The form of an entry's number: itself, 1 if it is above 0, or itself and its square.
enum class EntryForm { value, presence, with_square };

// Sparse entries such as 3:0.5: a feature for each name that training saw; with squares, one more for each after those.
struct EntriesTerm {
  std::uint32_t input = 0;
  EntryForm form = EntryForm::value;
  bool operator==(const EntriesTerm&) const = default;
};

// 1 where a number is missing, and filled in for the other terms; else 0.
struct MissingTerm {
  std::uint32_t input = 0;
  bool operator==(const MissingTerm&) const = default;
};

// A column of numbers that is added to the score as it is: one feature, whose weight is fixed at 1.
struct OffsetTerm {
  std::uint32_t input = 0;
  bool operator==(const OffsetTerm&) const = default;
};

using Term =
    std::variant<ProductTerm, FormulaTerm, CategoryTerm, CrossTerm, EntriesTerm, TextTerm, OffsetTerm, MissingTerm>;

// visit() with a list of functions, one for each kind of term.
template <class... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Cases(Functions...) -> Cases<Functions...>;

}  // namespace plumb
