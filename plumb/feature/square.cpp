#include "plumb/feature/square.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// "x" -> "(x)^2", "(x-1.7)^2" or "(x+1.7)^2", before the parser gives it its one form.
std::string square_text(const Formula& formula, double centre) {
  if (centre == 0.0) return "(" + formula.text() + ")^2";
  return "((" + formula.text() + ")" + (centre > 0.0 ? "-" : "+") + number_text(std::abs(centre)) + ")^2";
}

}  // namespace

double short_centre(double mean, double deviation) {
  const double near = deviation / 2;
  if (!std::isfinite(mean) || !std::isfinite(near) || std::abs(mean) <= near) return 0.0;
  for (int digits = 1; digits < 15; ++digits)
    if (const double shorter = parse_number(number_text(mean, digits)).value; std::abs(shorter - mean) <= near)
      return shorter;
  return mean;
}

// About the first number, which is near enough to the others for sums of doubles.
double short_centre(const Tables& tables, std::size_t column, std::optional<std::size_t> weight,
                    std::optional<double> fill, const RowSet& rows) {
  std::optional<double> pivot;
  double total = 0.0, first = 0.0, second = 0.0;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      if (!rows.has(table.first_row + row)) continue;
      double value = table.columns[column].numbers[row];
      if (std::isnan(value)) {
        if (!fill) continue;
        value = *fill;
      }
      if (!pivot) pivot = value;
      const double off = value - *pivot, each = weight ? table.columns[*weight].numbers[row] : 1.0;
      total += each;
      first += each * off;
      second += each * off * off;
    }
  if (!(total > 0.0)) return 0.0;
  const double mean = first / total;
  return short_centre(*pivot + mean, std::sqrt(std::max(second / total - mean * mean, 0.0)));
}

FeatureMap recentred(const FeatureMap& map, const std::function<double(std::uint32_t feature)>& centre_of) {
  FeatureMap::Parts parts = map.parts();
  for (std::size_t t = 0; t + 1 < parts.terms.size(); ++t) {
    const ProductTerm* const product = std::get_if<ProductTerm>(&parts.terms[t]);
    if (product == nullptr || !centre_of_square(parts.terms[t], parts.terms[t + 1], parts.inputs)) continue;
    const std::uint32_t input = product->powers[0].input;
    const Formula square =
        centred_square(Formula::of_column(parts.inputs[input].name), centre_of(map.first_feature(t)));
    if (square.product())
      parts.terms[t + 1] = ProductTerm{{{input, 2}}};
    else
      parts.terms[t + 1] = FormulaTerm{square, {input}};
  }
  return FeatureMap(std::move(parts));
}

std::optional<Formula> formula_of(const Term& term, const std::vector<FeatureMap::Input>& inputs) {
  if (const FormulaTerm* const formula = std::get_if<FormulaTerm>(&term)) return formula->formula;
  const ProductTerm* const product = std::get_if<ProductTerm>(&term);
  if (product == nullptr) return {};
  std::string text;
  for (const Power& each : product->powers)
    text += (text.empty() ? "" : "*") + Formula::of_column(inputs[each.input].name).text() +
            (each.power == 1 ? "" : "^" + std::to_string(each.power));
  return Formula::parse(text);
}

Formula centred_square(const Formula& formula, double centre) { return Formula::parse(square_text(formula, centre)); }

std::optional<double> centre_of_square(const Term& term, const Term& square,
                                       const std::vector<FeatureMap::Input>& inputs) {
  const ProductTerm* const product = std::get_if<ProductTerm>(&term);
  const bool column = product != nullptr && product->powers.size() == 1 && product->powers[0].power == 1;
  if (const ProductTerm* const other = std::get_if<ProductTerm>(&square); column && other != nullptr)
    return other->powers == std::vector<Power>{{product->powers[0].input, 2}} ? std::optional(0.0) : std::nullopt;
  const FormulaTerm* const formula = std::get_if<FormulaTerm>(&square);
  if (column && (formula == nullptr || formula->inputs != std::vector{product->powers[0].input})) return {};
  const std::optional<Formula> plain = formula_of(term, inputs), squared = formula_of(square, inputs);
  if (!plain || !squared) return {};
  const auto is = [&](double centre) { return centred_square(*plain, centre).text() == squared->text(); };
  if (!column && is(0.0)) return 0.0;
  // The last number in the text is the centre, if this is a square at all.
  const std::string& text = squared->text();
  const std::size_t end = text.rfind(")^2");
  if (end == std::string::npos) return {};
  for (std::size_t begin = end; begin-- > 1;) {
    if (text[begin] != '-' && text[begin] != '+') continue;
    const ParsedNumber number = parse_number(std::string_view(text).substr(begin, end - begin));
    if (number.fault == NumberFault::none && is(-number.value)) return -number.value;
  }
  return {};
}

}  // namespace plumb
