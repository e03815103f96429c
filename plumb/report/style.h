// The layout of text for people: colour if the terminal has it, lines and tables that fit its width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/number.h"

namespace plumb {

// A number for people: at most `digits` significant digits, and the whole part of numbers below ten million in full.
std::string short_number(double number, int digits);
// Estimates and scores.
inline std::string four_digits(double number) { return short_number(number, 4); }
inline std::string four_digits(const std::optional<double>& number) { return number ? four_digits(*number) : "none"; }
// Penalties and other settings.
inline std::string three_digits(double number) { return short_number(number, 3); }
// Likelihoods, deviances and information criteria, which are compared by their differences.
std::string two_decimals(double number);

inline constexpr std::size_t kUsualWidth = 80;

struct Style {
  bool colour = false;
  std::size_t width = kUsualWidth;  // columns of the terminal

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

// Rows of cells with aligned columns, two blanks between them. The first column is aligned left, the others right by
// default. A table wider than the terminal wraps its cells by word; if that is not enough, its columns are shown in
// groups below each other, each beside the first column.
class TextTable {
 public:
  enum class Align { right, left };
  explicit TextTable(Align others = Align::right) : others_(others) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Aligns this column, counted from 0, to the left.
  void set_left(std::size_t column) { left_.push_back(column); }
  // The first row is a heading.
  std::string text(const Style& style) const;

 private:
  bool is_left(std::size_t column) const;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_;
  Align others_;
};

// The columns a text takes on a terminal: UTF-8 characters, not bytes; escape codes of colours take none.
std::size_t display_width(std::string_view text) noexcept;

// The text with lines of at most `width` columns: longer ones are broken between words, and continue below the words
// they belong to. A word that is longer by itself stays whole.
std::string fitted(std::string_view text, std::size_t width);

}  // namespace plumb
