// Formula: one derived number per row, such as log(x), a/b or (height - 1.7)^2, parsed once and evaluated over columns.
// Formulas come as text from untrusted models, so length, depth and the number of operations are limited. Grammar,
// rounding and limits: docs/formulas.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/feature/expression.h"

namespace plumb {

class TextMeter;

// Immutable, so copies are cheap and threads may share one.
class Formula {
 public:
  static constexpr std::size_t kLongestText = 4096;  // bytes, as typed and in its canonical text
  static constexpr std::size_t kDeepest = 64;        // nested parentheses, calls, signs and powers
  static constexpr std::size_t kMostOperations = 1024;

  // Throws Error(usage) that points at the character. With a list of columns, a name that is not in it is refused, and
  // the error offers the nearest one.
  static Formula parse(std::string_view text);
  static Formula parse(std::string_view text, std::span<const std::string> known_columns);
  static Formula of_column(const std::string& name);

  // The canonical text of the formula: "a*b^2", "log(x+1)"; names that are not plain words are in double quotes.
  // Parsing it gives the same formula, and equal formulas have equal text.
  const std::string& text() const noexcept;
  // The name of the feature: the text, but for a plain column its bare name.
  std::string name() const;
  // In the order of first use, the order of evaluate()'s columns. Distinct except for columns of texts, which occur
  // once for each number that is made from them.
  const std::vector<std::string>& columns() const noexcept;
  // Makes a number of a text of columns()[c]; null if the column is numeric.
  const TextMeter* meter(std::size_t c) const noexcept;
  // The factors, if the formula is written as a product of columns and their whole powers (1 to kHighestPower).
  std::optional<Expression> product() const;

  bool operator==(const Formula& other) const noexcept { return text() == other.text(); }

  // An operation without a finite result: the logarithm of -3, a division by 0, a power that is too large.
  struct Fault {
    std::size_t row;     // counted from 0: the first row with a fault
    std::string part;    // the innermost part of the formula that failed there: "log(x-1)"
    std::string values;  // the columns of that part in that row: "x = -2"

    std::string text() const;  // "log(x-1) has no finite value at x = -2"
  };
  // Memory for evaluate(); keep one per thread.
  class Scratch {
   public:
    std::vector<double>& room(std::size_t size) {
      if (numbers_.size() < size) numbers_.resize(size);
      return numbers_;
    }

   private:
    std::vector<double> numbers_;
  };
  // out[i] = the value at row i, where columns[c] has out.size() numbers of columns()[c]. After a fault, the rows
  // before Fault::row are right and the others must not be used. The bits of a row depend on that row alone.
  [[nodiscard]] std::optional<Fault> evaluate(std::span<const double* const> columns, Out out, Scratch& scratch) const;
  // The same in double-double: out[i] + low[i] is the value before it is rounded to out[i]. low[i] is 0 if a function
  // or a comparison comes last.
  [[nodiscard]] std::optional<Fault> evaluate(std::span<const double* const> columns, Out out, Out low,
                                              Scratch& scratch) const;

 private:
  friend class FormulaParser;
  friend class TargetScale;
  struct Content;
  explicit Formula(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

// cross(a, b): the product of two columns, which for categories is every pair of levels; cross(a, b, c, ...): of more
// categories, every combination of levels; cross(all): every two columns.
struct Cross {
  std::vector<std::string> columns;  // two different ones or more, or empty for all

  bool all() const noexcept { return columns.empty(); }
  std::string text() const;
  bool operator==(const Cross&) const = default;
};

// One item of --features or --derive: a formula, the formulas e, e^2, ..., e^n of poly(e, n), or a cross.
using Derivation = std::variant<std::vector<Formula>, Cross>;
// Throws as Formula::parse does, and for a formula without columns.
Derivation parse_derivation(std::string_view text);
Derivation parse_derivation(std::string_view text, std::span<const std::string> known_columns);

}  // namespace plumb
