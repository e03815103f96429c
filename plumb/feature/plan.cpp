#include "plumb/feature/plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/model_formula.h"
#include "plumb/feature/target_scale.h"
#include "plumb/feature/text_coder.h"

namespace plumb {
namespace {

class Planner {
 public:
  Planner(const Source& source, const FeatureOptions& options, const TextOptions& text, std::optional<Kind> wanted)
      : source_(source), options_(options), text_(text), wanted_(wanted) {
    for (const ColumnInfo& column : source.columns()) {
      by_name_.emplace(column.name, names_.size());
      names_.push_back(column.name);
      kinds_.push_back(column.kind);
    }
    force("categorical", options.categorical, Kind::category);
    force("numeric", options.numeric, Kind::number);
    force("text", options.text, Kind::text);
    for (const std::string& name : options.drop) dropped_.insert(column("drop", name));
  }

  FeaturePlan plan() {
    const std::size_t target = find_target();
    target_ = target;
    std::optional<std::size_t> weight;
    if (!options_.weight.empty()) weight = column("weight", options_.weight);
    if (weight && *weight == target)
      throw Error(ErrorCode::usage, "--weight and --target name the same column; two were expected");
    refuse_dropped("target", target);
    refuse_entries(target);
    if (weight) refuse_dropped("weight", *weight);
    if (kinds_[target] == Kind::text && forced_.contains(target))
      throw Error(ErrorCode::usage, {source_.name()},
                  "--text names the target column " + in_quotes(names_[target]) + "; numbers or labels were expected",
                  "leave out --text " + as_typed_item(names_[target]));

    decide_target_kind();
    const IfMissing rule = if_weight_missing(options_.missing);
    std::optional<std::size_t> offset;
    if (!options_.offset.empty()) {
      offset = offset_column(weight);
      add_input(*offset, true, rule);
    }
    if (options_.features.empty()) {
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (c != target && c != weight && c != offset && !dropped_.contains(c) && by_default(c))
          add(Formula::of_column(names_[c]), false);
    } else {
      for (const std::string& text : options_.features) add_all("features", text);
    }
    for (const std::string& text : options_.derive) add_all("derive", text);
    if (cross_all_) add_crosses();
    read_levels();
    read_text_options();
    plan_.coding = options_.coding;
    plan_.missing = options_.missing;
    plan_.scale = options_.scale;
    plan_.na = source_.na();

    plan_.selected.push_back({target, kinds_[target], true, if_target_missing(options_.missing), {}, Role::target});
    plan_.target = names_[target];
    plan_.target_kind = kinds_[target];
    if (weight) {
      plan_.selected.push_back({*weight, Kind::number, true, rule});
      plan_.weight = names_[*weight];
    }
    for (std::size_t c = 0; c < names_.size(); ++c)
      if (c != target && c != weight && !inputs_.contains(c)) plan_.left_out.push_back(source_.columns()[c]);
    return std::move(plan_);
  }

 private:
  // `alone` unless the name is part of an expression.
  std::size_t column(const std::string& option, const std::string& name, bool alone = true) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    const std::string meant = nearest(name, names_);
    throw Error(
        ErrorCode::usage, {source_.name()},
        "--" + option + " names column " + in_quotes(name) + ", which is not there; the columns are " + listed(names_),
        meant.empty() || !alone ? did_you_mean(name, names_)
                                : "did you mean --" + option + " " + typed(option, meant) + "?");
  }

  // --target, --weight and --offset take one name, the others a list.
  static std::string typed(const std::string& option, const std::string& name) {
    return option == "target" || option == "weight" || option == "offset" ? as_typed(name) : as_typed_item(name);
  }

  void refuse_dropped(const std::string& option, std::size_t c) const {
    if (dropped_.contains(c))
      throw Error(ErrorCode::usage,
                  "column " + in_quotes(names_[c]) + " is named by both --" + option + " and --drop; one was expected");
  }

  // Dates are not features, nor are columns beside entries: a row's importance or tag.
  bool by_default(std::size_t c) const {
    return kinds_[c] != Kind::date && (!has_entries() || kinds_[c] == Kind::sparse || forced_.contains(c));
  }
  bool has_entries() const { return std::find(kinds_.begin(), kinds_.end(), Kind::sparse) != kinds_.end(); }

  std::size_t find_target() {
    if (by_name_.contains(options_.target)) return by_name_.at(options_.target);
    if (!options_.target.empty()) return formula_target();
    const std::optional<std::size_t> found = default_target(source_.columns());
    if (!found || dropped_.contains(*found))
      throw Error(ErrorCode::usage, "no target is given; a column to predict was expected",
                  "-t " + as_typed(names_.back()));
    if (!has_entries()) plan_.notes.push_back("no -t was given: the target is " + names_[*found]);
    return *found;
  }

  // log(wage): the column is the target, and its formula what is fitted. A name that is none of the columns is said so.
  std::size_t formula_target() {
    if (options_.target.find_first_of("()+-*/^") == std::string::npos) return column("target", options_.target);
    const Formula formula = Formula::parse(options_.target, names_);
    if (plain(formula)) return column("target", formula.columns().front());
    if (!TargetScale::of(formula))
      throw Error(ErrorCode::usage,
                  "the target " + in_quotes(options_.target) +
                      " has no inverse to take predictions back by; log, sqrt, exp, a power or a*y+b of one column was "
                      "expected",
                  "--derive adds a formula as a feature");
    plan_.target_formula = formula;
    return column("target", formula.columns().front());
  }

  void decide_target_kind() {
    Kind& kind = kinds_[target_];
    if (plan_.target_formula) {
      if (options_.target_kind == TargetKind::labels)
        throw Error(ErrorCode::usage,
                    "the target " + in_quotes(options_.target) + " is a number, and --target-kind says labels",
                    "-t " + as_typed(names_[target_]));
      kind = Kind::number;
      if (wanted_ != Kind::category) return;
      throw Error(ErrorCode::usage,
                  "the target " + in_quotes(options_.target) + " is a number, and the model predicts labels",
                  "-m least-squares");
    }
    if (kind == Kind::date || kind == Kind::text || wanted_ == Kind::category) kind = Kind::category;
    if (options_.target_kind == TargetKind::labels) kind = Kind::category;
    if (options_.target_kind == TargetKind::number) kind = Kind::number;
    if (wanted_ || options_.target_kind != TargetKind::automatic || kind != Kind::number || forced_.contains(target_))
      return;
    const SampledNumbers& sampled = source_.columns()[target_].sampled;
    const bool labels = look_like_labels(sampled, has_entries());
    constexpr std::uint64_t kFew = 20;
    if (labels) {
      kind = Kind::category;
      plan_.guessed_labels = true;
      plan_.kind_note = names_[target_] + " has " + count_text(sampled.different) +
                        " different values and is predicted as a label (--target-kind number predicts a number)";
    } else if (sampled.different > 1 && sampled.different <= kFew && sampled.whole &&
               sampled.count >= 2 * sampled.different) {
      plan_.kind_note = names_[target_] + " has " + count_text(sampled.different) +
                        " different values and is predicted as a number (--target-kind labels predicts a label)";
    }
  }

  void refuse_entries(std::size_t c) const {
    if (kinds_[c] == Kind::text && c != target_)
      throw Error(ErrorCode::usage, {source_.name()},
                  "column " + in_quotes(names_[c]) + " holds text; numbers or categories were expected",
                  "length(" + Formula::of_column(names_[c]).text() + ") is a number; --categorical " +
                      as_typed_item(names_[c]) + " reads it as categories");
    if (kinds_[c] == Kind::sparse)
      throw Error(ErrorCode::usage, {source_.name()},
                  "column " + in_quotes(names_[c]) + " holds entries like 3:0.5; numbers or categories were expected",
                  "--drop " + as_typed_item(names_[c]) + " leaves it out");
  }

  void force(const std::string& option, const std::vector<std::string>& names, Kind kind) {
    for (const std::string& name : names) {
      const std::size_t c = column(option, name);
      if (!forced_.insert(c).second && kinds_[c] != kind)
        throw Error(ErrorCode::usage, "column " + in_quotes(name) +
                                          " is named by two of --categorical, --numeric and --text; one was "
                                          "expected");
      kinds_[c] = kind;
    }
  }

  // A text that is a column's name is that column, whatever characters it contains; anything else is a formula.
  void add_all(const std::string& option, const std::string& text) {
    if (by_name_.contains(text)) return add_checked(option, Formula::of_column(text), text);
    Derivation derivation = parse_derivation(text);
    if (const Cross* cross = std::get_if<Cross>(&derivation)) {
      if (cross->all()) {
        cross_all_ = true;
        return;
      }
      for (const std::string& name : cross->columns) refuse_entries(usable(option, name, false));
      return add(*cross, true);
    }
    const std::vector<Formula>& formulas = std::get<std::vector<Formula>>(derivation);
    if (!plain(formulas.front())) static_cast<void>(parse_derivation(text, names_));  // points at an unknown name
    for (const Formula& formula : formulas) add_checked(option, formula, text, formulas.size() > 1);
  }

  static bool plain(const Formula& formula) {
    const std::optional<Expression> product = formula.product();
    return product && product->plain_column();
  }

  // `several`: one of the powers of poly(...), which are of numbers.
  void add_checked(const std::string& option, const Formula& formula, const std::string& text, bool several = false) {
    for (std::size_t i = 0; i < formula.columns().size(); ++i) {
      const std::string& name = formula.columns()[i];
      const std::size_t c = usable(option, name, plain(formula));
      if (formula.meter(i) != nullptr) {
        expect_text(text, c);
        continue;
      }
      if (!plain(formula) || several) refuse_entries(c);
      if (kinds_[c] == Kind::category && !plain(formula))
        throw Error(ErrorCode::usage, {source_.name()},
                    "formula " + in_quotes(text) + " uses column " + in_quotes(name) +
                        ", which holds categories; numbers were expected",
                    "--numeric " + as_typed_item(name) + " reads it as numbers");
    }
    add(formula, true);
  }

  // A formula measures the texts of this column. One that was guessed to be categorical is read as text.
  void expect_text(const std::string& formula, std::size_t c) {
    if (kinds_[c] == Kind::category && !forced_.contains(c) && !inputs_.contains(c)) kinds_[c] = Kind::text;
    if (kinds_[c] != Kind::text)
      throw Error(ErrorCode::usage, {source_.name()},
                  "formula " + in_quotes(formula) + " measures column " + in_quotes(names_[c]) + ", which is of kind " +
                      kind_name(kinds_[c]) + "; text was expected",
                  "--text " + as_typed_item(names_[c]) + " reads it as text");
    measured_.insert(c);
  }

  // The column, unless it is the target or dropped.
  std::size_t usable(const std::string& option, const std::string& name, bool alone) const {
    const std::size_t c = column(option, name, alone);
    if (c == target_)
      throw Error(ErrorCode::usage, "--" + option + " names the target column " + in_quotes(name) +
                                        "; a model may not see its own target");
    refuse_dropped(option, c);
    return c;
  }

  IfMissing if_missing() const {
    if (options_.missing == Missing::error) return IfMissing::error;
    return options_.missing == Missing::drop_row ? IfMissing::drop_row : IfMissing::keep;
  }

  // Only once.
  void add_input(std::size_t c, bool asked, IfMissing if_missing) {
    if (!inputs_.insert(c).second) return;
    plan_.inputs.push_back({names_[c], kinds_[c], asked});
    // A missing category is a level of its own; only a missing label leaves out its row.
    const bool level = kinds_[c] == Kind::category && if_missing == IfMissing::drop_row;
    plan_.selected.push_back({c, kinds_[c], asked, level ? IfMissing::keep : if_missing});
  }

  std::size_t offset_column(const std::optional<std::size_t>& weight) {
    const std::size_t c = usable("offset", options_.offset, true);
    refuse_entries(c);
    if (c == weight) throw Error(ErrorCode::usage, "--offset and --weight name the same column; two were expected");
    if (kinds_[c] != Kind::number)
      throw Error(ErrorCode::usage, {source_.name()},
                  "--offset names column " + in_quotes(names_[c]) + ", which holds " +
                      (kinds_[c] == Kind::date   ? "dates"
                       : kinds_[c] == Kind::text ? "text"
                                                 : "categories") +
                      "; numbers were expected",
                  "--numeric " + as_typed_item(names_[c]) + " reads it as numbers");
    plan_.offset = names_[c];
    return c;
  }

  void add(std::variant<Formula, Cross> term, bool asked) {
    for (const std::string& name :
         std::holds_alternative<Cross>(term) ? std::get<Cross>(term).columns : std::get<Formula>(term).columns()) {
      const std::size_t c = by_name_.at(name);
      add_input(c, asked || forced_.contains(c), if_missing());
    }
    if (!terms_.insert(term_text(term)).second)
      throw Error(ErrorCode::usage, "feature " + in_quotes(term_text(term)) + " is given twice; once was expected");
    plan_.terms.push_back(std::move(term));
  }

  // Every pair of the columns that are features by themselves.
  void add_crosses() {
    std::vector<std::string> columns;
    for (const auto& term : plan_.terms)
      if (const Formula* formula = std::get_if<Formula>(&term); formula != nullptr && plain(*formula))
        if (const Kind kind = kinds_[by_name_.at(formula->columns().front())];
            kind != Kind::sparse && kind != Kind::text)
          columns.push_back(formula->columns().front());
    for (std::size_t a = 0; a < columns.size(); ++a)
      for (std::size_t b = a + 1; b < columns.size(); ++b)
        if (!terms_.contains(term_text(Cross{{columns[a], columns[b]}}))) add(Cross{{columns[a], columns[b]}}, false);
    if (plan_.terms.empty())
      throw Error(ErrorCode::usage,
                  "cross(all) crosses the columns that are features by themselves, and --features names none",
                  "--derive 'cross(all)' adds it to the columns; cross(a,b,c) is every combination of three");
  }

  // Whether a column of texts is a feature by itself, and not only measured by formulas.
  bool counts_words(const std::string& name) const {
    return std::any_of(plan_.terms.begin(), plan_.terms.end(), [&](const auto& term) {
      const Formula* const formula = std::get_if<Formula>(&term);
      return formula != nullptr && plain(*formula) && formula->columns().front() == name;
    });
  }

  // Texts are counted as they are read, by the rules of the recipe.
  void read_text_options() {
    std::shared_ptr<const Tokeniser> tokeniser;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (plan_.inputs[i].kind != Kind::text) continue;
      if (tokeniser == nullptr) {
        plan_.text = text_recipe(text_);
        tokeniser = std::make_shared<const Tokeniser>(plan_.text.rules);
      }
      const bool kept = measured_.contains(plan_.selected[i].column);
      if (counts_words(plan_.inputs[i].name))
        plan_.selected[i].extractor = counting_extractor(tokeniser, plan_.text.positions, kept);
    }
    if (tokeniser == nullptr && text_ != TextOptions{})
      throw Error(ErrorCode::usage, {source_.name()},
                  "options about text are given, and no feature is text; the columns are " + listed(names_),
                  "--text says which columns are text");
  }

  // "COL=TEXT" split at the first "=" with a column before it.
  std::optional<std::pair<std::size_t, std::string>> column_and_text(const std::string& item) const {
    for (std::size_t at = item.find('='); at != std::string::npos; at = item.find('=', at + 1)) {
      const auto found = by_name_.find(item.substr(0, at));
      if (found != by_name_.end()) return std::pair{found->second, item.substr(at + 1)};
    }
    return {};
  }

  FeaturePlan::Input& category(const std::string& option, std::size_t c) {
    for (FeaturePlan::Input& input : plan_.inputs)
      if (input.name == names_[c] && input.kind == Kind::category) return input;
    throw Error(ErrorCode::usage,
                "--" + option + " names column " + in_quotes(names_[c]) + ", which is no category among the features",
                kinds_[c] == Kind::number ? "--categorical " + as_typed_item(names_[c]) : "");
  }

  void read_levels() {
    FeaturePlan::Input* input = nullptr;
    for (const std::string& item : options_.levels) {  // a comma also separates the levels of one column
      const auto parts = column_and_text(item);
      if (!parts && input == nullptr) refuse_level_item("levels", item);
      if (parts) input = &category("levels", parts->first);
      const std::string level = parts ? parts->second : item;
      if (std::find(input->levels.begin(), input->levels.end(), level) != input->levels.end())
        throw Error(ErrorCode::usage, "--levels names " + in_quotes(input->name + "=" + level) + " twice");
      input->levels.push_back(level);
    }
    for (const std::string& item : options_.base) {
      const auto parts = column_and_text(item);
      if (!parts) refuse_level_item("base", item);
      category("base", parts->first).base = parts->second;
    }
  }

  [[noreturn]] void refuse_level_item(const std::string& option, const std::string& item) const {
    const std::string name = item.substr(0, item.find('='));
    const std::string meant = nearest(name, names_);
    throw Error(
        ErrorCode::usage,
        "--" + option + " is " + in_quotes(item) + "; the name of a column, =, and a level was expected",
        meant.empty() ? "" : "did you mean --" + option + " " + as_typed_item(meant + item.substr(name.size())) + "?");
  }

  const Source& source_;
  const FeatureOptions& options_;
  const TextOptions& text_;
  std::optional<Kind> wanted_;  // of the target
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_set<std::size_t> forced_;
  std::unordered_set<std::size_t> dropped_;
  std::unordered_set<std::size_t> inputs_;
  std::unordered_set<std::size_t> measured_;  // columns of texts that formulas use
  std::unordered_set<std::string> terms_;     // those that are in the plan already
  std::size_t target_ = 0;
  bool cross_all_ = false;
  FeaturePlan plan_;
};

}  // namespace

std::optional<std::size_t> default_target(std::span<const ColumnInfo> columns) {
  for (const std::string_view name : {"class", "label", "target", "y"})
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& own = columns[c].name;
      if (columns[c].kind != Kind::sparse && own.size() == name.size() &&
          std::equal(own.begin(), own.end(), name.begin(),
                     [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b; }))
        return c;
    }
  return {};
}

bool look_like_labels(const SampledNumbers& numbers, bool beside_entries) noexcept {
  constexpr std::uint64_t kMost = 20, kMostBesideEntries = 1000, kRowsEach = 10;
  if (numbers.different == 2) return true;
  return numbers.different > 2 && numbers.whole && numbers.different <= (beside_entries ? kMostBesideEntries : kMost) &&
         numbers.count >= kRowsEach * numbers.different;
}

IfMissing if_target_missing(Missing missing) noexcept {
  return missing == Missing::error ? IfMissing::error : IfMissing::drop_row;
}

// Nothing stands in for a weight or an offset.
IfMissing if_weight_missing(Missing missing) noexcept {
  return missing == Missing::drop_row ? IfMissing::drop_row : IfMissing::error;
}

std::string term_text(const std::variant<Formula, Cross>& term) {
  return std::holds_alternative<Cross>(term) ? std::get<Cross>(term).text() : std::get<Formula>(term).name();
}

FeaturePlan plan_features(const Source& source, const FeatureOptions& options, const TextOptions& text,
                          std::optional<Kind> target) {
  const FeatureOptions said = without_formula(options);
  return Planner(source, said, text, target).plan();
}

Error not_a_numeric_target(const Source& source, const FeaturePlan& plan, std::string_view trainer,
                           std::string_view for_labels) {
  const ColumnInfo& column = source.columns()[plan.selected[plan.inputs.size()].column];
  const std::string called = "the target column " + in_quotes(plan.target),
                    needs = "; " + std::string(trainer) + " needs numbers";
  if (column.kind == Kind::number)
    return Error(ErrorCode::usage, {source.name()}, called + " is named by --categorical" + needs,
                 "leave out --categorical " + as_typed_item(plan.target));
  if (column.kind == Kind::date)
    return Error(ErrorCode::usage, {source.name()}, called + " holds dates" + needs,
                 "--numeric " + as_typed_item(plan.target) + " reads numbers such as 20240229 as they are");
  if (column.first_text.empty())
    return Error(ErrorCode::usage, {source.name()}, called + " is empty in the first rows" + needs,
                 "--target names another column");
  return Error(ErrorCode::data, column.first_text_place,
               called + " holds " + in_quotes(column.first_text) + ", which is not a number" + needs,
               std::string(for_labels) + " predicts labels");
}

}  // namespace plumb
