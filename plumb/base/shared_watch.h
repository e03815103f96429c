// SharedWatch: one observer for several operations in parallel. The thread that began the work reports progress; the
// others only learn whether it was stopped.
#pragma once

#include <atomic>
#include <cstdint>

#include "plumb/base/run.h"

namespace plumb {

class SharedWatch {
 public:
  // Borrows the run. `total` is how many times done() will be called.
  SharedWatch(const Run& run, Phase phase, std::uint64_t total);

  // The run for one of the operations, on any thread; this must outlive it.
  Run inner();
  void done() noexcept;
  // Throws Error(interrupted) if the observer has asked to stop.
  void expect_going_on();

 private:
  bool look(double own);

  const Run& run_;
  Phase phase_;
  std::uint64_t total_;
  std::uint64_t here_;  // the thread that made this
  double own_ = 0.0;    // how much of its operation is done there, if that can be foreseen
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace plumb
