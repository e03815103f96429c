// The part "reading" of a model file: how the training data were written.
#pragma once

#include "plumb/base/json_writer.h"
#include "plumb/model/description.h"
#include "plumb/model/record.h"

namespace plumb {

void write_how_read(JsonWriter& json, const HowRead& reading);
// Throws Error(model) for what it would not have written.
HowRead read_how_read(Description& description);

}  // namespace plumb
