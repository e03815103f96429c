// THE list of losses. A new one is a file NAME_loss.h (scalar_loss.h describes its content), its include and a line
// here; the enum, the names and every choice by loss follow. Softmax, which has a score per class, is separate
// (row_loss.h).
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "plumb/base/option_types.h"
#include "plumb/objective/hinge_loss.h"
#include "plumb/objective/huber_loss.h"
#include "plumb/objective/logistic_loss.h"
#include "plumb/objective/perceptron_loss.h"
#include "plumb/objective/poisson_loss.h"
#include "plumb/objective/squared_hinge_loss.h"
#include "plumb/objective/squared_loss.h"

#define PLUMB_LOSSES(X)              \
  X(logistic, LogisticLoss)          \
  X(hinge, HingeLoss)                \
  X(squared_hinge, SquaredHingeLoss) \
  X(squared, SquaredLoss)            \
  X(perceptron, PerceptronLoss)      \
  X(huber, HuberLoss)                \
  X(poisson, PoissonLoss)

namespace plumb {

#define PLUMB_LOSS(name, type) name,
enum class Loss { PLUMB_LOSSES(PLUMB_LOSS) };
#undef PLUMB_LOSS

template <>
struct EnumNames<Loss> {
#define PLUMB_LOSS(name, type) type::kName,
  static constexpr std::string_view names[] = {PLUMB_LOSSES(PLUMB_LOSS)};
#undef PLUMB_LOSS
};

constexpr std::string_view name_of(Loss loss) noexcept {
  return EnumNames<Loss>::names[static_cast<std::size_t>(loss)];
}

// use(LogisticLoss{}) for Loss::logistic, and so on: one dispatch by name, then code that knows its loss.
template <class Use>
decltype(auto) with_loss(Loss loss, Use&& use) {
  switch (loss) {
#define PLUMB_LOSS(name, type) \
  case Loss::name: return use(type{});
    PLUMB_LOSSES(PLUMB_LOSS)
#undef PLUMB_LOSS
  }
  return use(LogisticLoss{});
}
// Loss::logistic for LogisticLoss, and so on.
template <ScalarLoss L>
constexpr Loss loss_kind() {
#define PLUMB_LOSS(name, type) \
  if constexpr (std::is_same_v<L, type>) return Loss::name;
  PLUMB_LOSSES(PLUMB_LOSS)
#undef PLUMB_LOSS
}
// use(loss, LogisticLoss{}) and so on, for every loss in the order of the list.
template <class Use>
void for_each_loss(Use&& use) {
#define PLUMB_LOSS(name, type) use(Loss::name, type{});
  PLUMB_LOSSES(PLUMB_LOSS)
#undef PLUMB_LOSS
}

}  // namespace plumb
