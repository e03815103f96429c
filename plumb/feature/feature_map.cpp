#include "plumb/feature/feature_map.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/feature_map_content.h"

namespace plumb {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::model, "the feature map is broken: " + message);
}

// Checks that a term fits the inputs, and counts its features.
class TermSize {
 public:
  explicit TermSize(const std::vector<FeatureMap::Input>& inputs) : inputs_(inputs) {}

  std::uint64_t operator()(const ProductTerm& term) {
    if (term.powers.empty() || term.powers.size() > kMostFactors) refuse("a product has no factors, or too many");
    for (const Power& each : term.powers)
      if (!numbers(each.input) || each.power < 1 || each.power > kHighestPower)
        refuse("a product names no number, or a power is out of range");
    return 1;
  }
  std::uint64_t operator()(const FormulaTerm& term) {
    if (term.inputs.size() != term.formula.columns().size()) refuse("a formula has too few inputs, or too many");
    for (std::size_t i = 0; i < term.inputs.size(); ++i)
      if (!(term.formula.meter(i) != nullptr ? is(term.inputs[i], Kind::text) : numbers(term.inputs[i])) ||
          inputs_[term.inputs[i]].name != term.formula.columns()[i])
        refuse("a formula names no number, or no text");
    return 1;
  }
  std::uint64_t operator()(const CategoryTerm& term) {
    if (!is(term.input, Kind::category)) refuse("a category term names no category");
    if (!coded_.insert(term.input).second) refuse("a category is coded twice");
    return side(term);
  }
  std::uint64_t operator()(const CrossTerm& term) {
    if (!is(term.left.input, Kind::category) && !is(term.right.input, Kind::category))
      refuse("a cross names no category");
    std::unordered_set<std::uint32_t> inputs;
    std::uint64_t features = 1;
    for (const CategoryTerm& each : term.sides()) {
      if (!inputs.insert(each.input).second) refuse("a cross is of one column");
      if (!term.more.empty() && !is(each.input, Kind::category)) refuse("a cross of many columns is not of categories");
      features *= side(each);
      if (features >= kNoFeature) refuse("there are too many features");
    }
    return features;
  }
  std::uint64_t operator()(const EntriesTerm& term) {
    if (!is(term.input, Kind::sparse)) refuse("a term of entries names none");
    if (!coded_.insert(term.input).second) refuse("entries are coded twice");
    return inputs_[term.input].levels.size() * (term.form == EntryForm::with_square ? 2 : 1);
  }
  std::uint64_t operator()(const TextTerm& term) {
    if (!is(term.input, Kind::text)) refuse("a term of texts names none");
    if (!coded_.insert(term.input).second) refuse("a text is coded twice");
    return term.bag->features();
  }
  std::uint64_t operator()(const MissingTerm& term) {
    if (!numbers(term.input) || !inputs_[term.input].fill)
      refuse("a term of missing values names no number that is filled in");
    return 1;
  }
  std::uint64_t operator()(const OffsetTerm& term) {
    if (!numbers(term.input)) refuse("an offset names no number");
    if (std::exchange(offset_, true)) refuse("there are two offsets");
    return 1;
  }

 private:
  bool numbers(std::uint32_t input) const { return input < inputs_.size() && holds_numbers(inputs_[input].kind); }
  bool is(std::uint32_t input, Kind kind) const { return input < inputs_.size() && inputs_[input].kind == kind; }
  std::uint64_t side(const CategoryTerm& term) const {
    if (term.input >= inputs_.size() || inputs_[term.input].kind == Kind::sparse ||
        inputs_[term.input].kind == Kind::text)
      refuse("a cross names no column");
    if (term.base && *term.base >= inputs_[term.input].levels.size()) refuse("a base level is not there");
    return side_features(term, inputs_[term.input]);
  }

  const std::vector<FeatureMap::Input>& inputs_;
  std::unordered_set<std::uint32_t> coded_;
  bool offset_ = false;
};

// Numbers may be centred; entries only have a unit, and others are not scaled.
void check_scale(const FeatureMap::Parts& parts, const std::vector<std::uint32_t>& first) {
  const Scale& scale = parts.scale;
  if (scale.units.size() != scale.centres.size() || (!scale.empty() && scale.units.size() != first.back()))
    refuse("it scales another number of features than it has");
  for (std::size_t t = 0; t < parts.terms.size() && !scale.empty(); ++t) {
    const Term& term = parts.terms[t];
    const bool number = std::holds_alternative<ProductTerm>(term) || std::holds_alternative<FormulaTerm>(term);
    const bool entries = std::holds_alternative<EntriesTerm>(term);
    for (std::uint32_t j = first[t]; j < first[t + 1]; ++j) {
      const double centre = scale.centres[j], unit = scale.units[j];
      if (!std::isfinite(centre) || !std::isfinite(unit) || !(unit > 0.0)) refuse("a scale is no number above 0");
      if ((centre != 0.0 && !number) || (unit != 1.0 && !number && !entries)) refuse("what is no number is scaled");
    }
  }
}

constexpr const char* kFewer = "leave out columns with --drop";

// "Sex=I", or "size" for a number.
std::string side_name(const CategoryTerm& term, const FeatureMap::Input& input, std::uint32_t slot) {
  if (holds_numbers(input.kind)) return input.name;
  return input.name + "=" + input.levels[slot + (term.base && slot >= *term.base ? 1 : 0)];
}

}  // namespace

NumberedNames::NumberedNames(const std::vector<std::string>& names) {
  std::uint64_t least = 0;  // the smallest allowed next one, to ascend
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    const std::optional<std::uint32_t> number = number_in_name(names[place]);
    ascend_ = ascend_ && number && *number >= least;
    if (!number) continue;
    least = std::uint64_t{*number} + 1;
    if (*number < 4 * names.size() + 1024) {
      if (dense_.size() <= *number) dense_.resize(std::size_t{*number} + 1, kNoFeature);
      dense_[*number] = place;
    } else {
      sparse_.emplace(*number, place);
    }
  }
  const auto first =
      std::find_if(dense_.begin(), dense_.end(), [](std::uint32_t place) { return place != kNoFeature; });
  if (first == dense_.end() || !sparse_.empty()) return;
  for (auto each = first; each != dense_.end(); ++each)
    if (*each != static_cast<std::uint32_t>(each - first)) return;
  run_ = {static_cast<std::uint32_t>(first - dense_.begin()), static_cast<std::uint32_t>(dense_.size() - 1)};
}

FeatureMap::FeatureMap() : FeatureMap(Parts{}) {}

FeatureMap::FeatureMap(Parts parts) {
  auto content = std::make_shared<Content>();
  content->parts = std::move(parts);
  const std::vector<Input>& inputs = content->parts.inputs;
  std::unordered_set<std::string_view> names;
  for (const Input& input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second) refuse("column names are not distinct");
    if ((holds_numbers(input.kind) || input.kind == Kind::text) && !input.levels.empty())
      refuse("a number or text has levels");
    if (input.fill && (!holds_numbers(input.kind) || !std::isfinite(*input.fill)))
      refuse("what fills in for missing values is no number, or for none");
    std::unordered_map<std::string_view, std::uint32_t>& levels = content->level_of.emplace_back();
    content->numbered.emplace_back(input.kind == Kind::sparse ? input.levels : std::vector<std::string>{});
    if (input.kind == Kind::sparse && content->numbered.back().ascend()) continue;
    for (const std::string& level : input.levels) levels.emplace(level, static_cast<std::uint32_t>(levels.size()));
    if (levels.size() != input.levels.size())
      refuse("the levels of column " + in_quotes(input.name) + " are not distinct");
  }
  std::uint64_t features = 0;
  TermSize size(inputs);
  for (const Term& term : content->parts.terms) {
    content->first.push_back(static_cast<std::uint32_t>(features));
    const TextTerm* const text = std::get_if<TextTerm>(&term);
    content->texts.push_back(text != nullptr ? std::make_unique<const TextCoder>(*text->bag) : nullptr);
    features += std::visit(size, term);
    if (features >= kNoFeature) refuse("there are too many features");
  }
  content->first.push_back(static_cast<std::uint32_t>(features));
  check_scale(content->parts, content->first);
  content_ = std::move(content);
}

const FeatureMap::Parts& FeatureMap::parts() const noexcept { return content_->parts; }
std::uint32_t FeatureMap::features() const noexcept { return content_->first.back(); }

std::uint32_t FeatureMap::first_feature(std::size_t term) const noexcept { return content_->first[term]; }

bool FeatureMap::sparse() const noexcept {
  return std::uint64_t{features()} > 4 * std::uint64_t{content_->parts.terms.size()};
}

std::string FeatureMap::name(std::uint32_t feature) const {
  const auto after = std::upper_bound(content_->first.begin(), content_->first.end(), feature);
  const auto t = static_cast<std::size_t>(after - content_->first.begin()) - 1;
  const std::uint32_t slot = feature - content_->first[t];
  const std::vector<Input>& inputs = content_->parts.inputs;
  return std::visit(
      Cases{[&](const ProductTerm& term) {
              Expression expression;
              for (const Power& each : term.powers) expression.factors.push_back({inputs[each.input].name, each.power});
              return expression.text();
            },
            [&](const FormulaTerm& term) { return term.formula.name(); },
            [&](const CategoryTerm& term) { return side_name(term, inputs[term.input], slot); },
            [&](const CrossTerm& term) {
              const std::vector<CategoryTerm> sides = term.sides();
              std::string text;
              std::uint32_t rest = slot;
              for (auto each = sides.rbegin(); each != sides.rend(); ++each) {
                const auto size = static_cast<std::uint32_t>(side_features(*each, inputs[each->input]));
                text.insert(0, side_name(*each, inputs[each->input], rest % size) + (text.empty() ? "" : "*"));
                rest /= size;
              }
              return text;
            },
            [&](const EntriesTerm& term) {
              const std::vector<std::string>& names = inputs[term.input].levels;
              return slot < names.size() ? names[slot] : names[slot - names.size()] + "^2";
            },
            [&](const TextTerm& term) { return inputs[term.input].name + ":" + content_->texts[t]->name(slot); },
            [&](const MissingTerm& term) { return inputs[term.input].name + " missing"; },
            [&](const OffsetTerm& term) { return "offset(" + inputs[term.input].name + ")"; }},
      content_->parts.terms[t]);
}

std::optional<std::uint32_t> FeatureMap::offset() const noexcept {
  const std::vector<Term>& terms = content_->parts.terms;
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (std::holds_alternative<OffsetTerm>(terms[t])) return content_->first[t];
  return {};
}

std::vector<std::string> FeatureMap::names() const {
  std::vector<std::string> all;
  all.reserve(features());
  for (std::uint32_t feature = 0; feature < features(); ++feature) all.push_back(name(feature));
  return all;
}

TableLayout FeatureMap::select_from(Source& source, const Roles& roles) const {
  std::unordered_map<std::string_view, std::size_t> columns;
  std::vector<std::string> names;
  for (const ColumnInfo& column : source.columns()) {
    columns.emplace(column.name, names.size());
    names.push_back(column.name);
  }
  // What to type: another name, or all of them if none is right, as in a file whose first line is a row.
  const auto hint = [&](const std::string& name) {
    std::string near = did_you_mean(name, names);
    const auto& inputs = content_->parts.inputs;
    const bool strange =
        std::none_of(inputs.begin(), inputs.end(), [&](const Input& input) { return columns.contains(input.name); });
    if (near.empty() && strange && source.form().find("header") != std::string_view::npos)
      near = "if the first line of the file is a row, --columns names its columns";
    return near;
  };
  std::vector<Selected> selected;
  const auto select = [&](const std::string& name, Kind kind, const std::string& role, IfMissing rule) {
    const auto found = columns.find(name);
    if (found == columns.end())
      throw Error(ErrorCode::data, {source.name()},
                  "there is no column " + in_quotes(name) + ", " + role + "; the columns are " + listed(names),
                  hint(name));
    selected.push_back({found->second, kind, true, rule});
    return selected.size() - 1;
  };
  TableLayout layout;
  for (const Input& input : content_->parts.inputs)
    layout.inputs.push_back(select(input.name, input.kind, "which the model needs",
                                   input.fill || input.kind == Kind::category ? IfMissing::keep : roles.if_missing));
  for (std::size_t t = 0; t < content_->texts.size(); ++t) {
    if (content_->texts[t] == nullptr) continue;
    const TextTerm& text = std::get<TextTerm>(content_->parts.terms[t]);
    selected[text.input].extractor = TextCoder::extractor({content_, content_->texts[t].get()}, roles.keep_texts);
  }
  for (const Term& term : content_->parts.terms)
    if (const FormulaTerm* const formula = std::get_if<FormulaTerm>(&term))
      for (std::size_t i = 0; i < formula->inputs.size(); ++i)
        if (formula->formula.meter(i) != nullptr) selected[formula->inputs[i]].extractor.keep_documents = true;
  if (!roles.target.empty())
    layout.target = select(roles.target, roles.labels.empty() ? Kind::number : Kind::category, "the target",
                           roles.if_target_missing);
  if (layout.target) selected[*layout.target].role = Role::target;
  if (!roles.weight.empty()) layout.weight = select(roles.weight, Kind::number, "the weight", roles.if_missing);
  layout.labels = roles.labels;
  for (const std::size_t column : roles.beside)
    selected.push_back({.column = column, .kind = Kind::category, .needed = true, .role = Role::beside});
  source.select(std::move(selected));
  return layout;
}

void FeatureMap::Unseen::add(const Unseen& other) {
  if (other.values > 0 && (values == 0 || std::tie(other.row, other.input) < std::tie(row, input))) {
    first = other.first;
    row = other.row;
    input = other.input;
  }
  values += other.values;
  terms += other.terms;
  unknown_terms += other.unknown_terms;
}

std::string FeatureMap::Unseen::text() const {
  if (values == 1) return in_quotes(first) + " was not seen in training; it is ignored";
  return count_text(values) + " values were not seen in training, such as " + in_quotes(first) + "; they are ignored";
}

std::string FeatureMap::Unseen::terms_text() const {
  return count_text(unknown_terms) + " of " + counted(terms, "term") + " in the texts " +
         (unknown_terms == 1 ? "is" : "are") + " not in the model";
}

// If the upper bound of the rows' memory is too much, the first piece shows how much they need.
void FeatureMap::expect_room(const Tables& tables, const TableLayout& layout, const MemoryBudget& memory) const {
  constexpr std::uint64_t kWidest = sizeof(double) + sizeof(std::uint32_t);  // a value and its index
  std::uint64_t entries = 0;  // at most: a value for each term or, dense, for each feature; and those of the input
  for (const Table& piece : tables.pieces) {
    entries += piece.rows * (sparse() ? content_->parts.terms.size() : features());
    for (const Column& column : piece.columns) {
      entries += column.entries.index.size();
      if (column.extract != nullptr) entries += column.extract->bytes() / (2 * sizeof(std::uint32_t));
    }
  }
  if (tables.rows == 0 || memory.allows(tables.bytes() + kWidest * entries + 3 * sizeof(double) * tables.rows)) return;
  Unseen unseen;
  const Piece first = apply(tables.pieces.front(), layout, unseen);
  const double forecast = static_cast<double>(first.bytes()) * static_cast<double>(tables.rows) /
                          static_cast<double>(std::max<std::uint64_t>(first.rows, 1));
  memory.expect(static_cast<std::uint64_t>(forecast),
                std::string("as ") + (sparse() ? "sparse" : "dense") + " examples the rows need", kFewer);
}

Examples FeatureMap::apply(Tables&& tables, const TableLayout& layout, Unseen& unseen, const Run& run) const {
  std::vector<Piece> pieces(tables.pieces.size());
  std::vector<Unseen> counts(tables.pieces.size());
  expect_room(tables, layout, run.memory);
  std::atomic<std::uint64_t> held = tables.bytes();
  run.for_each(Phase::learning, pieces.size(), [&](std::size_t i) {
    const std::uint64_t before = tables.pieces[i].bytes();
    pieces[i] = apply(tables.pieces[i], &tables.pieces[i], layout, counts[i]);
    if (!run.memory.allows(held += pieces[i].bytes()))
      throw Error(ErrorCode::resources,
                  "the data need more than the " + bytes_text(run.memory.limit()) + " that are granted", kFewer);
    held -= before;
    tables.pieces[i] = Table{};
  });
  for (const Unseen& each : counts) unseen.add(each);
  return Examples(std::move(pieces), features());
}

}  // namespace plumb
