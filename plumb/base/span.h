// The two views that carry numbers through the library. They never outlive the call they are passed to.
#pragma once

#include <span>

namespace plumb {

using In = std::span<const double>;
using Out = std::span<double>;

}  // namespace plumb
