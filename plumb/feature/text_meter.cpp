#include "plumb/feature/text_meter.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

// Time is linear in the text, and memory stays below this, whatever the expression: a model file may contain any.
constexpr std::int64_t kExpressionBytes = std::int64_t{2} << 20;

using What = TextFunction::What;
constexpr TextFunction kFunctions[] = {
    {What::capitalised, "capitalised", false, "capitalised(review)"},
    {What::count, "count", true, "count(review, \"good\")"},
    {What::length, "length", false, "length(review)"},
    {What::matches, "matches", true, "matches(review, \"[0-9]+ of 10\")"},
};

bool begins_with_a_capital(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (is_word_character(character.code)) {
      const std::string_view letter = text.substr(at, character.length);
      return lowered(letter) != letter;
    }
    at += character.length;
  }
  return false;
}

std::size_t occurrences(const std::vector<std::string>& tokens, const std::vector<std::string>& words) {
  std::size_t found = 0;
  for (auto at = tokens.begin(); (at = std::search(at, tokens.end(), words.begin(), words.end())) != tokens.end(); ++at)
    ++found;
  return found;
}

}  // namespace

std::span<const TextFunction> text_functions() { return kFunctions; }

const TextFunction* text_function_called(std::string_view name) {
  for (const TextFunction& each : text_functions())
    if (each.name == name) return &each;
  return nullptr;
}

class TextMeter::Work {
 public:
  // Plain words: no rule of the bag of words changes the meaning of a formula.
  Tokeniser tokeniser{TokenRules{.min_length = 1}};
  std::vector<std::string> words;   // count
  std::unique_ptr<re2::RE2> found;  // matches
};

TextMeter::TextMeter(const TextFunction& function, std::string argument)
    : function_(function), argument_(std::move(argument)) {
  auto work = std::make_unique<Work>();
  const std::string called = std::string(function.name) + "(...)";
  if (!valid_utf8(argument_))
    throw Error(ErrorCode::usage, called + " is given " + in_quotes(argument_) + ", which is not valid UTF-8 text",
                std::string(function.example));
  if (function.what == TextFunction::What::count) {
    work->words = work->tokeniser.tokens(argument_);
    if (work->words.empty())
      throw Error(ErrorCode::usage,
                  called + " is given " + in_quotes(argument_) + ", which holds no word; one was expected",
                  std::string(function.example));
  }
  if (function.what == TextFunction::What::matches) {
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(kExpressionBytes);
    work->found = std::make_unique<re2::RE2>(argument_, options);
    if (!work->found->ok())
      throw Error(ErrorCode::usage,
                  called + " is given " + in_quotes(argument_) +
                      ", which is no regular expression: " + escaped_for_terminal(work->found->error()),
                  std::string(function.example));
  }
  work_ = std::move(work);
}

TextMeter::~TextMeter() = default;

double TextMeter::measure(std::string_view text) const {
  switch (function_.what) {
    case TextFunction::What::capitalised: return begins_with_a_capital(text) ? 1.0 : 0.0;
    case TextFunction::What::length: return static_cast<double>(character_count(text));
    case TextFunction::What::count:
      return static_cast<double>(occurrences(work_->tokeniser.tokens(text), work_->words));
    case TextFunction::What::matches:
      return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *work_->found) ? 1.0 : 0.0;
  }
  return 0.0;
}

std::string TextMeter::text(std::string_view column) const {
  std::string text = std::string(function_.name) + "(" + std::string(column);
  if (function_.argument) {
    text += ",\"";
    for (const char c : argument_) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += '"';
  }
  return text + ")";
}

}  // namespace plumb
