#include "plumb/report/memory_plan.h"

#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

std::string_view name_of(Values::Form form) {
  switch (form) {
    case Values::Form::ones: return "ones";
    case Values::Form::bytes: return "bytes";
    case Values::Form::floats: return "floats";
    case Values::Form::doubles: return "doubles";
  }
  return "unknown";
}

}  // namespace

MemoryPlan MemoryPlan::of(const Examples& examples) {
  MemoryPlan plan;
  plan.rows = examples.rows();
  plan.features = examples.features();
  plan.values = examples.entries();
  plan.sparse = examples.sparse();
  plan.form = examples.form();
  plan.examples = examples.bytes();
  return plan;
}

std::string MemoryPlan::text() const {
  std::string text = "memory: " + counted(rows, "row") + " of " + counted(features, "feature") + ", " +
                     counted(values, "value") + " (" + (sparse ? "sparse, " : "dense, ") + std::string(name_of(form)) +
                     "); tables " + bytes_text(tables) + ", examples " + bytes_text(examples) + ", trainer " +
                     bytes_text(trainer);
  if (budget.limit() != MemoryBudget::kNoLimit) text += "; " + bytes_text(budget.limit()) + " granted";
  return text;
}

void MemoryPlan::add_to(JsonWriter& json) const {
  json.key("memory").begin_object();
  json.member("tables", tables).member("examples", examples).member("trainer", trainer).key("limit");
  if (budget.limit() == MemoryBudget::kNoLimit) {
    json.null();
  } else {
    json.value(budget.limit());
  }
  json.end_object();
}

}  // namespace plumb
