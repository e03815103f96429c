// Forecast: turns reports of progress into a line for people, with the remaining time.
#pragma once

#include <cstdint>
#include <string>

#include "plumb/base/run.h"

namespace plumb::cli {

class Forecast {
 public:
  // Times are seconds on any monotonic clock; work begins at 0.
  void hear(const Progress& progress, double now);
  // Such as "fitting step 12, 40 s left" or "reading 35 %, 2 s left".
  std::string text(double now) const;

 private:
  bool any_ = false;
  Progress last_ = {Phase::reading, 0, 0};
  std::uint64_t steps_ = 0;  // of the running solver
  bool stepped_ = false;     // the last report was one of these
  double began_ = 0.0;       // the work that part_ belongs to
  double pass_began_ = 0.0;  // the unit of `done` in the last report
  double part_ = 0.0;        // of all remaining work; 0 while it is not known
  double part_since_ = 0.0;  // when it last increased
};

// "7 s", "2 min 5 s", "1 h 10 min".
std::string duration_text(double seconds);

}  // namespace plumb::cli
