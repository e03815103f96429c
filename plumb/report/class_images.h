// Typical images of each class for naive Bayes, if the features are pixels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/feature/feature_map.h"
#include "plumb/report/plot.h"
#include "plumb/train/bayes_tables.h"

namespace plumb {

// --image 8x8: columns and rows of pixels; 0x0 means not given.
struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool none() const noexcept { return width == 0; }
  std::uint64_t pixels() const noexcept { return std::uint64_t{width} * height; }
};
template <>
struct OptionText<ImageSize> {
  static ImageSize read(std::string_view text);
  static std::string text(const ImageSize& size);
};

// A panel for each class: for numbers the means, for counts and presences the probabilities. Pixels are in row order,
// as the features; numbered entries (f1, f2, ...) are at their number. Throws Error(usage) if the number of features
// differs.
Figure class_images(const BayesTables& tables, const FeatureMap& map, const std::string& target, ImageSize size);
// The same for a saved model. Throws Error(usage) if it is not naive-bayes.
Figure class_images(const SavedModel& saved, ImageSize size);

}  // namespace plumb
