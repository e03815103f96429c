#include "plumb/base/shared_watch.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "plumb/base/foreseen.h"

namespace plumb::shared_watch_test {
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
                         EXPECT_NEAR(part_of(progress), static_cast<double>(asked) / 5, 1e-9);
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

TEST(SharedWatch, WhatAnOperationForeseesOfItselfCountsAsAPartOfAll) {
  Executor executor(1);
  std::vector<double> heard;
  const plumb::Run run{executor, {}, [&](const Progress& progress) {
                         heard.push_back(part_of(progress));
                         return true;
                       }};
  SharedWatch watch(run, Phase::fitting, 4);
  report_part(watch.inner(), Phase::fitting, 0.5);
  watch.inner().report(Phase::fitting, 3, 8);  // one pass: nothing new
  watch.done();
  watch.expect_going_on();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_NEAR(heard[0], 0.125, 1e-9);
  EXPECT_NEAR(heard[1], 0.125, 1e-9);
  EXPECT_NEAR(heard[2], 0.25, 1e-9);
}

TEST(Within, PartsAreOnesOfTheWholeAndPassesAreNotHeard) {
  Executor executor(1);
  std::vector<double> heard;
  std::vector<std::uint64_t> steps;
  const plumb::Run run{executor, {}, [&](const Progress& progress) {
                         if (progress.total == 0) {
                           steps.push_back(progress.done);
                         } else {
                           heard.push_back(part_of(progress));
                         }
                         return true;
                       }};
  const plumb::Run second = within(within(run, 0.5, 1.0), 0.2, 0.4);
  second.report(Phase::learning, 7, 9);
  report_part(second, Phase::fitting, 0.5);
  second.report(Phase::fitting, 12, 0);
  report_part(second, Phase::fitting, 0.25);
  EXPECT_EQ(steps, std::vector<std::uint64_t>{12});
  ASSERT_GE(heard.size(), 4u);
  EXPECT_NEAR(heard.front(), 0.6, 1e-9);
  for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_NEAR(heard[i], 0.65, 1e-9) << i;
}

}  // namespace
}  // namespace plumb::shared_watch_test
