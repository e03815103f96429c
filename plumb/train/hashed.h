// Whether some of the features are hashed terms, for hints about reducing their number.
#pragma once

#include <algorithm>
#include <variant>

#include "plumb/feature/feature_map.h"

namespace plumb {

inline bool has_hashed_terms(const FeatureMap& map) {
  return std::any_of(map.parts().terms.begin(), map.parts().terms.end(), [](const Term& term) {
    const TextTerm* const text = std::get_if<TextTerm>(&term);
    return text != nullptr && text->bag->hash_bits > 0;
  });
}

}  // namespace plumb
