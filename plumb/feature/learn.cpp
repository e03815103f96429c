// Learning a FeatureMap: the levels in the training rows, merged over pieces in row order and then sorted.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/fill.h"
#include "plumb/feature/learn_entries.h"
#include "plumb/feature/learn_text.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/square.h"

namespace plumb {
namespace {

// A text column whose values are almost all different is a name or a key: it would be one feature per row.
constexpr std::uint64_t kFewLevels = 20;

// The levels of one category among the given rows.
std::vector<std::string> levels_of(const Tables& tables, std::size_t column, const RowSet& rows) {
  std::unordered_set<std::string_view> seen;
  std::uint64_t number = 0;
  for (const Table& table : tables.pieces) {
    const Column& values = table.columns[column];
    std::vector<bool> used(values.levels.size());
    std::size_t unused = used.size();
    for (std::size_t row = 0; row < values.codes.size() && unused > 0; ++row) {
      if (used[values.codes[row]] || !rows.has(number + row)) continue;
      used[values.codes[row]] = true;
      --unused;
    }
    number += values.codes.size();
    for (std::size_t code = 0; code < used.size(); ++code)
      if (used[code]) seen.insert(values.levels[code]);
  }
  return {seen.begin(), seen.end()};
}

// Throws for the first training row with an undeclared level.
void check_declared(const Tables& tables, std::size_t column, const RowSet& rows, const FeaturePlan::Input& input) {
  const std::unordered_set<std::string_view> declared(input.levels.begin(), input.levels.end());
  for (const Table& table : tables.pieces) {
    const Column& values = table.columns[column];
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      const std::string& level = values.levels[values.codes[row]];
      if (declared.contains(level) || !rows.has(table.first_row + row)) continue;
      throw table.row_error(row,
                            "column " + in_quotes(input.name) + " holds " + in_quotes(level) +
                                ", which --levels does not name; it names " + listed(input.levels),
                            did_you_mean(level, input.levels));
    }
  }
}

void check_base(const FeatureMap::Input& input, const std::string& level) {
  if (std::find(input.levels.begin(), input.levels.end(), level) != input.levels.end()) return;
  throw Error(ErrorCode::usage,
              "--base names " + in_quotes(input.name + "=" + level) +
                  ", which is in none of the training rows; the levels are " + listed(input.levels),
              did_you_mean(level, input.levels));
}

bool all_differ(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

// Whether every row has a different whole number, as keys do.
bool holds_keys(const Tables& tables, std::size_t column, const RowSet& rows) {
  constexpr std::size_t kFirstLook = 1000;  // most columns of whole numbers repeat a value among that many
  std::vector<double> seen;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      if (!rows.has(table.first_row + row)) continue;
      const double value = table.columns[column].numbers[row];
      if (std::trunc(value) != value) return false;  // or missing
      seen.push_back(value);
      if (seen.size() == kFirstLook && !all_differ(seen)) return false;
    }
  return seen.size() > kFewLevels && all_differ(std::move(seen));
}

// Whether a column is a feature by itself, not only part of others.
bool stands_alone(const FeaturePlan& plan, const std::string& name) {
  return std::any_of(plan.terms.begin(), plan.terms.end(), [&](const auto& term) {
    const Formula* const formula = std::get_if<Formula>(&term);
    const std::optional<Expression> product = formula == nullptr ? std::nullopt : formula->product();
    return product && product->plain_column() && product->factors.front().column == name;
  });
}

// The terms of a plan over the kept inputs. A category has no feature for its base if the model already contains the
// rest of the term: the bias for a category alone, the other column for a cross.
class Coder {
 public:
  Coder(const FeaturePlan& plan, const Wishes& wishes, const std::vector<FeatureMap::Input>& inputs,
        const std::unordered_map<std::string, std::uint32_t>& kept,
        const std::unordered_map<std::uint32_t, std::string>& bases,
        std::unordered_map<std::uint32_t, BagOfWords>& texts, std::function<double(std::uint32_t)> centre_of)
      : plan_(plan),
        wishes_(wishes),
        inputs_(inputs),
        kept_(kept),
        bases_(bases),
        texts_(texts),
        centre_of_(std::move(centre_of)) {
    full_ = plan.coding == Coding::full || (plan.coding == Coding::automatic && wishes.full_coding);
    bias_ = wishes.bias;
    for (const auto& term : plan.terms)
      if (const Formula* formula = std::get_if<Formula>(&term); formula != nullptr) taken_.insert(formula->name());
    for (const auto& term : plan.terms)
      if (const Formula* formula = std::get_if<Formula>(&term))
        if (const auto product = formula->product(); product && product->plain_column())
          alone_.insert(product->factors.front().column);
  }

  std::vector<Term> terms() {
    std::vector<Term> terms;
    for (const auto& planned : plan_.terms) {
      const Cross* const cross = std::get_if<Cross>(&planned);
      const std::vector<std::string>& columns =
          cross != nullptr ? cross->columns : std::get<Formula>(planned).columns();
      if (!std::all_of(columns.begin(), columns.end(), [&](const std::string& name) { return kept_.contains(name); }))
        continue;
      add_in_its_form(cross != nullptr ? crossed(*cross) : derived(std::get<Formula>(planned)), terms);
    }
    return terms;
  }

 private:
  // Numbers and entries may be requested as presence, or with their squares.
  void add_in_its_form(Term term, std::vector<Term>& terms) {
    const std::optional<Formula> formula = formula_of(term, inputs_);
    EntriesTerm* const entries = std::get_if<EntriesTerm>(&term);
    const NumberForm form = !wishes_.form || (!formula && entries == nullptr) ? NumberForm::value
                            : formula ? wishes_.form(formula->name(), Kind::number)
                                      : wishes_.form(inputs_[entries->input].name, Kind::sparse);
    if (entries != nullptr) {
      entries->form = static_cast<EntryForm>(form);
    } else if (form == NumberForm::presence) {
      term = of_formula(Formula::parse("(" + formula->text() + ") > 0"));
    }
    const ProductTerm* const product = std::get_if<ProductTerm>(&term);
    terms.push_back(term);
    if (entries != nullptr || form != NumberForm::with_square) return;
    const bool plain = product != nullptr && product->powers.size() == 1 && product->powers[0].power == 1;
    const Formula square = centred_square(*formula, plain ? centre_of_(product->powers[0].input) : 0.0, taken_);
    taken_.insert(square.name());
    terms.push_back(of_formula(square));
  }

  Term of_formula(const Formula& formula) const {
    if (const std::optional<Expression> product = formula.product()) {
      ProductTerm term;
      for (const Factor& factor : product->factors) term.powers.push_back({kept_.at(factor.column), factor.power});
      return term;
    }
    FormulaTerm term{formula, {}};
    for (const std::string& name : formula.columns()) term.inputs.push_back(kept_.at(name));
    return term;
  }

  bool is_category(const std::string& name) const { return inputs_[kept_.at(name)].kind == Kind::category; }

  Term derived(const Formula& formula) {
    const std::optional<Expression> product = formula.product();
    if (product && product->plain_column() && inputs_[kept_.at(product->factors.front().column)].kind == Kind::sparse)
      return EntriesTerm{kept_.at(product->factors.front().column)};
    if (product && product->plain_column() && inputs_[kept_.at(product->factors.front().column)].kind == Kind::text)
      return text(kept_.at(product->factors.front().column));
    if (product && product->plain_column() && is_category(product->factors.front().column)) {
      // Without a bias the first category keeps all its levels, and replaces it.
      const bool spanned = bias_;
      bias_ = true;
      return side(product->factors.front().column, spanned);
    }
    return of_formula(formula);
  }

  TextTerm text(std::uint32_t input) {
    return {input, std::make_shared<const BagOfWords>(std::move(texts_.at(input)))};
  }

  Term crossed(const Cross& cross) const {
    expect_few_combinations(cross);
    if (cross.columns.size() > 2) {
      std::vector<CategoryTerm> sides;
      for (const std::string& name : cross.columns) sides.push_back({kept_.at(name), {}});
      return CrossTerm{sides[0], sides[1], {sides.begin() + 2, sides.end()}};
    }
    const std::string& left = cross.columns[0];
    const std::string& right = cross.columns[1];
    if (!is_category(left) && !is_category(right)) return ProductTerm{{{kept_.at(left), 1}, {kept_.at(right), 1}}};
    return CrossTerm{side(left, alone_.contains(right)), side(right, alone_.contains(left))};
  }

  void expect_few_combinations(const Cross& cross) const {
    constexpr double kMost = 1e8;
    double combinations = 1.0;
    for (const std::string& name : cross.columns) {
      if (cross.columns.size() > 2 && !is_category(name))
        throw Error(ErrorCode::usage,
                    cross.text() + " is of more than two columns, and " + in_quotes(name) +
                        " is no category; categories were expected",
                    "--categorical " + as_typed_item(name) + " reads it as one");
      if (is_category(name)) combinations *= static_cast<double>(inputs_[kept_.at(name)].levels.size());
    }
    if (combinations > kMost)
      throw Error(ErrorCode::usage,
                  cross.text() + " has " + number_text(combinations, 6) +
                      " combinations of levels, too many for a feature each",
                  "cross fewer columns");
  }

  CategoryTerm side(const std::string& name, bool spanned) const {
    CategoryTerm term{kept_.at(name), {}};
    const std::vector<std::string>& levels = inputs_[term.input].levels;
    if (full_ || !spanned || levels.empty()) return term;
    const auto base = bases_.find(term.input);
    term.base =
        base == bases_.end()
            ? 0
            : static_cast<std::uint32_t>(std::find(levels.begin(), levels.end(), base->second) - levels.begin());
    return term;
  }

  const FeaturePlan& plan_;
  const Wishes& wishes_;
  const std::vector<FeatureMap::Input>& inputs_;
  const std::unordered_map<std::string, std::uint32_t>& kept_;
  const std::unordered_map<std::uint32_t, std::string>& bases_;
  std::unordered_map<std::uint32_t, BagOfWords>& texts_;
  std::function<double(std::uint32_t)> centre_of_;  // for the square of an input
  std::unordered_set<std::string> alone_;           // columns that are terms by themselves
  std::unordered_set<std::string> taken_;           // names of the terms, so that no square has the same
  bool full_ = false;
  bool bias_ = true;  // or a category that replaces it
};

// Terms of a text have distinct names by themselves, and there may be millions of them: only the other names are
// compared, with one another and with names such as "review:good".
void check_names(const FeatureMap& map) {
  std::unordered_set<std::string> names;
  const auto refuse = [](const std::string& name) {
    throw Error(ErrorCode::data,
                "two features are called " + in_quotes(name) + "; every feature needs a name of its own",
                "rename one of the columns behind them, or leave it out with --drop");
  };
  const FeatureMap::Parts& parts = map.parts();
  // Entries alone have the names of their levels, which are distinct.
  if (parts.terms.size() == 1)
    if (const EntriesTerm* const only = std::get_if<EntriesTerm>(&parts.terms.front());
        only != nullptr && only->form != EntryForm::with_square)
      return;
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    if (std::holds_alternative<TextTerm>(parts.terms[t])) continue;
    for (std::uint32_t feature = map.first_feature(t); feature < map.first_feature(t + 1); ++feature)
      if (std::string name = map.name(feature); !names.insert(name).second) refuse(name);
  }
  for (const Term& term : parts.terms) {
    const TextTerm* const text = std::get_if<TextTerm>(&term);
    if (text == nullptr) continue;
    const std::string prefix = parts.inputs[text->input].name + ":";
    for (const std::string& name : names)
      if (name.starts_with(prefix) && text->bag->hash_bits == 0 &&
          text->bag->vocabulary->find(std::string_view(name).substr(prefix.size())) != kNoTerm)
        refuse(name);
  }
}

// Those that have a weight: a row of weight 0 is left out, whatever it contains.
RowSet rows_that_count(const Tables& tables, std::optional<std::size_t> weight, const RowSet& rows) {
  if (!weight) return rows;
  RowSet counted(rows.rows());
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row)
      if (rows.has(table.first_row + row) && table.columns[*weight].numbers[row] != 0.0)
        counted.add(table.first_row + row);
  return counted;
}

}  // namespace

Learnt learn_features(const Tables& tables, const FeaturePlan& plan, const RowSet& rows, const Wishes& wishes) {
  Executor executor(1);
  return learn_features(tables, plan, rows, wishes, Run{executor});
}

Learnt learn_features(const Tables& tables, const FeaturePlan& plan, const RowSet& given, const Wishes& wishes,
                      const Run& run) {
  const auto weight = plan.weight.empty() ? std::nullopt : std::optional(plan.inputs.size() + 1);
  RowSet rows = rows_that_count(tables, weight, given);
  Learnt learnt;
  Fills fills = learn_fills(tables, plan, weight, rows, wishes);
  if (fills.complete) rows = rows.intersection(*fills.complete);
  learnt.complete = std::move(fills.complete);
  learnt.filled = std::move(fills.said);
  const std::size_t target = plan.inputs.size();
  learnt.layout.target = target;
  learnt.layout.target_formula = plan.target_formula;
  if (!plan.weight.empty()) learnt.layout.weight = target + 1;
  if (plan.target_kind == Kind::category) learnt.layout.labels = labels_among(levels_of(tables, target, given));
  FeatureMap::Parts parts;
  parts.na = plan.na;
  std::unordered_map<std::string, std::uint32_t> kept;   // column -> position in parts.inputs
  std::unordered_map<std::uint32_t, std::string> bases;  // levels that the user named
  std::unordered_map<std::uint32_t, BagOfWords> texts;   // by position in parts.inputs
  const std::uint64_t training = rows.count();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const FeaturePlan::Input& input = plan.inputs[i];
    FeatureMap::Input learnt_input{input.name, input.kind, {}};
    if (input.kind == Kind::category) {
      learnt_input.levels = levels_of(tables, i, rows);
      const std::uint64_t levels = learnt_input.levels.size();
      if (!input.asked && levels > kFewLevels && levels * 2 > training) {
        learnt.warnings.push_back("column " + in_quotes(input.name) + " was left out: it holds " +
                                  counted(levels, "different text") + " in " + counted(training, "row") +
                                  ", so it looks like a name or key (--categorical " + as_typed_item(input.name) +
                                  " keeps it, --text " + as_typed_item(input.name) + " reads its words)");
        continue;
      }
      if (input.levels.empty()) {
        sort_levels(learnt_input.levels);
      } else {
        check_declared(tables, i, rows, input);
        learnt_input.levels = input.levels;
      }
      learnt.notes.push_back("column " + in_quotes(input.name) + " holds " + counted(levels, "level"));
    }
    if (input.kind == Kind::number && !input.asked && holds_keys(tables, i, rows))
      learnt.said.push_back("column " + in_quotes(input.name) +
                            " holds another whole number in every row, as a key does; it is used as a number (--drop " +
                            as_typed_item(input.name) + " leaves it out)");
    learnt_input.fill = fills.values[i];
    if (input.kind == Kind::sparse) {
      learnt_input.levels = names_of_entries(tables, i, rows, wishes.every_number, run);
      learnt.notes.push_back("column " + in_quotes(input.name) + " holds entries of " +
                             counted(learnt_input.levels.size(), "feature"));
    }
    const auto place = static_cast<std::uint32_t>(parts.inputs.size());
    if (input.kind == Kind::text && stands_alone(plan, input.name)) {
      TextRecipe recipe = plan.text;
      recipe.by_text = wishes.terms_by_text;
      recipe.may_be_none = wishes.terms_may_be_none;
      if (wishes.form && wishes.form(input.name, Kind::text) == NumberForm::presence) {
        if (recipe.weighting.idf || recipe.weighting.norm != RowNorm::none)
          throw Error(ErrorCode::usage,
                      "the model asks whether a term is in a text, so --tfidf and --normalise have no meaning",
                      "leave them out, or --event multinomial");
        recipe.weighting = {.binary = true};
      }
      texts.emplace(place, learn_text(tables, {i, input.name, target}, recipe, rows, run, learnt.said));
    }
    learnt.layout.inputs.push_back(i);
    if (input.base) bases.emplace(place, *input.base);
    kept.emplace(input.name, place);
    parts.inputs.push_back(std::move(learnt_input));
  }

  for (const auto& [input, level] : bases) check_base(parts.inputs[input], level);
  parts.terms =
      Coder(plan, wishes, parts.inputs, kept, bases, texts, [&](std::uint32_t input) {
        return short_centre(tables, learnt.layout.inputs[input], learnt.layout.weight, parts.inputs[input].fill, rows);
      }).terms();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (fills.marked[i]) parts.terms.push_back(MissingTerm{kept.at(plan.inputs[i].name)});
  if (!plan.offset.empty()) parts.terms.push_back(OffsetTerm{kept.at(plan.offset)});
  learnt.map = FeatureMap(parts);
  if (plan.scale != Scaling::none && wishes.form) {
    learnt.warnings.push_back("--scale changes nothing: naive Bayes takes columns as they are");
  } else if (plan.scale != Scaling::none) {
    parts.scale = learn_scale(tables, learnt.map, learnt.layout, rows, plan.scale);
    learnt.map = FeatureMap(std::move(parts));
  }
  learnt.layout.low_parts = wishes.low_parts && tables.rows * learnt.map.features() <= Wishes::kMostLowParts;

  check_names(learnt.map);
  return learnt;
}

}  // namespace plumb
