#include "plumb/feature/feature_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/expression.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/product.h"

namespace plumb {
namespace {

constexpr std::uint32_t kNoFeature = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::model, "the feature map is broken: " + message);
}

// The targets of a piece: the numbers of its column, or the places of the labels there.
class Targets {
 public:
  Targets(const Table& table, const TableLayout& layout)
      : table_(table), column_(layout.target ? &table.columns[*layout.target] : nullptr) {
    if (column_ == nullptr || column_->kind == Kind::number) return;
    const LabelCodes labels(layout.labels);
    for (const std::string& level : column_->levels) label_of_code_.push_back(labels.find(level));
  }

  double of(std::uint64_t row) const {
    if (column_->kind == Kind::number) return column_->numbers[row];
    const std::uint32_t code = column_->codes[row];
    if (label_of_code_[code]) return *label_of_code_[code];
    const std::string& label = column_->levels[code];
    if (label.empty())
      throw table_.row_error(row, "the target is empty here; a label was expected", "fill it in, or remove the row");
    throw table_.row_error(row, "the label " + in_quotes(label) + " is in none of the training rows",
                           "train on rows that hold it, or remove the row");
  }

 private:
  const Table& table_;
  const Column* column_;
  std::vector<std::optional<std::uint32_t>> label_of_code_;
};

double checked_weight(const Table& table, std::uint64_t row, double weight) {
  if (weight < 0.0)
    throw table.row_error(row, "the weight of this row is " + number_text(weight) + "; at least 0 was expected",
                          "a weight of 0 leaves the row out");
  if (weight != 0.0 && weight < std::numeric_limits<double>::min())
    throw table.row_error(row,
                          "the weight of this row, " + number_text(weight) +
                              ", is too small to be used; 0 or at least 2.3e-308 was expected",
                          "multiply all weights by the same number");
  return weight;
}

}  // namespace

struct FeatureMap::Content {
  Parts parts;
  std::vector<std::uint32_t> first;  // first feature of each term, and one past the last
  // level -> feature, for each term that is a category; the keys are views of parts.inputs
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> features_of_level;

  std::vector<std::vector<std::uint32_t>> features_of_codes(const Table& table,
                                                            const std::vector<const Column*>& inputs,
                                                            Unseen& unseen) const;
};

FeatureMap::FeatureMap() : FeatureMap(Parts{}) {}

FeatureMap::FeatureMap(Parts parts) {
  auto content = std::make_shared<Content>();
  content->parts = std::move(parts);
  const std::vector<Input>& inputs = content->parts.inputs;
  std::unordered_set<std::string_view> names;
  for (const Input& input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second) refuse("column names are not distinct");
    if (input.kind == Kind::number && !input.levels.empty()) refuse("a number has levels");
    if (std::unordered_set<std::string_view>(input.levels.begin(), input.levels.end()).size() != input.levels.size())
      refuse("the levels of column " + in_quotes(input.name) + " are not distinct");
  }
  std::uint64_t features = 0;
  std::unordered_set<std::uint32_t> coded;
  for (const Term& term : content->parts.terms) {
    content->first.push_back(static_cast<std::uint32_t>(features));
    content->features_of_level.emplace_back();
    if (term.one_hot()) {
      if (term.category >= inputs.size() || inputs[term.category].kind != Kind::category)
        refuse("a category term names no category");
      if (!coded.insert(term.category).second) refuse("a category is coded twice");
      const std::vector<std::string>& levels = inputs[term.category].levels;
      if (term.base && *term.base >= levels.size()) refuse("a base level is not there");
      for (std::uint32_t level = 0; level < levels.size(); ++level) {
        const bool is_base = term.base == level;
        content->features_of_level.back().emplace(levels[level],
                                                  is_base ? kNoFeature : static_cast<std::uint32_t>(features));
        if (!is_base) ++features;
      }
    } else {
      if (term.product.size() > kMostFactors || term.base) refuse("a product is too long");
      for (const Power& power : term.product)
        if (power.input >= inputs.size() || inputs[power.input].kind != Kind::number || power.power < 1 ||
            power.power > kHighestPower)
          refuse("a product names no number, or a power is out of range");
      ++features;
    }
    if (features >= kNoFeature) refuse("there are too many features");
  }
  content->first.push_back(static_cast<std::uint32_t>(features));
  content_ = std::move(content);
}

const FeatureMap::Parts& FeatureMap::parts() const noexcept { return content_->parts; }
std::uint32_t FeatureMap::features() const noexcept { return content_->first.back(); }

bool FeatureMap::sparse() const noexcept {
  return std::uint64_t{features()} > 4 * std::uint64_t{content_->parts.terms.size()};
}

std::string FeatureMap::name(std::uint32_t feature) const {
  const auto after = std::upper_bound(content_->first.begin(), content_->first.end(), feature);
  const auto t = static_cast<std::size_t>(after - content_->first.begin()) - 1;
  const Term& term = content_->parts.terms[t];
  const std::vector<Input>& inputs = content_->parts.inputs;
  if (!term.one_hot()) {
    Expression expression;
    for (const Power& power : term.product) expression.factors.push_back({inputs[power.input].name, power.power});
    return expression.text();
  }
  std::uint32_t level = feature - content_->first[t];
  if (term.base && level >= *term.base) ++level;
  return inputs[term.category].name + "=" + inputs[term.category].levels[level];
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
  std::vector<Selected> selected;
  const auto select = [&](const std::string& name, Kind kind) {
    const auto found = columns.find(name);
    if (found == columns.end())
      throw Error(ErrorCode::data, {source.name()},
                  "there is no column " + in_quotes(name) + ", which the model needs; the columns are " + listed(names),
                  did_you_mean(name, names));
    selected.push_back({found->second, kind, true});
    return selected.size() - 1;
  };
  TableLayout layout;
  for (const Input& input : content_->parts.inputs) layout.inputs.push_back(select(input.name, input.kind));
  if (!roles.target.empty()) layout.target = select(roles.target, roles.labels.empty() ? Kind::number : Kind::category);
  if (!roles.weight.empty()) layout.weight = select(roles.weight, Kind::number);
  layout.labels = roles.labels;
  source.select(std::move(selected));
  return layout;
}

void FeatureMap::Unseen::add(const Unseen& other) {
  if (other.values > 0 && (values == 0 || std::tie(other.row, other.term) < std::tie(row, term))) {
    first = other.first;
    row = other.row;
    term = other.term;
  }
  values += other.values;
}

std::string FeatureMap::Unseen::text() const {
  if (values == 1) return in_quotes(first) + " was not seen in training; it scores as no level";
  return count_text(values) + " values of categories were not seen in training, such as " + in_quotes(first) +
         "; they score as no level";
}

// Codes of this piece -> features, for each term that is a category. Counts the values that have none.
std::vector<std::vector<std::uint32_t>> FeatureMap::Content::features_of_codes(const Table& table,
                                                                               const std::vector<const Column*>& inputs,
                                                                               Unseen& unseen) const {
  std::vector<std::vector<std::uint32_t>> feature_of_code(parts.terms.size());
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const Term& term = parts.terms[t];
    if (!term.one_hot()) continue;
    const Column& column = *inputs[term.category];
    std::vector<bool> is_unseen(column.levels.size());
    for (std::size_t code = 0; code < is_unseen.size(); ++code) {
      const auto found = features_of_level[t].find(column.levels[code]);
      is_unseen[code] = found == features_of_level[t].end();
      feature_of_code[t].push_back(is_unseen[code] ? kNoFeature : found->second);
    }
    Unseen of_term{.term = t};
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      const std::uint32_t code = column.codes[row];
      if (!is_unseen[code] || ++of_term.values > 1) continue;
      of_term.first = parts.inputs[term.category].name + "=" + column.levels[code];
      of_term.row = table.first_row + row;
    }
    unseen.add(of_term);
  }
  return feature_of_code;
}

Piece FeatureMap::apply(const Table& table, const TableLayout& layout, Unseen& unseen) const {
  const Parts& parts = content_->parts;
  std::vector<const Column*> inputs;
  for (const std::size_t column : layout.inputs) inputs.push_back(&table.columns[column]);
  const auto feature_of_code = content_->features_of_codes(table, inputs, unseen);
  const Targets targets(table, layout);

  Piece piece;
  piece.rows = table.rows;
  piece.features = features();
  if (layout.target) piece.targets.reserve(table.rows);
  if (layout.weight) piece.weights.reserve(table.rows);
  const bool is_sparse = sparse();
  if (is_sparse) {
    piece.offsets.reserve(table.rows + 1);
    piece.offsets.push_back(0);
  } else {
    piece.values.resize(table.rows * features());
  }
  std::array<PowerOf, kMostFactors> factors;
  // Everything about a row before the next one, so that the first bad row is the one that is named.
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    double* const dense = is_sparse ? nullptr : piece.values.data() + row * features();
    for (std::size_t t = 0; t < parts.terms.size(); ++t) {
      const Term& term = parts.terms[t];
      std::uint32_t feature = content_->first[t];
      double value = 1.0;
      if (term.one_hot()) {
        feature = feature_of_code[t][inputs[term.category]->codes[row]];
        if (feature == kNoFeature) continue;
      } else {
        for (std::size_t i = 0; i < term.product.size(); ++i)
          factors[i] = {inputs[term.product[i].input]->numbers[row], term.product[i].power};
        value = product_of(std::span(factors).first(term.product.size()));
        if (!std::isfinite(value))
          throw table.row_error(row, "feature " + in_quotes(name(feature)) + " is too large: numbers end at 1.8e308",
                                "divide the column by a power of ten, or lower the power");
      }
      if (is_sparse) {
        piece.index.push_back(feature);
        piece.values.push_back(value);
      } else {
        dense[feature] = value;
      }
    }
    if (is_sparse) piece.offsets.push_back(piece.values.size());
    if (layout.target) piece.targets.push_back(targets.of(row));
    if (layout.weight) piece.weights.push_back(checked_weight(table, row, table.columns[*layout.weight].numbers[row]));
  }
  return piece;
}

Examples FeatureMap::apply(Tables&& tables, const TableLayout& layout, Unseen& unseen, const Run& run) const {
  std::vector<Piece> pieces(tables.pieces.size());
  std::vector<Unseen> counts(tables.pieces.size());
  run.executor.for_each(pieces.size(), [&](std::size_t i) {
    pieces[i] = apply(tables.pieces[i], layout, counts[i]);
    tables.pieces[i] = Table{};
  });
  for (const Unseen& each : counts) unseen.add(each);
  return Examples(std::move(pieces), features());
}

}  // namespace plumb
