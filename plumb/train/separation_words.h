// The warning about separable classes, which names the features that separate them.
#pragma once

#include <string>

#include "plumb/feature/feature_map.h"
#include "plumb/solver/separation.h"

namespace plumb {

// Empty if the classes overlap. `way_out`: a hint that makes the weights finite.
std::string separation_words(const Separation& found, const FeatureMap& map, const std::string& way_out);

}  // namespace plumb
