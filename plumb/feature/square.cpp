#include "plumb/feature/square.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "plumb/base/number.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSampled = 4096;

// "x" -> "(x)^2", "(x-1.7)^2" or "(x+1.7)^2", before the parser gives it its one form.
std::string square_text(const Formula& formula, double centre) {
  if (centre == 0.0) return "(" + formula.text() + ")^2";
  return "((" + formula.text() + ")" + (centre > 0.0 ? "-" : "+") + number_text(std::abs(centre)) + ")^2";
}

}  // namespace

double short_centre(const Tables& tables, std::size_t column, const RowSet& rows) {
  const std::uint64_t stride = rows.count() / kSampled + 1;
  std::vector<double> sample;
  std::uint64_t seen = 0;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      if (!rows.has(table.first_row + row) || seen++ % stride != 0) continue;
      if (const double value = table.columns[column].numbers[row]; !std::isnan(value)) sample.push_back(value);
    }
  if (sample.empty()) return 0.0;
  const auto count = static_cast<double>(sample.size());
  double mean = 0.0, square = 0.0;
  for (const double value : sample) mean += value / count;
  for (const double value : sample) square += (value - mean) * (value - mean) / count;
  const double near = std::sqrt(square) / 2;
  if (!std::isfinite(mean) || !std::isfinite(near) || std::abs(mean) <= near) return 0.0;
  for (int digits = 1; digits < 15; ++digits)
    if (const double shorter = parse_number(number_text(mean, digits)).value; std::abs(shorter - mean) <= near)
      return shorter;
  return mean;
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
