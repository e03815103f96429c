// Forecast: from reports of progress to the line that a person reads, with the time that is left.
#pragma once

#include <cstdint>
#include <string>

#include "plumb/base/run.h"

namespace plumb::cli {

class Forecast {
 public:
  // Times are seconds on any clock that does not go back; work begins at 0.
  void hear(const Progress& progress, double now);
  // Such as "fitting step 12, 40 s left" or "reading 35 %, 2 s left".
  std::string text(double now) const;

 private:
  bool any_ = false;
  Progress last_ = {Phase::reading, 0, 0};
  std::uint64_t steps_ = 0;  // of the solver that is at work
  bool stepped_ = false;     // the last report was one of these
  double began_ = 0.0;       // the work that part_ is of
  double pass_began_ = 0.0;  // what `done` of the last report is counted in
  double part_ = 0.0;        // of all that is ahead; 0 while it is not known
  double part_since_ = 0.0;  // when it was last heard that it grew
};

// "7 s", "2 min 5 s", "1 h 10 min".
std::string duration_text(double seconds);

}  // namespace plumb::cli
