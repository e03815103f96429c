#include "plumb/base/shared_watch.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "plumb/base/foreseen.h"

namespace plumb {
namespace {

std::uint64_t this_thread() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

}  // namespace

SharedWatch::SharedWatch(const Run& run, Phase phase, std::uint64_t total)
    : run_(run), phase_(phase), total_(total), here_(this_thread()) {}

Run SharedWatch::inner() {
  Run run = run_;
  run.watch = [this](const Progress& progress) { return look(part_of(progress)); };
  return run;
}

void SharedWatch::done() noexcept {
  ++done_;
  if (this_thread() == here_) own_ = 0.0;
}

void SharedWatch::expect_going_on() {
  if (!look(0.0)) throw Error(ErrorCode::interrupted, "stopped on request before the work was done");
}

// Assumes that the others are as far with their operations as this thread with its own: on average that is true.
bool SharedWatch::look(double own) {
  if (this_thread() == here_ && run_.watch) {
    own_ = std::clamp(own, own_, 1.0);
    const auto done = static_cast<double>(done_), total = static_cast<double>(std::max<std::uint64_t>(total_, 1));
    const double beside = std::min(static_cast<double>(run_.executor.threads()), total - done);
    const double part = std::min(1.0, (done + own_ * std::max(1.0, beside)) / total);
    if (!run_.watch(progress_of(phase_, part))) stopped_ = true;
  }
  return !stopped_;
}

}  // namespace plumb
