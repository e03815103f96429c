// The limit on memory. It is checked before memory is taken, so that work that cannot fit ends with an error message
// and never with a failed allocation.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

class MemoryBudget {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  MemoryBudget() = default;  // no limit
  explicit MemoryBudget(std::uint64_t limit) noexcept : limit_(limit) {}

  std::uint64_t limit() const noexcept { return limit_; }
  bool allows(std::uint64_t bytes) const noexcept { return bytes <= limit_; }
  // The rest beside that many bytes already in use.
  MemoryBudget beside(std::uint64_t held) const noexcept {
    return MemoryBudget(limit_ == kNoLimit ? kNoLimit : limit_ - (held < limit_ ? held : limit_));
  }
  // Throws Error(resources) if that many bytes are too many: "`what` about 12 GB; 4 GB are granted", and as a hint
  // "`less`, or --max-memory 14G if the machine has it".
  void expect(std::uint64_t bytes, const std::string& what, const std::string& less) const;

 private:
  std::uint64_t limit_ = kNoLimit;
};

// A number of bytes as an option: 500M, 1.5G, 4GB are powers of 1000, as all sizes that plumb prints; 4Gi, 4GiB of
// 1024. 0 means what the machine allows.
struct MemorySize {
  std::uint64_t bytes = 0;

  // The size, or machine_memory() for 0; no limit if the machine does not tell one.
  MemoryBudget budget() const;
};

template <>
struct OptionText<MemorySize> {
  static MemorySize read(std::string_view text);
  static std::string text(const MemorySize& size);
};

}  // namespace plumb
