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
void say_missing(const SharedRows& rows, std::span<const FeaturePlan> plans, const Gaps& gaps, Messages& say) {
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
  if (all == 0) return;
  const std::string values = counted(all, "missing value"), which = ": " + listed(counts);
  if (!gaps.left_out) {
    say.note("each fit fills " + values + " with the medians of its training rows" + which);
  } else {
    say.note(values + which + "; " + (gaps.filled ? "fits with standard errors leave" : "each fit leaves") +
             " out such training rows" + (gaps.filled ? ", others fill in their median" : "") +
             "; held-out rows get the median of the training rows");
  }
}

}  // namespace

Gaps gaps_of(const Trainer& trainer) {
  const bool left_out = trainer.wishes().complete_rows;
  return {left_out, !left_out};
}

Gaps gaps_of(std::span<const Candidate> variants) {
  Gaps all;
  for (const Candidate& variant : variants) {
    const Gaps own = gaps_of(*variant.setup->make());
    all = {all.left_out || own.left_out, all.filled || own.filled};
  }
  return all;
}

SharedRows read_shared(Source& source, std::span<const FeaturePlan> plans, const Gaps& gaps, Messages& say,
                       const Run& run, bool say_rows) {
  SharedRows rows(source, plans, run);
  for (const std::string& note : source.notes()) say.note(source.name() + ": " + note);
  if (say_rows) say.note(source.name() + ": " + counted(rows.rows(), "row") + ", " + std::string(source.form()));
  for (const std::string& note : plans.front().notes) say.note(note);
  say_missing(rows, plans, gaps, say);
  expect_two_rows(source, rows.rows());
  return rows;
}

}  // namespace plumb
