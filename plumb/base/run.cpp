#include "plumb/base/run.h"

#include <thread>

namespace plumb {

// Blocks start in ascending order, so the number of the starting block is how many have started before it.
void Run::for_each(Phase phase, std::size_t count, const std::function<void(std::size_t)>& work) const {
  const std::thread::id here = std::this_thread::get_id();
  executor.for_each(count, [&](std::size_t i) {
    if (std::this_thread::get_id() == here) report(phase, i, count);
    work(i);
  });
}

void Run::reduce(Phase phase, std::size_t blocks, std::span<double> total, const Executor::Map<double>& map,
                 const Executor::Combine<double>& combine) const {
  const std::thread::id here = std::this_thread::get_id();
  executor.reduce(
      blocks, total,
      [&](std::size_t block, std::span<double> out) {
        if (std::this_thread::get_id() == here) report(phase, block, blocks);
        map(block, out);
      },
      combine);
}

}  // namespace plumb
