// What an operation uses besides its data: threads, random draws, memory, and an observer that can stop it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "plumb/base/error.h"
#include "plumb/base/memory.h"
#include "plumb/base/parallel.h"
#include "plumb/base/progress.h"
#include "plumb/base/random.h"

namespace plumb {

// Passed down by const reference; it borrows the executor, which must outlive it.
struct Run {
  Executor& executor;
  RandomKey random = {};
  Observer watch = {};       // may be empty
  MemoryBudget memory = {};  // the budget for all memory in use at once

  // Throws Error(interrupted) if the observer asks to stop. Not for use inside the executor's workers.
  void report(Phase phase, std::uint64_t done, std::uint64_t total) const {
    if (watch && !watch({phase, done, total})) {
      throw Error(ErrorCode::interrupted, "stopped on request before the work was done");
    }
  }

  // Executor::for_each and Executor::reduce, observed: whenever this thread begins a block it reports how many have
  // begun, so long work shows its progress and can be stopped.
  void for_each(Phase phase, std::size_t count, const std::function<void(std::size_t)>& work) const;
  void reduce(Phase phase, std::size_t blocks, std::span<double> total, const Executor::Map<double>& map,
              const Executor::Combine<double>& combine = {}) const;
};

}  // namespace plumb
