// How text for people is laid out: colour where the terminal has it, columns that line up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/number.h"

namespace plumb {

// A number of a table or of a sentence, at most so many digits.
inline std::string four_digits(double number) { return number_text(number, 4); }
inline std::string six_digits(double number) { return number_text(number, 6); }
inline std::string four_digits(const std::optional<double>& number) { return number ? four_digits(*number) : "none"; }
inline std::string six_digits(const std::optional<double>& number) { return number ? six_digits(*number) : "none"; }

struct Style {
  bool colour = false;

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }
  std::string red(std::string_view text) const { return paint("31", text); }
  std::string green(std::string_view text) const { return paint("32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const {
    if (!colour || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

// Rows of cells with aligned columns, two blanks between them. The first column is set to the left, the others to the
// right.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // The first row is a heading.
  std::string text(const Style& style) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The columns a text takes on a terminal: UTF-8 characters, not bytes.
std::size_t display_width(std::string_view text) noexcept;

}  // namespace plumb
