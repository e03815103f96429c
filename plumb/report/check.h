// What `plumb check` found in data, as text for people and as JSON for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/summary.h"
#include "plumb/report/style.h"

namespace plumb {

struct CheckReport {
  std::string source;  // the name of the input in messages
  TableSummary summary;
  std::optional<std::size_t> target;  // among the columns
  std::uint64_t top = 5;              // how many of a column's most common values are shown
  std::vector<std::string> notes;     // of the source
  std::vector<std::string> left_out;  // notes about rows left out
  std::string next;                   // the command to type next; empty if there is none to offer
};

// Obstacles to training, and surprises: values that are not numbers, a target with empty fields, with one value only or
// with rare labels.
std::vector<std::string> warnings_of(const CheckReport& report);

std::string to_text(const CheckReport& report, const Style& style);
std::string to_json(const CheckReport& report);

}  // namespace plumb
