// The content of a Formula; only for formula*.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/feature/formula.h"
#include "plumb/feature/formula_node.h"
#include "plumb/feature/formula_program.h"
#include "plumb/feature/text_meter.h"

namespace plumb {

struct Formula::Content {
  std::vector<formula::Node> nodes;
  std::vector<std::string> columns;                      // of each operand
  std::vector<std::shared_ptr<const TextMeter>> meters;  // for operands that are numbers from texts, otherwise null
  std::vector<std::string> operands;                     // as written
  std::string text;
  formula::Program program;
};

}  // namespace plumb
