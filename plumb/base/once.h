// A value that is made when it is first needed, by the first thread; others wait for it.
#pragma once

#include <atomic>
#include <mutex>

namespace plumb {

class Once {
 public:
  bool done() const noexcept { return done_.load(std::memory_order_acquire); }
  // For one thread only: takes the value, made or not.
  void set() noexcept { done_.store(true, std::memory_order_release); }
  // If make() throws, the value stays unmade.
  template <class Make>
  void run(Make&& make) {
    if (done()) return;
    const std::lock_guard<std::mutex> only(making_);
    if (done()) return;
    make();
    set();
  }

 private:
  std::mutex making_;
  std::atomic<bool> done_ = false;
};

}  // namespace plumb
