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
  std::string source;  // how messages call the input
  TableSummary summary;
  std::optional<std::size_t> target;  // among the columns
  std::uint64_t top = 5;              // so many of a column's commonest values are shown
  std::vector<std::string> notes;     // of the source
  std::vector<std::string> left_out;  // what is to be said of rows that were
  std::string next;                   // the command to type next; empty if there is none to offer
};

// What stands in the way of training, or may surprise: values that are no numbers, a target that is empty in places,
// has one value only or labels that are rare.
std::vector<std::string> warnings_of(const CheckReport& report);

std::string to_text(const CheckReport& report, const Style& style);
std::string to_json(const CheckReport& report);

}  // namespace plumb
