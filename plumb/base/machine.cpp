#include "plumb/base/machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

namespace plumb {
namespace {

using Path = std::filesystem::path;

// The first line of a file, empty if it cannot be read.
std::string first_line(const Path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The text before the first `mark`; removes it and the mark from `rest`.
std::string_view cut(std::string_view& rest, char mark) {
  const auto end = rest.find(mark);
  const auto part = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return part;
}

// "max" and -1 mean no limit and are not valid numbers.
std::optional<double> positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period) {
  return quota && period ? std::optional(*quota / *period) : std::nullopt;
}

std::optional<double> version_2_quota(const Path& folder) {
  const std::string line = first_line(folder / "cpu.max");  // "QUOTA PERIOD" in microseconds, or "max PERIOD"
  std::string_view rest = line;
  const auto quota = cut(rest, ' ');
  return ratio(positive(quota), positive(rest));
}

std::optional<double> version_1_quota(const Path& folder) {
  return ratio(positive(first_line(folder / "cpu.cfs_quota_us")), positive(first_line(folder / "cpu.cfs_period_us")));
}

std::optional<double> version_2_memory(const Path& folder) { return positive(first_line(folder / "memory.max")); }

std::optional<double> version_1_memory(const Path& folder) {
  const auto limit = positive(first_line(folder / "memory.limit_in_bytes"));
  return limit && *limit < 0x1p62 ? limit : std::nullopt;  // no limit is the last page below 2^63
}

// The least of quota_of(folder) over mount/group and the folders above it up to `mount`. A container may be told its
// group's path on the host but see only its own folder, mounted at the top: a folder that does not exist has no quota.
template <class QuotaOf>
double least_quota(const Path& mount, std::string_view group, QuotaOf quota_of) {
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  double least = quota_of(mount).value_or(no_limit);
  Path folder = mount;
  while (!group.empty()) {
    const auto name = cut(group, '/');
    if (name == "..") break;  // a group that this process cannot see
    if (name.empty()) continue;
    folder /= name;
    least = std::min(least, quota_of(folder).value_or(no_limit));
  }
  return least;
}

bool names(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    if (cut(controllers, ',') == controller) return true;
  }
  return false;
}

// The least quota of all groups of this process, of either version.
template <class Version2, class Version1>
std::optional<double> least_of_groups(const Path& root, const std::string& controller, Version2 version_2,
                                      Version1 version_1) {
  const Path mount = root / "sys/fs/cgroup";
  double least = std::numeric_limits<double>::infinity();
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "HIERARCHY:CONTROLLERS:GROUP"; version 2 has no controllers
    std::string_view group = line;
    const auto hierarchy = cut(group, ':');
    const auto controllers = cut(group, ':');
    if (hierarchy == "0" && controllers.empty()) {
      least = std::min(least, least_quota(mount, group, version_2));
    } else if (names(controllers, controller)) {
      least = std::min({least, least_quota(mount / controllers, group, version_1),
                        least_quota(mount / controller, group, version_1)});
    }
  }
  return std::isinf(least) ? std::nullopt : std::optional(least);
}

}  // namespace

std::optional<double> quota_processors(const Path& root) {
  return least_of_groups(root, "cpu", version_2_quota, version_1_quota);
}

std::optional<double> quota_memory(const Path& root) {
  return least_of_groups(root, "memory", version_2_memory, version_1_memory);
}

std::optional<double> available_memory(const Path& root) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);) {  // "MemAvailable:   23548000 kB"
    std::string_view rest = line;
    if (cut(rest, ':') != "MemAvailable") continue;
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const auto kilobytes = positive(cut(rest, ' '));
    return kilobytes ? std::optional(1024 * *kilobytes) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> limit_memory() {
  const std::string line = first_line("/proc/self/statm");  // pages: size resident shared text lib data dirty
  std::string_view rest = line;
  double taken[6] = {};
  for (double& pages : taken) pages = positive(cut(rest, ' ')).value_or(0.0);
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::optional<double> least;
  const auto consider = [&](auto resource, double pages) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const double left = std::max(0.0, static_cast<double>(limit.rlim_cur) - pages * page);
    least = std::min(left, least.value_or(left));
  };
  consider(RLIMIT_AS, taken[0]);
  consider(RLIMIT_DATA, taken[5]);
  return least;
}

std::optional<std::uint64_t> machine_memory() {
  std::optional<double> least;
  for (const auto& each : {available_memory(), quota_memory(), limit_memory()})
    if (each) least = std::min(*each, least.value_or(*each));
  return least ? std::optional(static_cast<std::uint64_t>(0.9 * *least)) : std::nullopt;
}

unsigned affinity_threads() {
#ifdef __linux__
  // A machine may have more CPUs than one cpu_set_t holds; the call fails until the mask is large enough.
  for (int cpus = CPU_SETSIZE; cpus <= (1 << 20); cpus *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(cpus);
    if (mask == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    const int count = sched_getaffinity(0, bytes, mask) == 0 ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return static_cast<unsigned>(count);
  }
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned machine_threads() {
  const unsigned processors = affinity_threads();
  const double quota = std::ceil(quota_processors().value_or(processors));
  return quota < processors ? std::max(1u, static_cast<unsigned>(quota)) : processors;
}

}  // namespace plumb
