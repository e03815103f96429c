// What a fit will hold in memory, known before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/base/memory.h"
#include "plumb/data/examples.h"

namespace plumb {

struct MemoryPlan {
  std::uint64_t rows = 0;
  std::uint32_t features = 0;
  std::uint64_t values = 0;  // stored: those that are not zero, or all where rows are dense
  bool sparse = false;
  Values::Form form = Values::Form::doubles;  // the widest of the pieces
  // Bytes: what was read, what it became, what the trainer takes beside it. Tables are freed as examples are made.
  std::uint64_t tables = 0;
  std::uint64_t examples = 0;
  std::uint64_t trainer = 0;
  MemoryBudget budget = {};

  // Of the examples alone.
  static MemoryPlan of(const Examples& examples);
  std::string text() const;  // one line for the user
  // As the member "memory" of an object.
  void add_to(JsonWriter& json) const;
};

}  // namespace plumb
