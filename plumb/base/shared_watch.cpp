#include "plumb/base/shared_watch.h"

#include <functional>
#include <thread>

namespace plumb {
namespace {

std::uint64_t this_thread() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

}  // namespace

SharedWatch::SharedWatch(const Run& run, Phase phase, std::uint64_t total)
    : run_(run), phase_(phase), total_(total), here_(this_thread()) {}

Run SharedWatch::inner() {
  Run run = run_;
  run.watch = [this](const Progress&) { return look(); };
  return run;
}

void SharedWatch::expect_going_on() {
  if (!look()) throw Error(ErrorCode::interrupted, "stopped on request before the work was done");
}

bool SharedWatch::look() {
  if (this_thread() == here_ && run_.watch && !run_.watch({phase_, done_, total_})) stopped_ = true;
  return !stopped_;
}

}  // namespace plumb
