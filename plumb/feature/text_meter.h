// A number from a text, for formulas: length(text), count(text, "good"), capitalised(text), matches(text, "re").
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

struct TextFunction {
  enum class What { capitalised, count, length, matches };
  What what;
  std::string_view name;
  bool argument;  // takes a text in quotes
  std::string_view example;
};

// THE list of text functions.
std::span<const TextFunction> text_functions();
const TextFunction* text_function_called(std::string_view name);

// Immutable; const methods may run on any thread.
class TextMeter {
 public:
  // Throws Error(usage) if the function cannot use the argument.
  TextMeter(const TextFunction& function, std::string argument);
  ~TextMeter();

  // capitalised: 1 if the first letter or digit is a capital letter, otherwise 0. length: characters. count: how often
  // the word, or the consecutive words, occur in the text, ignoring case. matches: 1 if the regular expression (RE2) is
  // found, otherwise 0.
  double measure(std::string_view text) const;
  // count(review,"good") with the name of the column as typed.
  std::string text(std::string_view column) const;

 private:
  class Work;
  const TextFunction& function_;
  std::string argument_;
  std::unique_ptr<const Work> work_;
};

}  // namespace plumb
