// The memory of a fit, known before it starts.
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
  std::uint64_t values = 0;  // stored: non-zero ones, or all if rows are dense
  bool sparse = false;
  Values::Form form = Values::Form::doubles;  // the widest of the pieces
  // Bytes: tables, examples, the trainer's own. Tables are freed as examples are made.
  std::uint64_t tables = 0;
  std::uint64_t examples = 0;
  std::uint64_t trainer = 0;
  MemoryBudget budget = {};

  // For the examples alone.
  static MemoryPlan of(const Examples& examples);
  std::string text() const;  // one line for the user
  // As the member "memory" of an object.
  void add_to(JsonWriter& json) const;
};

}  // namespace plumb
