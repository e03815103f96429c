#include "cli/time_limit.h"

#include <chrono>

#include "cli/signals.h"

namespace plumb::cli {

Trained fit_within(double seconds, const Trainer& trainer, const Problem& problem, const Run& run) {
  if (seconds == 0.0) return trainer.train(problem, run);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Run limited = run;
  limited.watch = [&](const Progress& progress) {
    return (!run.watch || run.watch(progress)) && std::chrono::steady_clock::now() < limit;
  };
  try {
    return trainer.train(problem, limited);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || stopping_signal() != 0) throw;
    throw Error(ErrorCode::resources,
                "the time limit of " + number_text(seconds, 3) + " s ended the fit before it had a result",
                "--time-limit " + number_text(10 * seconds, 3));
  }
}

}  // namespace plumb::cli
