#include "plumb/data/table.h"

namespace plumb {

const char* kind_name(Kind kind) noexcept { return kind == Kind::number ? "number" : "category"; }

}  // namespace plumb
