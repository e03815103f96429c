// How a call runs: on how many threads, within how much memory, and who watches its progress.
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

// Progress bars, time limits and Ctrl-C use this. Returning false asks to stop. Called from the thread that runs the
// operation.
using Observer = std::function<bool(const Progress&)>;

struct Running {
  unsigned threads = 1;          // 0: all that the machine allows. Results have the same bits for any number.
  Observer watch = {};           // a stopped fit returns the best it has, marked; other calls throw
  std::uint64_t max_memory = 0;  // bytes; 0: nine tenths of the free memory
};

}  // namespace plumb
