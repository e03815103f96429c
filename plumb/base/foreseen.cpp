#include "plumb/base/foreseen.h"

#include <algorithm>
#include <memory>

namespace plumb {

Progress progress_of(Phase phase, double part) noexcept {
  const auto done = static_cast<std::uint64_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(kWhole));
  return {phase, std::max<std::uint64_t>(done, 1), kWhole};
}

void report_part(const Run& run, Phase phase, double part) {
  const Progress progress = progress_of(phase, part);
  run.report(progress.phase, progress.done, progress.total);
}

double part_of(const Progress& progress) noexcept {
  if (progress.total != kWhole) return 0.0;
  return static_cast<double>(std::max<std::uint64_t>(progress.done, 1)) / static_cast<double>(kWhole);
}

Run within(const Run& run, double from, double to) {
  Run inner = run;
  if (!run.watch) return inner;
  inner.watch = [outer = run.watch, from, to, most = std::make_shared<double>(0.0)](const Progress& progress) {
    *most = std::max(*most, part_of(progress));
    if (!outer(progress_of(progress.phase, from + (to - from) * *most))) return false;
    return progress.total > 0 || outer(progress);
  };
  return inner;
}

}  // namespace plumb
