// A value that threads use in turn.
#pragma once

#include <mutex>
#include <utility>

namespace plumb {

template <class Value>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(Value value) : value_(std::move(value)) {}

  // Calls `use` with the value while no other thread has it.
  template <class Use>
  decltype(auto) with(Use&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(value_);
  }

 private:
  std::mutex mutex_;
  Value value_{};
};

}  // namespace plumb
