#include "plumb/select/cross_validate.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "plumb/base/foreseen.h"
#include "plumb/select/data_checks.h"

namespace plumb {
namespace {

// The rows that take part, as a question to a trainer.
class Rows {
 public:
  Rows(const Experiment& experiment, const Experiment::Prepared& prepared, const Trained* whole)
      : examples_(prepared.examples.with(experiment.rows())),
        problem_{examples_, prepared.map, std::span(prepared.labels).first(prepared.known)} {
    const SplitKeys& keys = experiment.splitter().keys();
    const bool in_one_fold = !keys.group.empty() || !keys.fold.empty() || keys.in_order;
    const RefitData data{problem_, experiment.plan(), whole, in_one_fold,
                         [&experiment] { return experiment.has_idle_entries(); }};
    if (experiment.trainer().skills().refits) refitter_ = experiment.trainer().refitter(data);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const Examples& examples() const noexcept { return examples_; }
  const Refitter* refitter() const noexcept { return refitter_.get(); }  // null if there is none

 private:
  Examples examples_;
  Problem problem_;
  std::unique_ptr<Refitter> refitter_;
};

bool every_class_in(const Experiment& experiment, std::span<const Trial> trials) {
  if (!experiment.labels()) return true;
  const std::size_t classes = experiment.classes().among(experiment.rows(), "").size();
  return std::all_of(trials.begin(), trials.end(), [&](const Trial& trial) {
    std::vector<bool> seen(experiment.classes().labels.size() + 1);
    for (std::uint64_t row = 0; row < trial.training.rows(); ++row)
      if (trial.training.has(row)) seen[experiment.classes().of_row[row]] = true;
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true)) == classes;
  });
}

}  // namespace

FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone) {
  const Rows rows(experiment, whole.prepared, &whole.fit);
  return rows.refitter() != nullptr ? rows.refitter()->way(alone) : FoldWay::refits;
}

Outcome cross_validate(const Experiment& experiment, const Experiment::Fitted& whole,
                       std::span<const std::uint32_t> fold, FoldWay way, const Run& run) {
  if (way != FoldWay::refits) {
    const Rows rows(experiment, whole.prepared, &whole.fit);
    if (rows.refitter() != nullptr) return merged(rows.refitter()->without(fold, run));
  }
  std::vector<std::uint32_t> own(fold.begin(), fold.end());
  if (own.empty()) {
    own.assign(experiment.rows().rows(), kNoFold);
    std::uint32_t next = 0;
    for (std::uint64_t row = 0; row < own.size(); ++row)
      if (experiment.rows().has(row)) own[row] = next++;
  }
  return merged(std::move(try_all({&experiment, 1}, trials_of(own), {}, run).front()));
}

std::vector<Tried> try_nested(const Experiment& experiment, std::span<const Trial> trials, std::size_t sizes,
                              const TrialOptions& options, bool refit, const Run& run) {
  if (!refit && experiment.trainer().skills().refits) {
    const Experiment::Prepared all = experiment.prepare(experiment.rows(), run);
    const Rows rows(experiment, all, nullptr);
    if (rows.refitter() != nullptr && rows.refitter()->adds(every_class_in(experiment, trials))) {
      std::vector<Tried> tried;
      for (std::size_t i = 0; i < trials.size(); i += sizes) {
        report_part(run, Phase::fitting, static_cast<double>(i) / static_cast<double>(trials.size()));
        const auto nested = trials.subspan(i, sizes);
        std::vector<std::optional<Tried>> found = rows.refitter()->with_more(nested, options.seen_too, run);
        for (std::size_t k = 0; k < sizes; ++k) {
          if (!found[k]) found[k] = std::move(try_all({&experiment, 1}, nested.subspan(k, 1), options, run)[0][0]);
          tried.push_back(std::move(*found[k]));
        }
      }
      if (options.copies_in < trials.size()) {
        const Trial& most = trials[options.copies_in];
        tried[options.copies_in].copies =
            rows_seen_before(all.examples.with(most.training), all.examples.with(most.tried));
      }
      return tried;
    }
  }
  return std::move(try_all({&experiment, 1}, trials, options, run).front());
}

}  // namespace plumb
