// What anybody may use besides its data: threads, random draws, and a way to be watched and stopped.
#pragma once

#include <cstdint>
#include <functional>

#include "plumb/base/error.h"
#include "plumb/base/parallel.h"
#include "plumb/base/random.h"

namespace plumb {

enum class Phase { reading, learning, fitting, predicting, saving };

struct Progress {
  Phase phase;
  std::uint64_t done;
  std::uint64_t total;  // 0 = not known
};

// False asks to stop: progress bars, time limits, Ctrl-C. Called from the thread that runs the operation.
using Observer = std::function<bool(const Progress&)>;

// Passed down by const reference; it borrows the executor, which must outlive it.
struct Run {
  Executor& executor;
  RandomKey random = {};
  Observer watch = {};  // may be empty

  // Throws Error(interrupted) if the observer asks to stop. Not for use inside the executor's workers.
  void report(Phase phase, std::uint64_t done, std::uint64_t total) const {
    if (watch && !watch({phase, done, total})) {
      throw Error(ErrorCode::interrupted, "stopped on request before the work was done");
    }
  }
};

}  // namespace plumb
