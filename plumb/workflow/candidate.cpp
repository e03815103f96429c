#include "plumb/workflow/candidate.h"

#include "plumb/base/text.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

FeaturePlan plan_of(const Candidate& variant, const Source& source, const SplitOptions& split) {
  FeaturePlan plan = plan_split(source, variant.features, variant.text, split, variant.entry->target);
  if (plan.target_kind != variant.entry->target) throw not_a_numeric_target(source, plan, variant.entry->name);
  return plan;
}

const TrainerEntry& default_entry(const Source& source, const DataRequest& data) {
  return find_trainer(default_model(plan_split(source, data.features, {}, data.split).target_kind));
}

SharedRows read_shared(Source& source, std::span<const FeaturePlan> plans, Messages& say, const Run& run,
                       bool say_rows) {
  SharedRows rows(source, plans, run);
  for (const std::string& note : source.notes()) say.note(source.name() + ": " + note);
  if (say_rows) say.note(source.name() + ": " + counted(rows.rows(), "row") + ", " + std::string(source.form()));
  expect_two_rows(source, rows.rows());
  return rows;
}

}  // namespace plumb
