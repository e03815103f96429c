// The nodes of a formula: operations in postfix order, operands before their operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::formula {

enum class Operation : std::uint8_t {
  number,
  column,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  not_equal,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  absolute,
  arc_cosine,
  arc_sine,
  arc_tangent,
  cube_root,
  ceiling,
  cosine,
  hyperbolic_cosine,
  day,
  error_function,
  exponential,
  exponential_less_1,
  floor,
  hour,
  logarithm,
  logarithm_10,
  logarithm_1p,
  logarithm_2,
  maximum,
  minimum,
  month,
  round,
  sigmoid,
  sign,
  sine,
  hyperbolic_sine,
  square_root,
  tangent,
  hyperbolic_tangent,
  weekday,
  year,
};

// How tightly an operation binds its operands; calls, names and numbers most.
enum class Level : std::uint8_t { comparison, sum, product, sign, power, primary };

struct Description {
  Operation operation;
  std::string_view text;  // a sign, or the name of a function
  unsigned operands;
  Level level;
};

// THE list of operations, in the order of the enumeration. min and max of more arguments are nested calls.
inline constexpr Description operations[] = {
    {Operation::number, "", 0, Level::primary},
    {Operation::column, "", 0, Level::primary},
    {Operation::less, "<", 2, Level::comparison},
    {Operation::less_or_equal, "<=", 2, Level::comparison},
    {Operation::greater, ">", 2, Level::comparison},
    {Operation::greater_or_equal, ">=", 2, Level::comparison},
    {Operation::equal, "==", 2, Level::comparison},
    {Operation::not_equal, "!=", 2, Level::comparison},
    {Operation::add, "+", 2, Level::sum},
    {Operation::subtract, "-", 2, Level::sum},
    {Operation::multiply, "*", 2, Level::product},
    {Operation::divide, "/", 2, Level::product},
    {Operation::negate, "-", 1, Level::sign},
    {Operation::power, "^", 2, Level::power},
    {Operation::absolute, "abs", 1, Level::primary},
    {Operation::arc_cosine, "acos", 1, Level::primary},
    {Operation::arc_sine, "asin", 1, Level::primary},
    {Operation::arc_tangent, "atan", 1, Level::primary},
    {Operation::cube_root, "cbrt", 1, Level::primary},
    {Operation::ceiling, "ceil", 1, Level::primary},
    {Operation::cosine, "cos", 1, Level::primary},
    {Operation::hyperbolic_cosine, "cosh", 1, Level::primary},
    {Operation::day, "day", 1, Level::primary},
    {Operation::error_function, "erf", 1, Level::primary},
    {Operation::exponential, "exp", 1, Level::primary},
    {Operation::exponential_less_1, "expm1", 1, Level::primary},
    {Operation::floor, "floor", 1, Level::primary},
    {Operation::hour, "hour", 1, Level::primary},
    {Operation::logarithm, "log", 1, Level::primary},
    {Operation::logarithm_10, "log10", 1, Level::primary},
    {Operation::logarithm_1p, "log1p", 1, Level::primary},
    {Operation::logarithm_2, "log2", 1, Level::primary},
    {Operation::maximum, "max", 2, Level::primary},
    {Operation::minimum, "min", 2, Level::primary},
    {Operation::month, "month", 1, Level::primary},
    {Operation::round, "round", 1, Level::primary},
    {Operation::sigmoid, "sigmoid", 1, Level::primary},
    {Operation::sign, "sign", 1, Level::primary},
    {Operation::sine, "sin", 1, Level::primary},
    {Operation::hyperbolic_sine, "sinh", 1, Level::primary},
    {Operation::square_root, "sqrt", 1, Level::primary},
    {Operation::tangent, "tan", 1, Level::primary},
    {Operation::hyperbolic_tangent, "tanh", 1, Level::primary},
    {Operation::weekday, "weekday", 1, Level::primary},
    {Operation::year, "year", 1, Level::primary},
};
constexpr const Description& describe(Operation operation) { return operations[static_cast<std::size_t>(operation)]; }

struct Node {
  Operation operation = Operation::number;
  std::uint32_t column = 0;  // for a column: its index among the formula's columns
  double number = 0.0;       // for a number: never negative
};

// The text of the formula of these nodes; `operands` are its columns as written.
std::string text_of(std::span<const Node> nodes, std::span<const std::string> operands);

// The nodes of the operand or formula that ends with nodes[last].
std::span<const Node> part_ending_at(std::span<const Node> nodes, std::size_t last);

// A name that needs no quotes: letters, digits, "_", "." and bytes above 127, without a digit where a number would
// begin.
bool plain_word(std::string_view name) noexcept;
bool word_byte(char c) noexcept;
bool digit(char c) noexcept;
std::string name_text(std::string_view name);  // in quotes if needed

}  // namespace plumb::formula
