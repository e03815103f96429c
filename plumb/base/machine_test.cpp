#include "plumb/base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace plumb {
namespace {

// A folder that plays the root of a machine.
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
}  // namespace plumb
