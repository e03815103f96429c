#include "plumb/base/parallel.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/base/machine.h"

namespace plumb {
namespace {

// In turns of an hour: std::condition_variable::wait() without an end is in the libstdc++ of GCC 12 and later only, and
// a program that waits so does not start on older systems.
template <class Ready>
void wait(std::condition_variable& signal, std::unique_lock<std::mutex>& lock, const Ready& ready) {
  while (!signal.wait_for(lock, std::chrono::hours(1), ready)) {
  }
}

// One for_each. Indices are handed out in ascending order, so all those below a failing one have already started, and
// lowering the limit to it keeps the rest from starting. A thread that fails gets no further index.
class Job {
 public:
  Job(std::size_t count, const std::function<void(std::size_t)>& work, std::size_t threads)
      : limit_(count), work_(work) {
    failures_.reserve(threads);  // so that storing one cannot fail
  }

  // Works until nothing is left to start.
  void work() noexcept {
    for (;;) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= limit_.load(std::memory_order_relaxed)) return;
      try {
        work_(i);
      } catch (...) {
        fail(i, std::current_exception());
      }
    }
  }

  // To be called when every thread has left work().
  void rethrow_first() const {
    const auto first = std::min_element(failures_.begin(), failures_.end(),
                                        [](const Failure& a, const Failure& b) { return a.index < b.index; });
    if (first != failures_.end()) std::rethrow_exception(first->what);
  }

 private:
  struct Failure {
    std::size_t index;
    std::exception_ptr what;
  };

  void fail(std::size_t i, std::exception_ptr what) {
    const std::lock_guard lock(mutex_);
    failures_.push_back({i, std::move(what)});
    if (i < limit_.load(std::memory_order_relaxed)) limit_.store(i, std::memory_order_relaxed);
  }

  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> limit_;
  const std::function<void(std::size_t)>& work_;
  std::mutex mutex_;
  std::vector<Failure> failures_;  // at most one per thread
};

// During its lifetime, new threads leave signals that request something (Ctrl-C, alarms) to the threads of the program;
// signals for a fault in the thread itself stay, or a crash could not be reported.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t asked;
    sigfillset(&asked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&asked, fault);
    pthread_sigmask(SIG_BLOCK, &asked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

// The threads of one process and their current job, if any. All of it is forgotten in a forked child.
class Executor::Team {
 public:
  Team() : process_(getpid()) {}

  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    posted_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  bool of_this_process() const { return process_ == getpid(); }

  // Does the job with up to `helpers` threads besides the calling one; false, without doing anything, if the team is
  // busy.
  bool run(Job& job, std::size_t helpers) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    {
      const std::lock_guard lock(mutex_);
      start(helpers);
      job_ = &job;
      ++jobs_;
    }
    for (std::size_t i = 0; i < helpers; ++i) posted_.notify_one();
    job.work();
    {
      std::unique_lock lock(mutex_);
      job_ = nullptr;  // a worker that wakes up only now has nothing to do with it
      wait(left_, lock, [&] { return inside_ == 0; });
    }
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  // With fewer threads than requested the results are the same, so it is not an error if the system refuses more.
  void start(std::size_t helpers) {
    if (workers_.size() >= helpers) return;
    const SignalsBlocked blocked;
    try {
      while (workers_.size() < helpers) workers_.emplace_back([this] { live(); });
    } catch (const std::exception&) {
    }
  }

  void live() noexcept {
    std::unique_lock lock(mutex_);
    for (std::uint64_t seen = 0;;) {
      wait(posted_, lock, [&] { return stopping_ || (job_ != nullptr && jobs_ != seen); });
      if (stopping_) return;
      seen = jobs_;
      Job& job = *job_;
      ++inside_;
      lock.unlock();
      job.work();
      lock.lock();
      if (--inside_ == 0 && job_ == nullptr) left_.notify_one();
    }
  }

  const pid_t process_;
  std::atomic<bool> busy_ = false;
  std::mutex mutex_;                // guards the members below
  std::condition_variable posted_;  // there is a job, or the team stops
  std::condition_variable left_;    // the last worker has left a job that is over
  Job* job_ = nullptr;              // owned by the caller of run
  std::uint64_t jobs_ = 0;          // number of jobs so far, so that no worker enters one twice
  std::size_t inside_ = 0;          // workers at the job
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

Executor::Executor(unsigned threads) : threads_(threads == 0 ? machine_threads() : threads) {}

Executor::~Executor() {
  Team* const team = team_.load(std::memory_order_acquire);
  if (team != nullptr && team->of_this_process()) delete team;
}

Executor::Team& Executor::team() {
  Team* team = team_.load(std::memory_order_acquire);
  if (team != nullptr && team->of_this_process()) return *team;
  // The parent's team is left as it is: its threads do not exist here, and its locks may be held for ever.
  auto fresh = std::make_unique<Team>();
  if (team_.compare_exchange_strong(team, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *team;  // another caller was faster
}

void Executor::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  const std::size_t helpers = std::min<std::size_t>(threads_, count) - 1;
  Job job(count, work, helpers + 1);
  if (helpers == 0 || !team().run(job, helpers)) job.work();
  job.rethrow_first();
}

namespace {

// The fixed tree of one reduce, grown from its finished leaves. `waiting_` has the nodes whose sibling is not finished:
// for every block in progress and for the next one, at most one node a level.
template <class Number>
class Tree {
 public:
  Tree(std::size_t blocks, std::size_t width, const Executor::Combine<Number>& combine)
      : blocks_(blocks), width_(width), combine_(combine) {}

  struct Free {
    void operator()(Number* numbers) const { ::operator delete(numbers, alignment); }
  };
  using Buffer = std::unique_ptr<Number, Free>;

  std::span<Number> view(const Buffer& buffer) const { return {buffer.get(), width_}; }

  Buffer zeros() {
    Buffer buffer;
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        buffer = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    // Whole cache lines: neighbours in memory may belong to other threads.
    if (!buffer) buffer.reset(static_cast<Number*>(::operator new(width_ * sizeof(Number), alignment)));
    std::uninitialized_fill_n(buffer.get(), width_, Number{0});
    return buffer;
  }

  // Moves a finished leaf up as far as finished siblings allow: the thread that finishes the second of two merges them.
  void add_leaf(std::size_t block, Buffer sums) {
    Node node{0, block, std::move(sums)};
    for (; node.level < top_; ++node.level, node.i /= 2) {
      const std::size_t sibling = node.i ^ 1;
      if (sibling << node.level >= blocks_) continue;
      Node other = take_or_wait(node, sibling);
      if (!other.sums) return;
      if (sibling < node.i) std::swap(node.sums, other.sums);
      fold(node.sums, other.sums);
      const std::lock_guard lock(mutex_);
      spare_.push_back(std::move(other.sums));
    }
    root_ = std::move(node.sums);
  }

  std::span<const Number> root() const { return view(root_); }

 private:
  static constexpr std::align_val_t alignment{64};

  struct Node {
    int level;
    std::size_t i;
    Buffer sums;
  };

  // The finished sibling of `node`, or empty: then the node has been stored to wait for it.
  Node take_or_wait(Node& node, std::size_t sibling) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Node& each) { return each.level == node.level && each.i == sibling; });
    if (found == waiting_.end()) {
      waiting_.push_back(std::move(node));
      return {};
    }
    std::swap(*found, waiting_.back());
    Node other = std::move(waiting_.back());
    waiting_.pop_back();
    return other;
  }

  void fold(const Buffer& left, const Buffer& right) const {
    if (combine_) return combine_(view(left), view(right));
    for (std::size_t k = 0; k < width_; ++k) left.get()[k] += right.get()[k];
  }

  const std::size_t blocks_;
  const std::size_t width_;
  const Executor::Combine<Number>& combine_;
  const int top_ = static_cast<int>(std::bit_width(blocks_ - 1));  // level of the root
  std::mutex mutex_;                                               // guards the members below
  std::vector<Node> waiting_;
  std::vector<Buffer> spare_;
  Buffer root_;
};

template <class Number>
void reduce_with(Executor& executor, std::size_t blocks, std::span<Number> total, const Executor::Map<Number>& map,
                 const Executor::Combine<Number>& combine) {
  if (blocks == 0) return std::fill(total.begin(), total.end(), Number{0});
  Tree<Number> tree(blocks, total.size(), combine);
  executor.for_each(blocks, [&](std::size_t block) {
    auto sums = tree.zeros();
    map(block, tree.view(sums));
    tree.add_leaf(block, std::move(sums));
  });
  std::copy(tree.root().begin(), tree.root().end(), total.begin());
}

}  // namespace

std::size_t Executor::reduce_buffers(std::size_t blocks) const noexcept {
  if (blocks == 0) return 0;
  return std::min<std::size_t>(blocks, static_cast<std::size_t>(std::bit_width(blocks - 1)) + threads_);
}

void Executor::reduce(std::size_t blocks, std::span<double> total, const Map<double>& map,
                      const Combine<double>& combine) {
  reduce_with(*this, blocks, total, map, combine);
}

void Executor::reduce(std::size_t blocks, std::span<std::int64_t> total, const Map<std::int64_t>& map,
                      const Combine<std::int64_t>& combine) {
  reduce_with(*this, blocks, total, map, combine);
}

}  // namespace plumb
