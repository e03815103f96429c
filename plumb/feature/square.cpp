#include "plumb/feature/square.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// "x" -> "x", "(x)-1.7" or "(x)+1.7".
std::string less_centre(const Formula& formula, double centre) {
  if (centre == 0.0) return formula.text();
  return "(" + formula.text() + ")" + (centre > 0.0 ? "-" : "+") + number_text(std::abs(centre));
}

// "abs(x-1.7)^2" -> "(x-1.7)^2"; empty for other texts.
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

double short_centre(double mean, double deviation) {
  const double near = deviation / 2;
  if (!std::isfinite(mean) || !std::isfinite(near) || std::abs(mean) <= near) return 0.0;
  for (int digits = 1; digits < 15; ++digits)
    if (const double shorter = parse_number(number_text(mean, digits)).value; std::abs(shorter - mean) <= near)
      return shorter;
  return mean;
}

// About the first number, which is close enough to the others for sums of doubles.
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

FeatureMap recentred(const FeatureMap& map,
                     const std::function<std::optional<double>(std::uint32_t feature)>& centre_of) {
  FeatureMap::Parts parts = map.parts();
  std::vector<std::pair<std::size_t, double>> squared;  // terms that are squared by the next, and their centres
  std::unordered_set<std::string> taken;
  for (std::size_t t = 0; t < parts.terms.size(); ++t) {
    const std::string name = map.first_feature(t) < map.first_feature(t + 1) ? map.name(map.first_feature(t)) : "";
    if (!squared.empty() && squared.back().first + 1 == t) continue;
    taken.insert(name);
    const ProductTerm* const product = std::get_if<ProductTerm>(&parts.terms[t]);
    if (t + 1 == parts.terms.size() || product == nullptr || product->powers.size() != 1 ||
        product->powers[0].power != 1 || !centre_of_square(parts.terms[t], parts.terms[t + 1], parts.inputs))
      continue;
    if (const std::optional<double> centre = centre_of(map.first_feature(t))) squared.emplace_back(t, *centre);
  }
  for (const auto& [t, centre] : squared) {
    const std::uint32_t input = std::get<ProductTerm>(parts.terms[t]).powers[0].input;
    const Formula square = centred_square(Formula::of_column(parts.inputs[input].name), centre, taken);
    taken.insert(square.name());
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
