// Something that is made when it is first needed, by whichever thread comes first; others wait for it.
#pragma once

#include <atomic>
#include <mutex>

namespace plumb {

class Once {
 public:
  bool done() const noexcept { return done_.load(std::memory_order_acquire); }
  // Without others about: it need not be made.
  void set() noexcept { done_.store(true, std::memory_order_release); }
  // If make() throws it is not made.
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
