#include "plumb/train/penalty.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/run.h"
#include "plumb/base/text.h"
#include "plumb/data/examples.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {
namespace {

bool is_strength(const ParsedNumber& number) {
  return number.fault == NumberFault::none && number.value >= 0.0 && std::isfinite(number.value);
}

std::vector<std::string> text_columns(const FeatureMap& map) {
  std::vector<std::string> columns;
  for (const Term& term : map.parts().terms)
    if (const TextTerm* const text = std::get_if<TextTerm>(&term))
      columns.push_back(map.parts().inputs[text->input].name);
  return columns;
}

// Names columns of texts instead of their terms, which are many.
Error no_feature(const std::string& name, const std::vector<std::string>& names,
                 const std::vector<std::string>& texts) {
  std::vector<std::string> choices = texts;
  for (const std::string& feature : names)
    if (std::none_of(texts.begin(), texts.end(),
                     [&](const std::string& column) { return feature.starts_with(column + ":"); }))
      choices.push_back(feature);
  std::string near = nearest(name, choices);
  if (near.empty()) near = nearest(name, names);
  const std::string hint = "--penalty-factor " + as_typed_item((near.empty() ? choices.front() : near) + "=0.5");
  return {ErrorCode::usage, "there is no feature " + in_quotes(name) + "; " + one_of(choices) + " was expected",
          near.empty() ? hint : "did you mean " + hint + "?"};
}

}  // namespace

Strength OptionText<Strength>::read(std::string_view text) {
  Strength strength;
  strength.given = true;
  strength.automatic = text == "auto";
  if (strength.automatic) return strength;
  const ParsedNumber number = parse_number(text);
  if (!is_strength(number)) throw OptionFault{"a number of at least 0, or auto"};
  strength.value = number.value;
  return strength;
}

std::string OptionText<Strength>::text(const Strength& strength) {
  return strength.automatic ? "auto" : number_text(strength.value);
}

std::vector<double> penalty_factors(const std::vector<std::string>& given, const FeatureMap& map) {
  std::vector<double> factors(map.features(), 1.0);
  if (given.empty()) return factors;
  const std::vector<std::string> names = map.names();
  const std::vector<std::string> texts = text_columns(map);
  for (const std::string& item : given) {
    const std::size_t equals = item.rfind('=');
    const ParsedNumber factor = parse_number(equals == item.npos ? "" : std::string_view(item).substr(equals + 1));
    const bool whole = std::find(names.begin(), names.end(), item) != names.end();  // "city=Paris", without a factor
    const std::string name = whole ? item : item.substr(0, equals);
    // A category means its levels, a text its terms.
    const bool text = std::find(texts.begin(), texts.end(), name) != texts.end();
    const auto meant = [&](const std::string& feature) {
      return feature == name || feature.starts_with(name + "=") || (text && feature.starts_with(name + ":"));
    };
    if (std::none_of(names.begin(), names.end(), meant)) throw no_feature(name, names, texts);
    if (whole || !is_strength(factor))
      throw Error(ErrorCode::usage,
                  "--penalty-factor is " + in_quotes(item) + "; COL=F was expected, F a number of at least 0",
                  "--penalty-factor " + as_typed_item(name + "=0") + " leaves it unpenalised");
    for (std::size_t j = 0; j < names.size(); ++j)
      if (meant(names[j])) factors[j] = factor.value;
  }
  return factors;
}

std::vector<double> unit_penalties(const Examples& examples, const FeatureMap& map, const Run& run) {
  const std::size_t p = map.features();
  std::vector<bool> measured(p), entry(p);
  const std::vector<Term>& terms = map.parts().terms;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const bool entries = std::holds_alternative<EntriesTerm>(terms[t]);
    if (!entries && !std::holds_alternative<ProductTerm>(terms[t]) && !std::holds_alternative<FormulaTerm>(terms[t]))
      continue;
    for (std::size_t j = map.first_feature(t); j < map.first_feature(t + 1); ++j)
      measured[j] = true, entry[j] = entries;
  }
  // Values are taken relative to the first row's (0 if it has none), so that columns far from 0 keep their digits.
  std::vector<double> about(p), sums(3 * p + 1);
  bool first = true;
  for (std::size_t b = 0; b < examples.blocks() && first; ++b)
    examples.block(b).for_each([&](const Example& e) {
      for (std::size_t t = 0; t < e.x.value.size() && first; ++t) about[e.x.dense() ? t : e.x.index[t]] = e.x.value[t];
      first = false;
    });
  // For non-zero values: the sum of weights, and of weighted distances and their squares.
  run.reduce(Phase::fitting, examples.blocks(), sums, [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      out[3 * p] += e.weight;
      for (std::size_t t = 0; t < e.x.value.size(); ++t) {
        const std::size_t j = e.x.dense() ? t : e.x.index[t];
        if (!measured[j] || e.x.value[t] == 0.0) continue;
        const double d = e.x.value[t] - about[j];
        out[j] += e.weight;
        out[p + j] += e.weight * d;
        out[2 * p + j] += e.weight * d * d;
      }
    });
  });
  std::vector<double> units(p, 1.0);
  const double all = sums[3 * p];
  for (std::size_t j = 0; j < p; ++j) {
    if (!measured[j] || !(all > 0.0) || (entry[j] && sums[j] < all / 2)) continue;
    const double zeros = all - sums[j];  // each at a distance of -about
    const double mean = (sums[p + j] - zeros * about[j]) / all;
    const double variance = (sums[2 * p + j] + zeros * about[j] * about[j]) / all - mean * mean;
    if (variance > 1e-12 * mean * mean && std::isfinite(variance)) units[j] = variance;
  }
  return units;
}

// Two passes, so that a column far from 0 keeps its digits.
std::vector<double> variances(const DesignMatrix& x, const Run& run) {
  const std::size_t p = x.columns(), features = p - (x.bias() ? 1 : 0);
  double weight = 0.0;
  for (const double each : x.weights()) weight += each;
  std::vector<double> mean(p), sums(p + features);
  x.transpose_times(x.weights(), 1, mean, run);
  for (double& each : mean) each /= weight;
  // For entries that are stored: squared distances, and how much weight they have.
  x.lay_out(run);
  run.reduce(Phase::fitting, x.blocks(), sums, [&](std::size_t b, Out out) {
    for (std::size_t i = x.block_begin(b), end = i + x.block_size(b); i < end; ++i) {
      const Row row = x.row(i);
      for (std::size_t t = 0; t < row.value.size(); ++t) {
        const std::size_t j = row.dense() ? t : row.index[t];
        if (j >= features) continue;
        out[j] += x.weights()[i] * (row.value[t] - mean[j]) * (row.value[t] - mean[j]);
        out[p + j] += x.weights()[i];
      }
    }
  });
  std::vector<double> all(features, 1.0);
  for (std::size_t j = 0; j < features; ++j) {
    const double variance = (sums[j] + std::max(0.0, weight - sums[p + j]) * mean[j] * mean[j]) / weight;
    if (variance > 1e-24 * mean[j] * mean[j]) all[j] = std::ldexp(variance, 2 * x.exponent(j));
  }
  return all;
}

void leave_out_zeros(const DesignMatrix& x, std::vector<double>& penalty) {
  std::vector<double> left(penalty.size());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const Row row = x.row(i);
    for (std::size_t t = 0; t < row.value.size(); ++t)
      if (const std::size_t j = row.dense() ? t : row.index[t]; row.value[t] != 0.0) left[j] = penalty[j];
  }
  penalty = std::move(left);
}

}  // namespace plumb
