// The inequalities of a separating direction for each row: its own class above every other.
#pragma once

#include <cstddef>

#include "plumb/objective/objective.h"

namespace plumb {

// Each row against each class that is not its own: use(row, pair, own, other), where own and other are outputs, and
// `outputs` means a score that is always 0. Two classes: the score against its negative.
class ClassPairs {
 public:
  explicit ClassPairs(const Objective& f)
      : f_(f), outputs_(f.outputs()), others_(outputs_ == 1 ? 1 : outputs_ - (f.loss().reference() ? 0 : 1)) {}
  std::size_t size() const { return f_.matrix().rows() * others_; }

  template <class Use>
  void for_each(Use&& use) const {
    for (std::size_t i = 0; i < f_.matrix().rows(); ++i) of_row(i, use);
  }
  template <class Use>
  void of_row(std::size_t i, Use&& use) const {
    const double y = f_.matrix().targets()[i];
    if (outputs_ == 1) {
      if (y == 0.0)
        use(i, i, outputs_, std::size_t{0});
      else
        use(i, i, std::size_t{0}, outputs_);
      return;
    }
    const auto own = static_cast<std::size_t>(y);
    std::size_t pair = i * others_;
    for (std::size_t c = 0; c < outputs_ + (f_.loss().reference() ? 1 : 0); ++c)
      if (c != own) use(i, pair++, own, c);
  }

 private:
  const Objective& f_;
  std::size_t outputs_, others_;
};

}  // namespace plumb
