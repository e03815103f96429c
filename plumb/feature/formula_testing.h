// Random formulas for tests: trees that are typed with random blanks and needless parentheses. Included by tests alone.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/number.h"
#include "plumb/feature/formula_node.h"

namespace plumb::testing {

struct Tree {
  formula::Operation operation = formula::Operation::number;
  double number = 0.0;
  std::size_t column = 0;
  std::vector<Tree> operands;
};

class RandomFormula {
 public:
  explicit RandomFormula(std::uint64_t seed) : engine_(seed) {}

  static const std::vector<std::string>& column_names() {
    static const std::vector<std::string> names{"a", "b", "log", "my \"col\"", "2nd"};
    return names;
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  // Whole numbers, short and long fractions, large and small ones; never negative, like numbers in a formula.
  double number() {
    switch (below(4)) {
      case 0: return static_cast<double>(below(6));
      case 1: return static_cast<double>(below(1000)) / 8.0;
      case 2: return static_cast<double>(engine_() >> 11) * 0x1p-53;
      default: return static_cast<double>(engine_() >> 11) * (below(2) == 0 ? 0x1p-20 : 0x1p-80);
    }
  }

  Tree tree(std::size_t depth) {
    using formula::Operation;
    if (depth == 0 || below(6) == 0) {
      if (below(3) == 0) return {Operation::number, number(), 0, {}};
      return {Operation::column, 0.0, below(column_names().size()), {}};
    }
    Tree tree;
    tree.operation = formula::operations[2 + below(std::size(formula::operations) - 2)].operation;
    if (below(2) == 0) tree.operation = arithmetic[below(std::size(arithmetic))];
    for (unsigned i = 0; i < formula::describe(tree.operation).operands; ++i)
      tree.operands.push_back(this->tree(depth - 1));
    if (tree.operation == Operation::power && below(4) != 0) {  // mostly whole powers, some negative
      Tree exponent{Operation::number, static_cast<double>(below(8)), 0, {}};
      tree.operands[1] = below(4) == 0 ? Tree{Operation::negate, 0.0, 0, {exponent}} : exponent;
    }
    return tree;
  }

  std::string typed(const Tree& tree) { return typed(tree, formula::Level::comparison); }

 private:
  static constexpr formula::Operation arithmetic[] = {formula::Operation::add,      formula::Operation::subtract,
                                                      formula::Operation::multiply, formula::Operation::divide,
                                                      formula::Operation::negate,   formula::Operation::power};

  std::string blank() { return below(5) == 0 ? std::string(1 + below(2), below(3) == 0 ? '\t' : ' ') : ""; }

  // In parentheses unless it binds at least as tightly as wanted, and sometimes without need.
  std::string typed(const Tree& tree, formula::Level wanted) {
    using formula::Level;
    const formula::Description& what = formula::describe(tree.operation);
    std::string text;
    if (tree.operation == formula::Operation::number) {
      text = number_text(tree.number);
    } else if (tree.operation == formula::Operation::column) {
      text = formula::name_text(column_names()[tree.column]);
    } else if (what.level == Level::primary) {
      text = std::string(what.text) + blank() + "(";
      for (std::size_t i = 0; i < tree.operands.size(); ++i)
        text += (i == 0 ? "" : ",") + typed(tree.operands[i], Level::comparison);
      text += ")";
    } else if (tree.operation == formula::Operation::negate) {
      text = "-" + typed(tree.operands[0], Level::sign);
    } else {
      const bool from_left = what.level == Level::sum || what.level == Level::product;
      const auto next = static_cast<Level>(static_cast<int>(what.level) + 1);
      text = typed(tree.operands[0], from_left ? what.level : next) + std::string(what.text) +
             typed(tree.operands[1], what.level == Level::power ? Level::sign : next);
    }
    if (what.level < wanted || below(8) == 0) text = "(" + text + ")";
    return blank() + text + blank();
  }

  std::mt19937_64 engine_;
};

}  // namespace plumb::testing
