#include "plumb/feature/model_formula.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/feature/formula.h"
#include "plumb/feature/formula_node.h"

namespace plumb {
namespace {

constexpr const char* kExample = "--formula 'wage ~ education*experience + log(age)'";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ModelFormula parse() {
    const std::size_t tilde = end_of("~", 0);
    if (tilde == text_.size()) refuse(tilde, "~ between the target and the terms was expected");
    found_.target = checked(0, tilde);
    at_ = tilde + 1;
    bool plus = true;
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) plus = text_[at_++] == '+';
    while (true) {
      const std::size_t end = end_of("+-~", at_);
      if (end < text_.size() && text_[end] == '~') refuse(end, "one ~ was expected");
      term(at_, end, plus);
      if (end == text_.size()) break;
      plus = text_[end] == '+';
      at_ = end + 1;
    }
    if (!found_.all && found_.features.empty()) refuse(text_.size(), "a term was expected");
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& expected) const {
    throw Error(ErrorCode::usage,
                "formula " + in_quotes(text_, 200) + ": at character " + std::to_string(at + 1) + " there is " +
                    (at < text_.size() ? in_quotes(text_.substr(at, 1)) : "the end") + "; " + expected,
                kExample);
  }

  // Where the first of these characters stands from `at` on, outside of parentheses and quotes; or the end.
  std::size_t end_of(std::string_view characters, std::size_t at) const {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = at; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(') ++depth;
      if (c == ')' && depth-- == 0) refuse(i, "no closing parenthesis was expected");
      if (depth == 0 && i >= at && characters.find(c) != characters.npos && !in_number(i)) return i;
    }
    return text_.size();
  }
  // The sign of 1e-3.
  bool in_number(std::size_t i) const {
    return i >= 2 && (text_[i] == '-' || text_[i] == '+') && (text_[i - 1] == 'e' || text_[i - 1] == 'E') &&
           formula::digit(text_[i - 2]);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view part(std::size_t begin, std::size_t end) const { return trimmed(text_.substr(begin, end - begin)); }

  // An expression of the language of --derive; what is wrong with it is said of the formula as a whole.
  std::string checked(std::size_t begin, std::size_t end) const {
    const std::string_view text = part(begin, end);
    if (text.empty()) refuse(end, "a column or an expression was expected");
    try {
      static_cast<void>(parse_derivation(text));
    } catch (const Error& error) {
      const auto offset = static_cast<std::size_t>(text.data() - text_.data());
      throw Error(ErrorCode::usage,
                  "formula " + in_quotes(text_, 200) + ", from character " + std::to_string(offset + 1) +
                      " on: " + error.message(),
                  error.hint());
    }
    return std::string(text);
  }

  struct Factor {
    std::string text;
    bool column = false;
  };

  // A factor of a*b or a:b: a column, a call, or I(...).
  Factor factor(std::size_t begin, std::size_t end) const {
    const std::string_view text = part(begin, end);
    if (text.starts_with("I(") && text.ends_with(")")) {
      const auto offset = static_cast<std::size_t>(text.data() - text_.data());
      return {"(" + checked(offset + 2, offset + text.size() - 1) + ")", false};
    }
    if (text.find_first_of("^/") != text.npos && end_of("^/", begin) < end)
      refuse(end_of("^/", begin), "+, -, * or : between terms was expected; arithmetic goes into I(...)");
    const std::string expression = checked(begin, end);
    const auto derivation = parse_derivation(expression);
    const auto* const formulas = std::get_if<std::vector<Formula>>(&derivation);
    const bool column = formulas != nullptr && formulas->size() == 1 && formulas->front().product() &&
                        formulas->front().product()->plain_column();
    return {expression, column};
  }

  void add(const std::string& feature, bool plus) {
    std::vector<std::string>& features = found_.features;
    const auto known = std::find(features.begin(), features.end(), feature);
    const bool there = known != features.end();
    if (plus && !there) features.push_back(feature);
    if (!plus && there) features.erase(known);
    if (!plus && !there) found_.drop.push_back(feature);
  }

  static std::string product(const std::vector<Factor>& factors) {
    const bool columns = std::all_of(factors.begin(), factors.end(), [](const Factor& each) { return each.column; });
    std::string text;
    for (const Factor& each : factors) text += (text.empty() ? "" : columns ? ", " : "*") + each.text;
    return columns ? "cross(" + text + ")" : text;
  }

  void term(std::size_t begin, std::size_t end, bool plus) {
    const std::string_view text = part(begin, end);
    if (text.empty()) refuse(end, "a term was expected");
    if (text == "1" || text == "0") {
      found_.bias = plus == (text == "1");
      return;
    }
    if (text == ".") {
      if (!plus) refuse(begin, "+ before . was expected");
      found_.all = true;
      return;
    }
    // a*b*c is every product of some of them; each of these may be joined by ":".
    std::vector<std::vector<Factor>> crossed;
    for (std::size_t at = begin; at <= end;) {
      const std::size_t stop = std::min(end, end_of("*", at));
      std::vector<Factor>& joined = crossed.emplace_back();
      for (std::size_t from = at; from <= stop;) {
        const std::size_t next = std::min(stop, end_of(":", from));
        joined.push_back(factor(from, next));
        from = next + 1;
      }
      at = stop + 1;
    }
    constexpr std::size_t kMostCrossed = 8;
    if (crossed.size() > kMostCrossed) refuse(begin, "at most 8 factors between * were expected");
    // By the number of factors, as R has them.
    std::vector<std::vector<Factor>> products;
    for (std::size_t set = 1; set < std::size_t{1} << crossed.size(); ++set) {
      std::vector<Factor>& factors = products.emplace_back();
      for (std::size_t i = 0; i < crossed.size(); ++i)
        if ((set >> i & 1) != 0) factors.insert(factors.end(), crossed[i].begin(), crossed[i].end());
    }
    std::stable_sort(products.begin(), products.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const std::vector<Factor>& factors : products)
      add(factors.size() == 1 ? factors.front().text : product(factors), plus);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  ModelFormula found_;
};

}  // namespace

ModelFormula parse_model_formula(std::string_view text) { return Parser(text).parse(); }

std::vector<std::pair<std::string, std::string>> ModelFormula::options() const {
  std::vector<std::pair<std::string, std::string>> options = {{"target", target}};
  if (!all) options.emplace_back("features", list_of(features));
  for (const std::string& feature : features)
    if (all) options.emplace_back("derive", list_item(feature));
  if (!drop.empty()) options.emplace_back("drop", list_of(drop));
  if (!bias) options.emplace_back("no-bias", "");
  return options;
}

FeatureOptions without_formula(FeatureOptions options) {
  if (options.formula.empty()) return options;
  if (!options.target.empty() || !options.features.empty())
    throw Error(ErrorCode::usage, "--formula says the target and the features; --target or --features does so too",
                "leave out --formula");
  ModelFormula formula = parse_model_formula(options.formula);
  if (!formula.bias)
    throw Error(ErrorCode::usage, "the formula leaves out the bias, which is for the options of the model to say",
                "--no-bias");
  options.formula.clear();
  options.target = std::move(formula.target);
  std::vector<std::string>& beside = formula.all ? options.derive : options.features;
  beside.insert(beside.end(), formula.features.begin(), formula.features.end());
  options.drop.insert(options.drop.end(), formula.drop.begin(), formula.drop.end());
  return options;
}

}  // namespace plumb
