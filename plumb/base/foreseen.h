// How much of all that is ahead is done, where that can be foreseen. Reports of progress are else about one pass over
// the rows, of which nobody knows how many there will be.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"

namespace plumb {

// The total of a report that is about the whole of the work.
inline constexpr std::uint64_t kWhole = std::uint64_t{1} << 40;

// Such a report, `part` being from 0 to 1.
Progress progress_of(Phase phase, double part) noexcept;
// The same, reported. Throws Error(interrupted) if the observer asks to stop.
void report_part(const Run& run, Phase phase, double part);

// The part that such a report tells, above 0; 0 for any other report.
double part_of(const Progress& progress) noexcept;

// A run whose work is what lies between these parts of this one's: what its reports foresee is put in its place, and
// never goes back. Of other reports only those without a total, the steps of a solver, are heard outside.
Run within(const Run& run, double from, double to);

}  // namespace plumb
