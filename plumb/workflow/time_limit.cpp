#include "plumb/workflow/time_limit.h"

#include <chrono>

#include "plumb/base/error.h"
#include "plumb/base/number.h"

namespace plumb {

Trained fit_within(double seconds, const Trainer& trainer, const Problem& problem, const Run& run) {
  if (seconds == 0.0) return trainer.train(problem, run);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Run limited = run;
  bool stopped = false;  // by the observer, not by the clock
  limited.watch = [&](const Progress& progress) {
    stopped = stopped || (run.watch && !run.watch(progress));
    return !stopped && std::chrono::steady_clock::now() < limit;
  };
  try {
    return trainer.train(problem, limited);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || stopped) throw;
    throw Error(ErrorCode::resources,
                "the time limit of " + number_text(seconds, 3) + " s ended the fit before it had a result",
                "--time-limit " + number_text(10 * seconds, 3));
  }
}

}  // namespace plumb
