#include "plumb/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/base/machine.h"
#include "plumb/base/random.h"
#include "plumb/base/run.h"

namespace plumb::parallel_test {
namespace {

constexpr unsigned thread_counts[] = {1, 2, 3, 7, 16};

// The contract, restated as a recursion: node (level, i) is its left child with the right one folded in.
template <class Number>
std::vector<Number> reference_node(std::size_t blocks, std::size_t level, std::size_t i,
                                   const std::vector<std::vector<Number>>& leaves,
                                   const Executor::Combine<Number>& combine) {
  if (level == 0) return leaves[i];
  auto left = reference_node(blocks, level - 1, 2 * i, leaves, combine);
  if ((2 * i + 1) << (level - 1) < blocks) {
    const auto right = reference_node(blocks, level - 1, 2 * i + 1, leaves, combine);
    combine(left, right);
  }
  return left;
}

template <class Number>
std::vector<Number> reference_reduce(std::size_t width, const std::vector<std::vector<Number>>& leaves,
                                     const Executor::Combine<Number>& combine) {
  const std::size_t blocks = leaves.size();
  if (blocks == 0) return std::vector<Number>(width);
  return reference_node<Number>(blocks, static_cast<std::size_t>(std::bit_width(blocks - 1)), 0, leaves, combine);
}

template <class Number>
void add(std::span<Number> left, std::span<const Number> right) {
  for (std::size_t k = 0; k < left.size(); ++k) left[k] += right[k];
}

// Doubles of both signs over many magnitudes, so that another order of additions almost surely has other bits.
std::vector<std::vector<double>> random_leaves(std::size_t blocks, std::size_t width, std::uint64_t stream) {
  const RandomKey random{.seed = 1, .stream = stream};
  std::vector<std::vector<double>> leaves(blocks, std::vector<double>(width));
  std::uint64_t index = 0;
  for (auto& leaf : leaves) {
    for (double& x : leaf) {
      const int exponent = static_cast<int>(random.below(index++, 40)) - 20;
      x = std::ldexp(random.uniform(index++) - 0.5, exponent);
    }
  }
  return leaves;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

TEST(Executor, ReduceHasTheBitsOfTheReferenceTreeForAnyNumberOfThreads) {
  constexpr std::size_t width = 3;
  for (const unsigned threads : thread_counts) {
    Executor executor(threads);
    for (std::size_t blocks = 0; blocks <= 200; ++blocks) {
      const auto leaves = random_leaves(blocks, width, blocks);
      std::vector<double> total(width, 99.0);
      executor.reduce(blocks, total, [&](std::size_t block, std::span<double> out) {
        std::copy(leaves[block].begin(), leaves[block].end(), out.begin());
      });
      ASSERT_TRUE(same_bits(total, reference_reduce<double>(width, leaves, add<double>)))
          << blocks << " blocks, " << threads << " threads";
    }
  }
}

// The test above could not fail if sums in another order had the same bits.
TEST(Executor, ReduceDiffersFromASumInBlockOrder) {
  const auto leaves = random_leaves(200, 1, 5);
  double in_order = 0;
  for (const auto& leaf : leaves) in_order += leaf[0];
  EXPECT_FALSE(same_bits({in_order}, reference_reduce<double>(1, leaves, add<double>)));
}

TEST(Executor, ReduceKeepsLeftAndRightApartForACombineThatIsNotCommutative) {
  using Number = std::int64_t;
  const Executor::Combine<Number> combine = [](std::span<Number> left, std::span<const Number> right) {
    left[0] = (3 * left[0] - right[0]) % 1'000'003;
  };
  for (const unsigned threads : thread_counts) {
    Executor executor(threads);
    for (std::size_t blocks = 0; blocks <= 200; ++blocks) {
      std::vector<std::vector<Number>> leaves(blocks);
      for (std::size_t b = 0; b < blocks; ++b) leaves[b] = {static_cast<Number>(b) + 1};
      std::vector<Number> total = {-1};
      executor.reduce(
          blocks, total, [](std::size_t b, std::span<Number> out) { out[0] = static_cast<Number>(b) + 1; }, combine);
      ASSERT_EQ(total, reference_reduce<Number>(1, leaves, combine)) << blocks << " blocks";
    }
  }
}

TEST(Executor, ReduceOfCountsIsTheirSum) {
  Executor executor(3);
  std::vector<std::int64_t> total(2);
  executor.reduce(1000, total, [](std::size_t block, std::span<std::int64_t> out) {
    out[0] += 1;
    out[1] += static_cast<std::int64_t>(block);
  });
  EXPECT_EQ(total, (std::vector<std::int64_t>{1000, 999 * 1000 / 2}));
}

TEST(Executor, ReduceOfNoBlocksIsZero) {
  Executor executor(2);
  std::vector<double> total = {1, 2};
  executor.reduce(0, total, [](std::size_t, std::span<double>) { FAIL(); });
  EXPECT_EQ(total, (std::vector<double>{0, 0}));
}

TEST(Executor, ReduceGivesMapZerosAlignedTo64Bytes) {
  Executor executor(4);
  std::vector<double> total(5);
  std::atomic<int> bad = 0;
  executor.reduce(500, total, [&](std::size_t, std::span<double> out) {
    bad += reinterpret_cast<std::uintptr_t>(out.data()) % 64 != 0;
    for (double& x : out) bad += std::exchange(x, 1.0) != 0.0;
  });
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(total, std::vector<double>(5, 500.0));
}

// Buffers are recycled, so the addresses in map are all the buffers that ever existed.
TEST(Executor, ReduceKeepsAFewBuffersPerThreadAlive) {
  constexpr std::size_t blocks = 1000, levels = 10;
  for (const unsigned threads : {1u, 2u, 5u}) {
    Executor executor(threads);
    std::mutex mutex;
    std::set<double*> buffers;
    std::vector<double> total(4);
    executor.reduce(blocks, total, [&](std::size_t, std::span<double> out) {
      const std::lock_guard lock(mutex);
      buffers.insert(out.data());
    });
    EXPECT_LE(buffers.size(), threads + (threads + 1) * levels);
  }
}

TEST(Executor, ForEachCallsEveryIndexOnce) {
  for (const unsigned threads : thread_counts) {
    Executor executor(threads);
    for (const std::size_t count : {0u, 1u, 2u, 5u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      executor.for_each(count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& each : calls) ASSERT_EQ(each, 1);
    }
  }
}

TEST(Executor, WithOneThreadWorksInTheCallerInOrder) {
  Executor executor;
  EXPECT_EQ(executor.threads(), 1u);
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  executor.for_each(100, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  std::vector<std::size_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(Executor, ForZeroThreadsTakesTheMachines) { EXPECT_EQ(Executor(0).threads(), machine_threads()); }

// Each call waits until all of them have been entered, so it ends only with that many threads.
void meet_on_all_threads(Executor& executor) {
  std::latch all_here(executor.threads());
  executor.for_each(executor.threads(), [&](std::size_t) { all_here.arrive_and_wait(); });
}

TEST(Executor, WorksOnAsManyThreadsAsItSays) {
  Executor executor(5);
  for (int repeat = 0; repeat < 3; ++repeat) meet_on_all_threads(executor);
}

TEST(Executor, RethrowsTheExceptionOfTheLowestIndex) {
  for (const unsigned threads : thread_counts) {
    Executor executor(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      constexpr std::size_t lowest = 37;
      std::vector<std::atomic<int>> calls(500);
      try {
        executor.for_each(calls.size(), [&](std::size_t i) {
          ++calls[i];
          if (i >= lowest && i % 2 == 1) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        ASSERT_EQ(error.what(), std::to_string(lowest));
      }
      for (std::size_t i = 0; i <= lowest; ++i) ASSERT_EQ(calls[i], 1) << i;
    }
  }
}

TEST(Executor, SkipsWhatFollowsAFailure) {
  Executor executor(2);
  std::atomic<int> calls = 0;
  EXPECT_THROW(executor.for_each(1'000'000'000, [&](std::size_t) { ++calls, throw 1; }), int);
  EXPECT_LE(calls, 2);
}

TEST(Executor, CarriesWhatMapThrowsAndLeavesTotalAlone) {
  Executor executor(3);
  std::vector<double> total = {5};
  const auto map = [](std::size_t block, std::span<double> out) {
    if (block >= 20) throw std::runtime_error(std::to_string(block));
    out[0] = 1;
  };
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      executor.reduce(100, total, map);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      ASSERT_STREQ(error.what(), "20");
    }
  }
  EXPECT_EQ(total[0], 5);
  executor.reduce(20, total, map);
  EXPECT_EQ(total[0], 20);
}

TEST(Executor, CarriesWhatCombineThrows) {
  Executor executor(3);
  std::vector<double> total(1);
  EXPECT_THROW(executor.reduce(
                   100, total, [](std::size_t, std::span<double>) {},
                   [](std::span<double>, std::span<const double>) { throw std::logic_error("combine"); }),
               std::logic_error);
}

// The pauses give the idle threads every chance to join in.
TEST(Executor, RunsANestedCallInTheThreadThatMakesIt) {
  Executor executor(4);
  std::vector<double> total(1);
  std::atomic<int> elsewhere = 0;
  executor.reduce(2, total, [&](std::size_t, std::span<double> out) {
    const auto here = std::this_thread::get_id();
    std::vector<double> inner(1);
    executor.reduce(10, inner, [&](std::size_t block, std::span<double> leaf) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      elsewhere += std::this_thread::get_id() != here;
      leaf[0] = static_cast<double>(block);
    });
    out[0] = inner[0];
  });
  EXPECT_EQ(total[0], 2 * 45);
  EXPECT_EQ(elsewhere, 0);
}

TEST(Executor, LeavesItsThreadsToTheCallsInsideASingleBlock) {
  Executor executor(3);
  int calls = 0;
  executor.for_each(1, [&](std::size_t) {
    meet_on_all_threads(executor);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(Executor, ServesSeveralCallersAtOnce) {
  Executor executor(3);
  const auto leaves = random_leaves(67, 2, 7);
  const auto expected = reference_reduce<double>(2, leaves, add<double>);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<double> total(2);
        executor.reduce(leaves.size(), total, [&](std::size_t block, std::span<double> out) {
          std::copy(leaves[block].begin(), leaves[block].end(), out.begin());
        });
        wrong += !same_bits(total, expected);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executor, SurvivesManyShortCalls) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    Executor executor(1 + static_cast<unsigned>(repeat) % 6);
    for (std::size_t count = 0; count < 100; ++count) {
      std::vector<std::int64_t> total(1);
      executor.reduce(count, total, [](std::size_t, std::span<std::int64_t> out) { out[0] = 1; });
      ASSERT_EQ(total[0], static_cast<std::int64_t>(count));
    }
  }
}

double sum_of_blocks(Executor& executor, std::size_t blocks) {
  std::vector<double> total(1);
  executor.reduce(blocks, total, [](std::size_t block, std::span<double> out) { out[0] = static_cast<double>(block); });
  return total[0];
}

// Runs `check` in a forked child and returns its result; a child that hangs is killed by its alarm. No thread may be
// about to start: it could hold a lock of the address sanitizer's allocator, and the child would wait for it.
bool true_in_child(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#ifdef __SANITIZE_THREAD__
constexpr bool can_thread_after_fork = false;  // the thread sanitizer ends a forked child that starts threads
#else
constexpr bool can_thread_after_fork = true;
#endif

TEST(Executor, WorksInAForkedChildAndInItsParent) {
  if (!can_thread_after_fork) GTEST_SKIP() << "the thread sanitizer does not allow it";
  Executor executor(4);
  meet_on_all_threads(executor);
  ASSERT_EQ(sum_of_blocks(executor, 100), 4950);
  EXPECT_TRUE(true_in_child([&] {
    meet_on_all_threads(executor);
    return sum_of_blocks(executor, 100) == 4950 && true_in_child([&] { return sum_of_blocks(executor, 50) == 1225; });
  }));
  EXPECT_EQ(sum_of_blocks(executor, 100), 4950);
}

TEST(Executor, WorksInAChildForkedWhileTheTeamIsBusy) {
  if (!can_thread_after_fork) GTEST_SKIP() << "the thread sanitizer does not allow it";
  Executor executor(3);
  std::latch started(3), finish(1);
  std::thread caller([&] {
    executor.for_each(3, [&](std::size_t) {
      started.count_down();
      finish.wait();
    });
  });
  started.wait();
  EXPECT_TRUE(true_in_child([&] { return sum_of_blocks(executor, 100) == 4950; }));
  finish.count_down();
  caller.join();
}

TEST(Executor, CanBeDestroyedInAForkedChild) {
  auto executor = std::make_unique<Executor>(3);
  meet_on_all_threads(*executor);
  EXPECT_TRUE(true_in_child([&] {
    executor.reset();
    return true;
  }));
}

TEST(Run, ReportsToItsObserverAndStopsWhenAsked) {
  Executor executor;
  std::vector<std::uint64_t> seen;
  const plumb::Run run{.executor = executor, .watch = [&](const Progress& progress) {
                         seen.push_back(progress.done);
                         return progress.done < 2;
                       }};
  run.report(Phase::fitting, 1, 0);
  try {
    run.report(Phase::fitting, 2, 0);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
}

TEST(Run, NeedsNoObserver) {
  Executor executor;
  const plumb::Run run{.executor = executor};
  EXPECT_NO_THROW(run.report(Phase::reading, 0, 10));
}

}  // namespace
}  // namespace plumb::parallel_test
