// Executor: the only owner of threads. Work is cut into numbered blocks, and results are folded in one fixed binary
// tree over block numbers, so their bits depend on the number of blocks alone, never on threads or timing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace plumb {

// Ownership: whoever makes an Executor owns its threads; they start at the first call that can use them and are joined
// by the destructor. Spans and functions given to a call are used only during that call.
//
// Threads: any thread may call, the calling thread works too, and no call ever waits for another call: one that finds
// the team busy (a second caller, or a nested call from inside `work` or `map`) runs in the calling thread alone and
// gives the same bits. A call with a single block leaves the team free for the calls inside it. A function given to a
// call runs on several threads at once, so it must guard what it shares.
//
// fork(): a child makes its own threads when it first needs them; those of the parent are forgotten, not joined. A
// child that was forked inside `work` must not return from it.
class Executor {
 public:
  template <class Number>
  using Map = std::function<void(std::size_t block, std::span<Number> out)>;
  template <class Number>
  using Combine = std::function<void(std::span<Number> left, std::span<const Number> right)>;

  // Counts the calling thread, so 1 starts none; 0 means machine_threads().
  explicit Executor(unsigned threads = 1);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  unsigned threads() const noexcept { return threads_; }

  // Calls work(i) once for every i in [0, count), on any thread; they start in ascending order. If some throw, the
  // exception of the lowest such i is rethrown here: every i below it has run, those above may have been skipped.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

  // total = the fold of map(0), ..., map(blocks - 1); all zeros if there are no blocks.
  //
  // Node (level, i) of the tree covers blocks [i 2^level, (i + 1) 2^level). map(block, out) fills a leaf: `out` has the
  // width of total, starts at zero and is aligned to 64 bytes. combine(left, right) folds the right sibling into the
  // left one; the default is element-wise addition, and integers must not overflow. A node without a right sibling
  // moves up unchanged.
  //
  // Nodes are merged as soon as both exist, so about reduce_buffers(blocks) buffers of the width of total exist at
  // once; threads * log2(blocks) if some blocks take much longer than others. Exceptions of map are treated as in
  // for_each, and total is then unchanged. combine should not throw: its exception is passed on too, but timing decides
  // which block it is counted under.
  void reduce(std::size_t blocks, std::span<double> total, const Map<double>& map, const Combine<double>& combine = {});
  void reduce(std::size_t blocks, std::span<std::int64_t> total, const Map<std::int64_t>& map,
              const Combine<std::int64_t>& combine = {});
  // One for each level of the tree, and one for each thread.
  std::size_t reduce_buffers(std::size_t blocks) const noexcept;

 private:
  class Team;

  Team& team();

  unsigned threads_;
  std::atomic<Team*> team_ = nullptr;  // owned; made on demand, and again in a forked child
};

}  // namespace plumb
