// The common start of commands with a model and data.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace plumb::cli {

// MODEL DATA...
struct ModelAndData {
  std::shared_ptr<const SavedModel> saved;
  std::unique_ptr<Source> source;

  void open(std::string_view command, const std::vector<std::string>& operands, const ReadOptions& read) {
    expect_operands(*find_command(command), operands, 2, kAnyNumber);
    saved = std::make_shared<SavedModel>(load_model(operands.front()));
    source = open_for(*saved, {operands.begin() + 1, operands.end()}, read);
  }
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace plumb::cli
