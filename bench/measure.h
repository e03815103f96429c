// Clocks that the drivers share, and their error handling.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>

namespace bench {

inline double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

// Wall time, and the CPU time of all threads, since it was made.
class Stopwatch {
 public:
  double wall() const { return seconds_of(CLOCK_MONOTONIC) - wall_; }
  double cpu() const { return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_; }

 private:
  double wall_ = seconds_of(CLOCK_MONOTONIC);
  double cpu_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
};

// Thread seconds of one call of work: the best of half a second of calls. Short ones are repeated, because the clock
// itself takes most of a microsecond.
template <class Work>
double best_seconds(Work work) {
  const double first = thread_seconds();
  work();
  const int repeats = 1 + static_cast<int>(1e-4 / (thread_seconds() - first + 1e-9));
  double best = std::numeric_limits<double>::infinity();
  for (const double end = thread_seconds() + 0.5; thread_seconds() < end;) {
    const double begin = thread_seconds();
    for (int i = 0; i < repeats; ++i) work();
    best = std::min(best, (thread_seconds() - begin) / repeats);
  }
  return best;
}

// main of a driver: an exception becomes a message and exit code 1.
template <class Work>
int guarded(const char* program, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace bench
