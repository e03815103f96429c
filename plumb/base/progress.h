// How a call is run: on how many threads, within how much memory, and watched by whom.
#pragma once

#include <cstdint>
#include <functional>

namespace plumb {

enum class Phase { reading, learning, fitting, evaluating, predicting, saving };

struct Progress {
  Phase phase;
  std::uint64_t done;
  std::uint64_t total;  // 0 = not known
};

// False asks to stop: progress bars, time limits, Ctrl-C. Called from the thread that runs the operation.
using Observer = std::function<bool(const Progress&)>;

struct Running {
  unsigned threads = 1;          // 0: all that the machine grants. Results have the same bits for any number.
  Observer watch = {};           // a fit that is stopped gives the best it has, marked; other calls throw
  std::uint64_t max_memory = 0;  // bytes; 0: nine tenths of what is free
};

}  // namespace plumb
