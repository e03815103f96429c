// What a Formula holds; for formula*.cpp alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/feature/formula.h"
#include "plumb/feature/formula_node.h"
#include "plumb/feature/formula_program.h"

namespace plumb {

struct Formula::Content {
  std::vector<formula::Node> nodes;
  std::vector<std::string> columns;
  std::string text;
  formula::Program program;
};

}  // namespace plumb
