#include "cli/forecast.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"

#include <algorithm>
#include <cmath>

namespace plumb::cli {
namespace {

constexpr std::string_view kPhases[] = {"reading",    "learning features", "fitting",
                                        "evaluating", "predicting",        "saving"};
constexpr double kTooEarly = 0.3;  // seconds before a rate is estimated

std::string percent(double part) { return std::to_string(static_cast<int>(100 * std::min(part, 1.0) + 1e-6)) + " %"; }

}  // namespace

void Forecast::hear(const Progress& progress, double now) {
  const double part = part_of(progress);
  const bool other = !any_ || progress.phase != last_.phase;
  // Work with a foreseen end may have several phases; any other ends with its phase.
  if (part > 0.0 ? part < part_ || (part_ == 0.0 && other) : other) {
    began_ = now;
    part_ = 0.0;
    steps_ = 0;
  }
  any_ = true;
  if (part > 0.0) {
    if (!stepped_) steps_ = 0;
    stepped_ = false;
    if (part > part_) part_since_ = now;
    part_ = part;
    last_.phase = progress.phase;
    return;
  }
  // A solver counts its steps without a known end; between them, passes over the data report their blocks.
  stepped_ = progress.phase == Phase::fitting && progress.total == 0;
  if (stepped_) steps_ = progress.done;
  if (other || progress.total != last_.total || progress.done < last_.done) pass_began_ = now;
  last_ = progress;
}

std::string Forecast::text(double now) const {
  std::string line(kPhases[static_cast<std::size_t>(last_.phase)]);
  const bool pass = last_.total > 0 && last_.done > 0 && last_.done <= last_.total;
  double since = began_, left = -1.0;
  if (steps_ > 0 && last_.phase == Phase::fitting) {
    line += " step " + count_text(steps_);
  } else if (part_ > 0.0 || pass) {
    line += " " + percent(part_ > 0.0 ? part_ : static_cast<double>(last_.done) / static_cast<double>(last_.total));
  } else if (last_.done > 0) {
    line += " " + count_text(last_.done);
  }
  if (part_ > 1e-4) {
    // At the rate so far; overdue work is expected to take as long again as it is late.
    left = std::max((part_since_ - began_) / part_ - (now - began_), now - part_since_);
  } else if (part_ == 0.0 && pass && steps_ == 0) {
    since = pass_began_;
    left = (now - since) * static_cast<double>(last_.total - last_.done) / static_cast<double>(last_.done);
  }
  if (now - since < kTooEarly) return line;
  return line + ", " + (left >= 0.0 ? duration_text(left) + " left" : duration_text(now - since) + " so far");
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::clamp(seconds - 1e-6, 0.0, 1e9)));
  if (whole < 60) return std::to_string(std::max<std::uint64_t>(whole, 1)) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace plumb::cli
