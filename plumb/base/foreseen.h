// Progress over all of the work, if that can be foreseen. Other reports of progress cover one pass over the rows, and
// nobody knows how many passes there will be.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"

namespace plumb {

// The total of a report that covers the whole of the work.
inline constexpr std::uint64_t kWhole = std::uint64_t{1} << 40;

// Such a report, with `part` from 0 to 1.
Progress progress_of(Phase phase, double part) noexcept;
// The same, reported. Throws Error(interrupted) if the observer asks to stop.
void report_part(const Run& run, Phase phase, double part);

// The part in such a report, above 0; 0 for any other report.
double part_of(const Progress& progress) noexcept;

// A run whose work lies between these parts of another run: its reports are scaled to that range, and never go back.
// Other reports are passed on only if they have no total: the steps of a solver.
Run within(const Run& run, double from, double to);

}  // namespace plumb
