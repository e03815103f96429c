#include "plumb/workflow/candidate.h"

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

FeaturePlan plan_of(const Candidate& variant, const Source& source, const SplitOptions& split) {
  FeaturePlan plan = plan_split(source, variant.features, variant.text, split, variant.entry->target);
  expect_target(source, plan, variant.features, *variant.entry);
  return plan;
}

const TrainerEntry& default_entry(const Source& source, const DataRequest& data, Messages* say) {
  const FeaturePlan plan = plan_split(source, data.features, {}, data.split);
  if (say != nullptr && !plan.kind_note.empty()) say->note(plan.kind_note);
  return find_trainer(default_model(plan.target_kind));
}

namespace {

// Every fit learns from other rows what to fill in, so only how many numbers are missing is said.
void say_missing(const SharedRows& rows, std::span<const FeaturePlan> plans, Messages& say) {
  const FeaturePlan& plan = plans.front();
  if (plan.missing != Missing::automatic) return;
  std::vector<std::string> counts;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const std::uint64_t missing = rows.missing_in(plan, i);
    if (missing == 0) continue;
    all += missing;
    counts.push_back(count_text(missing) + " of " + plan.inputs[i].name);
  }
  if (all > 0)
    say.note("each fit fills " + counted(all, "missing value") +
             " with the medians of its training rows: " + listed(counts));
}

}  // namespace

SharedRows read_shared(Source& source, std::span<const FeaturePlan> plans, Messages& say, const Run& run,
                       bool say_rows) {
  SharedRows rows(source, plans, run);
  for (const std::string& note : source.notes()) say.note(source.name() + ": " + note);
  if (say_rows) say.note(source.name() + ": " + counted(rows.rows(), "row") + ", " + std::string(source.form()));
  for (const std::string& note : plans.front().notes) say.note(note);
  say_missing(rows, plans, say);
  expect_two_rows(source, rows.rows());
  return rows;
}

}  // namespace plumb
