// What this machine lets the process use: the CPUs it may run on, the memory it may take, and the share of both that
// its control groups grant. A container may see every CPU of its host and be granted two of them; more threads would
// only disturb each other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace plumb {

// The smaller of affinity_threads() and the control groups' quota, rounded up; at least 1.
unsigned machine_threads();

// CPUs in the affinity mask of the calling thread; at least 1.
unsigned affinity_threads();

// The least CPU quota (in CPUs, such as 1.5) on the way from this process's control groups up to the root, or nothing.
// Reads proc/self/cgroup and sys/fs/cgroup below `root`, which is "/" except in tests; both versions of control groups
// count: cpu.max of version 2, cpu.cfs_quota_us and cpu.cfs_period_us of version 1.
std::optional<double> quota_processors(const std::filesystem::path& root = "/");

// Nine tenths of the least of the three below, in bytes; nothing if all are unknown. The tenth is for memory that
// nobody counts: code, stacks, and fragments that an allocator cannot reuse.
std::optional<std::uint64_t> machine_memory();

// Memory that the system could provide without swapping: MemAvailable of proc/meminfo below `root`.
std::optional<double> available_memory(const std::filesystem::path& root = "/");

// The least memory limit on the way from this process's control groups up to the root: memory.max of version 2,
// memory.limit_in_bytes of version 1.
std::optional<double> quota_memory(const std::filesystem::path& root = "/");

// The rest of RLIMIT_AS and RLIMIT_DATA after what the process has taken.
std::optional<double> limit_memory();

}  // namespace plumb
