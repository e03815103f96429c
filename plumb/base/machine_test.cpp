#include "plumb/base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace plumb::machine_test {
namespace {

// A folder that replaces the root of a machine.
class Quota : public testing::Test {
 protected:
  Quota() : root_(std::filesystem::temp_directory_path() / ("plumb_machine_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~Quota() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::optional<double> quota() const { return quota_processors(root_); }

  std::filesystem::path root_;
};

TEST_F(Quota, IsNothingOnAMachineWithoutControlGroups) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(Quota, OfVersion2IsQuotaOverPeriod) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(Quota, OfVersion2IsNothingWhenMax) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Quota, IsTheLeastOnTheWayUpToTheRoot) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3.0);
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Quota, OfAContainerThatSeesOnlyItsOwnFolderIsFoundAtTheTop) {
  write("proc/self/cgroup", "0::/docker/0123456789ab\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Quota, NeverLeavesTheFolderOfControlGroups) {
  write("proc/self/cgroup", "0::/../../outside\n");
  write("sys/outside/cpu.max", "100000 100000\n");
  write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4.0);
}

TEST_F(Quota, OfVersion1IsQuotaOverPeriod) {
  write("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(Quota, OfVersion1IsFoundUnderTheShortNameOfTheController) {
  write("proc/self/cgroup", "4:cpuacct,cpu:/job\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(Quota, OfVersion1IsNothingWhenNegative) {
  write("proc/self/cgroup", "4:cpu:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Quota, TakesTheLesserOfBothVersions) {
  write("proc/self/cgroup", "4:cpu:/\n0::/job\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "700000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/job/cpu.max", "600000 100000\n");
  EXPECT_EQ(quota(), 6.0);
}

TEST_F(Quota, IgnoresWhatItCannotRead) {
  write("proc/self/cgroup", "garbage\n0:\n::\n0::/job");
  for (const char* text : {"", "\n", "max", "100000", "100000 0", "0 100000", "-5 100000", "1e5 100000", "100000 x"}) {
    write("sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(quota(), std::nullopt) << text;
  }
}

TEST_F(Quota, OfMemoryIsTheLeastOnTheWayUpToTheRoot) {
  EXPECT_EQ(quota_memory(root_), std::nullopt);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(quota_memory(root_), std::nullopt);
  write("sys/fs/cgroup/a/memory.max", "4000000000\n");
  EXPECT_EQ(quota_memory(root_), 4e9);
  write("sys/fs/cgroup/a/b/memory.max", "500000000\n");
  EXPECT_EQ(quota_memory(root_), 5e8);
}

TEST_F(Quota, OfMemoryOfVersion1KnowsTheNumberThatStandsForNoLimit) {
  write("proc/self/cgroup", "9:memory:/job\n4:cpu:/job\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(quota_memory(root_), std::nullopt);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(quota_memory(root_), 0x1p30);
  EXPECT_EQ(quota(), std::nullopt);  // of CPUs
}

TEST_F(Quota, AvailableMemoryIsInKibibytes) {
  EXPECT_EQ(available_memory(root_), std::nullopt);
  write("proc/meminfo", "MemTotal:       24681472 kB\nMemFree:  100 kB\nMemAvailable:    2048 kB\nBuffers: 1 kB\n");
  EXPECT_EQ(available_memory(root_), 2048.0 * 1024);
  write("proc/meminfo", "MemTotal:       24681472 kB\nMemAvailable:    many kB\n");
  EXPECT_EQ(available_memory(root_), std::nullopt);
}

TEST(Machine, GrantsNoMoreMemoryThanNineTenthsOfWhatIsAvailable) {
  const auto granted = machine_memory();
  ASSERT_TRUE(granted);
  EXPECT_GT(*granted, 0u);
  EXPECT_LE(static_cast<double>(*granted), 0.95 * available_memory().value_or(1e18));  // others allocate meanwhile
}

TEST(Machine, CountsWhatAProcessLimitLeaves) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = rlim_t{1} << 50;
  if (before.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the process has a limit already";
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &lower), 0);
  const auto left = limit_memory();
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  ASSERT_TRUE(left);
  EXPECT_LT(*left, 0x1p50);
  EXPECT_GT(*left, 0x1p49);
}

TEST(Machine, HasAtLeastOneThreadAndNoMoreThanTheAffinityMask) {
  EXPECT_GE(machine_threads(), 1u);
  EXPECT_LE(machine_threads(), affinity_threads());
}

TEST(Machine, CountsTheAffinityMaskAndNotTheCpus) {
  // In a thread of its own: the mask belongs to the thread.
  std::thread([] {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(affinity_threads(), static_cast<unsigned>(CPU_COUNT(&mask)));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinity_threads(), 1u);
    EXPECT_EQ(machine_threads(), 1u);
  }).join();
}

}  // namespace
}  // namespace plumb::machine_test
