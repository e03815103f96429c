#include "plumb/feature/expression.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestText = 10'000;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_byte(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) > 127;
}

bool plain_word(const std::string& name) {
  return !name.empty() && !digit(name.front()) && std::all_of(name.begin(), name.end(), word_byte);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression product() {
    if (text_.size() > kLongestText)
      refuse("an expression of at most " + std::to_string(kLongestText) + " characters was expected");
    Expression expression;
    do {
      if (expression.factors.size() == kMostFactors)
        refuse("at most " + std::to_string(kMostFactors) + " factors were expected");
      expression.factors.push_back(power());
    } while (take('*'));
    if (at_ < text_.size()) refuse("*, ^ or the end was expected");
    return expression;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  Factor power() {
    Factor factor{name()};
    if (!take('^')) return factor;
    const std::size_t start = at_;
    while (at_ < text_.size() && digit(text_[at_])) ++at_;
    std::uint64_t value = 0;
    const bool whole = parse_integer(text_.substr(start, at_ - start), value);
    if (!whole || value < 1 || value > kHighestPower) {
      at_ = start;
      refuse("a whole number from 1 to " + std::to_string(kHighestPower) + " was expected");
    }
    factor.power = static_cast<std::uint32_t>(value);
    skip_blanks();
    return factor;
  }

  std::string name() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return quoted_name();
    const std::size_t start = at_;
    while (at_ < text_.size() && word_byte(text_[at_])) ++at_;
    if (at_ == start) refuse("the name of a column was expected");
    return std::string(text_.substr(start, at_ - start));
  }

  std::string quoted_name() {
    const std::size_t open = at_;
    std::string name;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return name;
        }
        ++at_;
      }
      name += text_[at_];
    }
    at_ = open;
    refuse("a closing quote was expected");
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string there = at_ < text_.size() ? in_quotes(text_.substr(at_, 1)) : "the end";
    throw Error(ErrorCode::usage,
                "expression " + in_quotes(text_) + ": at character " + std::to_string(at_ + 1) + " there is " + there +
                    "; " + expected,
                "height^3 and a*b are expressions; a name with other signs goes in double quotes");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Expression::text() const {
  if (plain_column()) return factors.front().column;
  std::string text;
  for (const Factor& factor : factors) {
    if (!text.empty()) text += '*';
    if (plain_word(factor.column)) {
      text += factor.column;
    } else {
      text += '"';
      for (const char c : factor.column) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    if (factor.power != 1) text += '^' + std::to_string(factor.power);
  }
  return text;
}

Expression parse_expression(std::string_view text) { return Parser(text).product(); }

}  // namespace plumb
