#include "plumb/feature/feature_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/expression.h"
#include "plumb/math/double_double.h"

namespace plumb {
namespace {

constexpr std::uint32_t kNoFeature = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::model, "the feature map is broken: " + message);
}

// The product of whole powers, carried in double-double and rounded once at the end.
double product_of(std::span<const FeatureMap::Power> product, const std::vector<const Column*>& inputs,
                  std::uint64_t row) {
  math::DoubleDouble value(inputs[product.front().input]->numbers[row]);
  for (std::size_t i = 0; i < product.size(); ++i) {
    const double x = inputs[product[i].input]->numbers[row];
    for (std::uint32_t k = i == 0 ? 1 : 0; k < product[i].power; ++k) value = value * x;
  }
  return value.high;
}

}  // namespace

struct FeatureMap::Content {
  Parts parts;
  std::vector<std::uint32_t> first;  // first feature of each term, and one past the last
  // level -> feature, for each term that is a category; the keys are views of parts.inputs
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> features_of_level;
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
    if (term.product.empty()) {
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
  if (!term.product.empty()) {
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

TableLayout FeatureMap::select_from(Source& source) const {
  std::unordered_map<std::string_view, std::size_t> columns;
  std::vector<std::string> names;
  for (const ColumnInfo& column : source.columns()) {
    columns.emplace(column.name, names.size());
    names.push_back(column.name);
  }
  std::vector<Selected> selected;
  TableLayout layout;
  for (const Input& input : content_->parts.inputs) {
    const auto found = columns.find(input.name);
    if (found == columns.end())
      throw Error(
          ErrorCode::data, {source.name()},
          "there is no column " + in_quotes(input.name) + ", which the model needs; the columns are " + listed(names),
          did_you_mean(input.name, names));
    layout.inputs.push_back(selected.size());
    selected.push_back({found->second, input.kind});
  }
  source.select(std::move(selected));
  return layout;
}

void FeatureMap::Unseen::add(const Unseen& other) {
  if (first.empty()) first = other.first;
  values += other.values;
}

std::string FeatureMap::Unseen::text() const {
  if (values == 1) return in_quotes(first) + " was not seen in training; it scores as no level";
  return count_text(values) + " values of categories were not seen in training, such as " + in_quotes(first) +
         "; they score as no level";
}

Piece FeatureMap::apply(const Table& table, const TableLayout& layout, Unseen& unseen) const {
  const Parts& parts = content_->parts;
  std::vector<const Column*> inputs;
  for (const std::size_t column : layout.inputs) inputs.push_back(&table.columns[column]);
  // For each category term: this piece's codes -> features.
  std::vector<std::vector<std::uint32_t>> feature_of_code(parts.terms.size());
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    if (!parts.terms[t].product.empty()) continue;
    const auto& features = content_->features_of_level[t];
    const Column& column = *inputs[parts.terms[t].category];
    std::vector<bool> is_unseen(column.levels.size());
    for (std::size_t code = 0; code < is_unseen.size(); ++code) {
      const auto found = features.find(column.levels[code]);
      is_unseen[code] = found == features.end();
      feature_of_code[t].push_back(is_unseen[code] ? kNoFeature : found->second);
    }
    for (const std::uint32_t code : column.codes) {
      if (!is_unseen[code]) continue;
      ++unseen.values;
      if (unseen.first.empty()) unseen.first = parts.inputs[parts.terms[t].category].name + "=" + column.levels[code];
    }
  }

  Piece piece;
  piece.rows = table.rows;
  piece.features = features();
  const bool is_sparse = sparse();
  if (is_sparse) {
    piece.offsets.reserve(table.rows + 1);
    piece.offsets.push_back(0);
  } else {
    piece.values.resize(table.rows * features());
  }
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    double* const dense = is_sparse ? nullptr : piece.values.data() + row * features();
    for (std::size_t t = 0; t < parts.terms.size(); ++t) {
      const Term& term = parts.terms[t];
      std::uint32_t feature = content_->first[t];
      double value = 1.0;
      if (term.product.empty()) {
        feature = feature_of_code[t][inputs[term.category]->codes[row]];
        if (feature == kNoFeature) continue;
      } else {
        value = product_of(term.product, inputs, row);
        if (!std::isfinite(value))
          throw Error(ErrorCode::data,
                      "feature " + in_quotes(name(feature)) + " is too large for a number in one of the rows",
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
  }
  if (layout.target) piece.targets = table.columns[*layout.target].numbers;
  if (layout.weight) piece.weights = table.columns[*layout.weight].numbers;
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
