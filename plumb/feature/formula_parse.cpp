// Recursive descent, one function per level, which writes nodes in postfix order:
//   comparison := sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum        := product { ("+" | "-") product }
//   product    := signed { ("*" | "/") signed }
//   signed     := "-" signed | primary [ "^" signed ]
//   primary    := number | name | text | function "(" comparison { "," comparison } ")" | "(" comparison ")"
//   text       := text function "(" name [ "," quoted text ] ")"
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/formula.h"
#include "plumb/feature/formula_content.h"

namespace plumb {
namespace {

using formula::Description;
using formula::Node;
using formula::Operation;

struct Token {
  enum class Kind { end, number, word, quoted, sign };
  Kind kind = Kind::end;
  std::string_view text;  // as written
  std::string name;       // a word or quoted name
  double number = 0.0;

  bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

const std::string kExamples =
    "height^3, a*b and log(x+1) are expressions; a name with other signs goes in double quotes";

// What people write who know another language.
std::string hint_for(std::string_view text) {
  static constexpr std::string_view other_ways[][2] = {
      {"**", "the power is written ^: x^2"},          {"=", "equality is written =="},
      {"ln", "the natural logarithm is written log"}, {"pow", "the power is written ^: x^2"},
      {"&", "(a > 1)*(b > 1) is 1 where both are"},   {"|", "max(a > 1, b > 1) is 1 where one of them is"},
      {"!", "1 - (a > 1) is 1 where it is not"},      {"%", "a - b*floor(a/b) is the rest of a division"}};
  for (const auto& [written, hint] : other_ways)
    if (text == written) return std::string(hint);
  return "";
}

const Description* function_called(std::string_view name) {
  for (const Description& each : formula::operations)
    if (each.operands > 0 && each.level == formula::Level::primary && each.text == name) return &each;
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Description& each : formula::operations)
    if (each.operands > 0 && each.level == formula::Level::primary) names.emplace_back(each.text);
  for (const TextFunction& each : text_functions()) names.emplace_back(each.name);
  return names;
}

}  // namespace

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const std::span<const std::string>* known_columns) : text_(text) {
    if (text.size() > Formula::kLongestText)
      throw Error(ErrorCode::usage, "an expression has " + counted(text.size(), "byte") + "; at most " +
                                        count_text(Formula::kLongestText) + " were expected");
    if (known_columns != nullptr) {
      known_ = *known_columns;
      is_known_.emplace();
      is_known_->insert(known_.begin(), known_.end());
    }
    advance();
  }

  Formula whole_formula() {
    comparison();
    end_expected("an operator or the end was expected");
    return finished();
  }

  Derivation derivation() {
    if (token_.kind == Token::Kind::word && next_byte() == '(') {
      if (token_.text == "poly") return poly();
      if (token_.text == "cross") return cross();
    }
    Formula formula = whole_formula();
    if (formula.columns().empty())
      throw Error(ErrorCode::usage, "expression " + shown() + " names no column; a column was expected", kExamples);
    return std::vector<Formula>{std::move(formula)};
  }

 private:
  // poly(e, n): e, e^2, ..., e^n
  Derivation poly() {
    advance();
    advance();
    comparison();
    if (!token_.is(",")) refuse("a comma and the highest power were expected", "poly(x, 3) is x, x^2 and x^3");
    advance();
    const bool whole = token_.kind == Token::Kind::number && std::trunc(token_.number) == token_.number;
    if (!whole || token_.number < 1.0 || token_.number > kHighestPower)
      refuse("a whole number from 1 to " + std::to_string(kHighestPower) + " was expected",
             "poly(x, 3) is x, x^2 and x^3");
    const int highest = static_cast<int>(token_.number);
    advance();
    close();
    end_expected("the end was expected, as poly(...) stands alone");
    std::vector<Formula> powers{finished()};
    if (powers.front().columns().empty())
      throw Error(ErrorCode::usage, "expression " + shown() + " names no column; a column was expected", kExamples);
    const std::string base = '(' + powers.front().text() + ")^";
    for (int power = 2; power <= highest; ++power) powers.push_back(Formula::parse(base + std::to_string(power)));
    return powers;
  }

  Derivation cross() {
    const std::string hint = "cross(a, b) is a product of two columns, cross(all) the products of every two";
    Cross cross;
    advance();
    advance();
    if (token_.kind == Token::Kind::word && token_.text == "all") {
      advance();
      if (!token_.is(")")) refuse(") was expected after all", "a column called all goes in double quotes: \"all\"");
    } else {
      cross.columns.push_back(column_name(hint));
      if (!token_.is(",")) refuse("a comma and a second column were expected", hint);
      while (token_.is(",")) {
        advance();
        const Token next = token_;
        cross.columns.push_back(column_name(hint));
        if (std::find(cross.columns.begin(), cross.columns.end() - 1, cross.columns.back()) != cross.columns.end() - 1)
          refuse_at(next,
                    std::string("a column other than the ") + (cross.columns.size() == 2 ? "first" : "others") +
                        " was expected",
                    formula::name_text(next.name) + "^2 is its square");
      }
    }
    close();
    end_expected("the end was expected, as cross(...) stands alone");
    return cross;
  }

  std::string column_name(const std::string& hint) {
    if (token_.kind != Token::Kind::word && token_.kind != Token::Kind::quoted)
      refuse("the name of a column was expected", hint);
    check_known();
    std::string name = token_.name;
    advance();
    return name;
  }

  void comparison() {
    sum();
    if (!binary({Operation::less, Operation::less_or_equal, Operation::greater, Operation::greater_or_equal,
                 Operation::equal, Operation::not_equal},
                &FormulaParser::sum))
      return;
    for (const std::string_view sign : {"<", "<=", ">", ">=", "==", "!="})
      if (token_.is(sign))
        refuse("an operator other than a second comparison was expected", "(a < b)*(b < c) is 1 where both hold");
  }

  void sum() {
    product();
    while (binary({Operation::add, Operation::subtract}, &FormulaParser::product)) {
    }
  }

  void product() {
    with_sign();
    while (binary({Operation::multiply, Operation::divide}, &FormulaParser::with_sign)) {
    }
  }

  // If the operator of one of these operations is next: it, and its right operand.
  bool binary(std::initializer_list<Operation> choices, void (FormulaParser::*operand)()) {
    for (const Operation operation : choices) {
      if (!token_.is(formula::describe(operation).text)) continue;
      advance();
      (this->*operand)();
      emit(operation);
      return true;
    }
    return false;
  }

  void with_sign() {
    if (++depth_ > Formula::kDeepest)
      refuse("at most " + std::to_string(Formula::kDeepest) + " levels inside each other were expected");
    if (token_.is("-")) {
      advance();
      with_sign();
      emit(Operation::negate);
    } else {
      primary();
      if (token_.is("^")) {
        advance();
        const std::size_t exponent = nodes_.size();
        with_sign();
        const Node& last = nodes_.back();
        if (nodes_.size() == exponent + 1 && last.operation == Operation::number && last.number == 1.0) {
          nodes_.pop_back();  // x^1 is x
        } else {
          emit(Operation::power);
        }
      }
    }
    --depth_;
  }

  void primary() {
    if (token_.is("(")) {
      advance();
      comparison();
      close();
    } else if (token_.kind == Token::Kind::number) {
      nodes_.push_back({Operation::number, 0, token_.number});
      advance();
    } else if (token_.kind == Token::Kind::word && next_byte() == '(') {
      call();
    } else if (token_.kind == Token::Kind::word || token_.kind == Token::Kind::quoted) {
      column();
    } else {
      refuse("a number, a column or a function was expected");
    }
  }

  // A number from a text is an operand like a column.
  void text_call(const TextFunction& function) {
    advance();
    advance();
    const std::string column = column_name(std::string(function.example));
    std::string argument;
    if (function.argument) {
      const std::string hint(function.example);
      if (!token_.is(",")) refuse("a comma and a text in double quotes were expected", hint);
      advance();
      if (token_.kind != Token::Kind::quoted) refuse("a text in double quotes was expected", hint);
      argument = token_.name;
      advance();
    }
    close();
    auto meter = std::make_shared<const TextMeter>(function, std::move(argument));
    std::string text = meter->text(formula::name_text(column));
    operand(std::move(text), column, std::move(meter));
  }

  void operand(std::string text, const std::string& column, std::shared_ptr<const TextMeter> meter) {
    const auto [place, is_new] = index_.try_emplace(text, static_cast<std::uint32_t>(columns_.size()));
    if (is_new) {
      columns_.push_back(column);
      meters_.push_back(std::move(meter));
      operands_.push_back(std::move(text));
    }
    nodes_.push_back({Operation::column, place->second});
  }

  void call() {
    if (const TextFunction* const function = text_function_called(token_.text)) return text_call(*function);
    const Description* const function = function_called(token_.text);
    if (function == nullptr) {
      if (token_.text == "poly" || token_.text == "cross")
        refuse("it makes several features, so the end of the expression was expected around it",
               "poly(...) and cross(...) stand alone");
      const std::vector<std::string> names = function_names();
      const std::string hint = hint_for(token_.text);
      refuse("a function was expected: " + listed(names, names.size()),
             hint.empty() ? did_you_mean(token_.text, names) : hint);
    }
    const std::string name(function->text);
    advance();
    advance();
    comparison();
    if (function->operands == 2) {
      if (!token_.is(",")) refuse("a comma was expected, as " + name + " takes two numbers or more");
      while (token_.is(",")) {
        advance();
        comparison();
        emit(function->operation);
      }
    } else {
      if (token_.is(",")) refuse(") was expected, as " + name + " takes one number");
      emit(function->operation);
    }
    close();
  }

  void column() {
    check_known();
    operand(formula::name_text(token_.name), token_.name, nullptr);
    advance();
  }

  void check_known() const {
    if (token_.name.empty()) refuse("the name of a column was expected");
    if (!is_known_ || is_known_->contains(token_.name)) return;
    const std::string meant = nearest(token_.name, known_);
    refuse("a column was expected: " + listed(known_),
           meant.empty() ? "" : "did you mean " + formula::name_text(meant) + "?");
  }

  void close() {
    if (!token_.is(")")) refuse("an operator or ) was expected");
    advance();
  }

  void end_expected(const std::string& expected) const {
    if (token_.kind != Token::Kind::end) refuse(expected);
  }

  void emit(Operation operation) {
    if (++operations_ > Formula::kMostOperations)
      throw Error(ErrorCode::usage, "expression " + shown() + " has more than " + count_text(Formula::kMostOperations) +
                                        " operations; at most that many were expected");
    nodes_.push_back({operation});
  }

  Formula finished() {
    auto content = std::make_shared<Formula::Content>();
    content->text = formula::text_of(nodes_, operands_);
    if (content->text.size() > Formula::kLongestText)
      throw Error(ErrorCode::usage, "expression " + shown() + " has " + counted(content->text.size(), "byte") +
                                        " with its numbers written out; at most " + count_text(Formula::kLongestText) +
                                        " were expected");
    content->program = formula::Program(nodes_);
    content->nodes = std::move(nodes_);
    content->columns = std::move(columns_);
    content->meters = std::move(meters_);
    content->operands = std::move(operands_);
    return Formula(std::move(content));
  }

  // Reads the next token into token_.
  void advance() {
    skip_blanks();
    token_ = Token{};
    const std::size_t start = at_;
    token_.text = text_.substr(at_, 0);
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    const auto follows = [&](char wanted) { return at_ + 1 < text_.size() && text_[at_ + 1] == wanted; };
    if (c == '"') {
      quoted();
    } else if (formula::digit(c) || (c == '.' && at_ + 1 < text_.size() && formula::digit(text_[at_ + 1]))) {
      number();
    } else if (formula::word_byte(c)) {
      while (at_ < text_.size() && formula::word_byte(text_[at_])) ++at_;
      token_.kind = Token::Kind::word;
      token_.name = text_.substr(start, at_ - start);
    } else {
      const bool doubled =
          (follows('=') && std::string_view("<>=!").find(c) != std::string_view::npos) || (c == '*' && follows('*'));
      at_ += doubled ? 2 : 1;
      token_.kind = Token::Kind::sign;
    }
    token_.text = text_.substr(start, at_ - start);
  }

  void number() {
    const std::size_t start = at_;
    const auto digits = [&] {
      while (at_ < text_.size() && formula::digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_;
    digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const std::size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-') ? 1 : 0;
      if (at_ + 1 + sign < text_.size() && formula::digit(text_[at_ + 1 + sign])) {
        at_ += 1 + sign;
        digits();
      }
    }
    const bool ends = at_ == text_.size() || !formula::word_byte(text_[at_]);
    while (at_ < text_.size() && formula::word_byte(text_[at_])) ++at_;
    token_.kind = Token::Kind::number;
    token_.text = text_.substr(start, at_ - start);
    if (!ends)
      refuse("a number was expected, or a name in double quotes", "\"" + std::string(token_.text) + "\" is a column");
    const ParsedNumber parsed = parse_number(token_.text);
    if (parsed.fault != NumberFault::none) refuse("a number was expected that a double can hold");
    token_.number = parsed.value;
  }

  void quoted() {
    token_.kind = Token::Kind::quoted;
    const std::size_t open = at_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return;
        }
        ++at_;
      }
      token_.name += text_[at_];
    }
    token_.text = text_.substr(open, 1);
    refuse("a closing quote was expected for it");
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  // The first byte after token_ and blanks, 0 at the end.
  char next_byte() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::string shown() const { return in_quotes(text_, 200); }

  [[noreturn]] void refuse(const std::string& expected, const std::string& hint = "") const {
    refuse_at(token_, expected, hint);
  }
  [[noreturn]] void refuse_at(const Token& token, const std::string& expected, std::string hint) const {
    const std::string_view before = text_.substr(0, static_cast<std::size_t>(token.text.data() - text_.data()));
    const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not the middle of a UTF-8 character
    });
    if (hint.empty()) hint = hint_for(token.text);
    throw Error(ErrorCode::usage,
                "expression " + shown() + ": at character " + std::to_string(characters + 1) + " there is " +
                    (token.kind == Token::Kind::end ? "the end" : in_quotes(token.text)) + "; " + expected,
                hint.empty() ? kExamples : hint);
  }

  std::string_view text_;
  std::span<const std::string> known_;
  std::optional<std::unordered_set<std::string_view>> is_known_;  // null: any name is allowed
  std::size_t at_ = 0;                                            // behind token_
  Token token_;
  std::size_t depth_ = 0;
  std::size_t operations_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::string> columns_;
  std::vector<std::shared_ptr<const TextMeter>> meters_;
  std::vector<std::string> operands_;                     // as they are written
  std::unordered_map<std::string, std::uint32_t> index_;  // of operands_
};

Formula Formula::parse(std::string_view text) { return FormulaParser(text, nullptr).whole_formula(); }
Formula Formula::parse(std::string_view text, std::span<const std::string> known_columns) {
  return FormulaParser(text, &known_columns).whole_formula();
}
Formula Formula::of_column(const std::string& name) { return parse(formula::name_text(name)); }

Derivation parse_derivation(std::string_view text) { return FormulaParser(text, nullptr).derivation(); }
Derivation parse_derivation(std::string_view text, std::span<const std::string> known_columns) {
  return FormulaParser(text, &known_columns).derivation();
}

}  // namespace plumb
