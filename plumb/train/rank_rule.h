// How columns that are combinations of others are treated.
#pragma once

#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// drop: the later one gets no weight. min_norm: all share it, so that sum w^2 is least. unsaid: min_norm if there are
// fewer rows than columns, otherwise drop.
enum class RankRule { unsaid, drop, min_norm };

template <>
struct EnumNames<RankRule> {
  static constexpr std::string_view names[] = {"auto", "drop", "min-norm"};
};

}  // namespace plumb
