#include "plumb/feature/square.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "plumb/base/number.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSampled = 4096;

// "x" -> "x", "(x)-1.7" or "(x)+1.7".
std::string less_centre(const Formula& formula, double centre) {
  if (centre == 0.0) return formula.text();
  return "(" + formula.text() + ")" + (centre > 0.0 ? "-" : "+") + number_text(std::abs(centre));
}

// "abs(x-1.7)^2" -> "(x-1.7)^2"; none where another text stands there.
std::optional<std::string> without_abs(const std::string& text) {
  constexpr std::string_view before = "abs(", after = ")^2";
  if (!text.starts_with(before) || !text.ends_with(after)) return {};
  std::size_t open = 1, i = before.size();
  for (bool quoted = false; i < text.size() && open > 0; ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text[i] == '(') ++open;
    if (!quoted && text[i] == ')') --open;
  }
  if (open > 0 || i + 2 != text.size()) return {};
  return Formula::parse(text.substr(before.size() - 1)).text();
}

// The centre of the square of `plain` with that text.
std::optional<double> centre_in(const std::string& text, const Formula& plain) {
  const auto is = [&](double centre) { return centred_square(plain, centre).text() == text; };
  if (is(0.0)) return 0.0;
  // The last number in the text is the centre, if this is a square at all.
  const std::size_t end = text.rfind(")^2");
  if (end == std::string::npos) return {};
  for (std::size_t begin = end; begin-- > 1;) {
    if (text[begin] != '-' && text[begin] != '+') continue;
    const ParsedNumber number = parse_number(std::string_view(text).substr(begin, end - begin));
    if (number.fault == NumberFault::none && is(-number.value)) return -number.value;
  }
  return {};
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

Formula centred_square(const Formula& formula, double centre) {
  return Formula::parse("(" + less_centre(formula, centre) + ")^2");
}

Formula centred_square(const Formula& formula, double centre, const std::unordered_set<std::string>& taken) {
  std::string base = less_centre(formula, centre);
  Formula square = centred_square(formula, centre);
  while (taken.contains(square.name())) {
    base = "abs(" + base + ")";
    square = Formula::parse(base + "^2");
  }
  return square;
}

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
  for (std::optional<std::string> text = squared->text(); text; text = without_abs(*text))
    if (const std::optional<double> centre = centre_in(*text, *plain)) return centre;
  return {};
}

}  // namespace plumb
