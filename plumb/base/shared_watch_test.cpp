#include "plumb/base/shared_watch.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

namespace plumb {
namespace {

TEST(SharedWatch, OnlyTheThreadThatBeganIsObserved) {
  Executor executor(4);
  std::mutex guard;
  std::set<std::thread::id> seen;
  const plumb::Run run{executor, {}, [&](const Progress&) {
                  const std::lock_guard lock(guard);
                  seen.insert(std::this_thread::get_id());
                  return true;
                }};
  SharedWatch watch(run, Phase::fitting, 100);
  executor.for_each(100, [&](std::size_t) {
    watch.inner().report(Phase::learning, 0, 0);
    watch.done();
  });
  watch.expect_going_on();
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(SharedWatch, AllHearThatTheWorkWasStopped) {
  Executor executor;
  std::uint64_t asked = 0;
  const plumb::Run run{executor, {}, [&](const Progress& progress) {
                  EXPECT_EQ(progress.phase, Phase::fitting);
                  EXPECT_EQ(progress.done, asked);
                  EXPECT_EQ(progress.total, 5u);
                  return ++asked < 3;
                }};
  SharedWatch watch(run, Phase::fitting, 5);
  for (int i = 0; i < 2; ++i) {
    watch.expect_going_on();
    watch.done();
  }
  EXPECT_THROW(watch.inner().report(Phase::reading, 7, 9), Error);
  std::thread other([&] { EXPECT_THROW(watch.inner().report(Phase::reading, 7, 9), Error); });
  other.join();
}

}  // namespace
}  // namespace plumb
