// What naive Bayes holds for typical of each class, drawn as an image: for features that are the pixels of pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/feature/feature_map.h"
#include "plumb/report/plot.h"
#include "plumb/train/bayes_tables.h"

namespace plumb {

// --image 8x8: columns and rows of pixels; 0x0 stands for none.
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

// A panel for each class: of numbers the means, of counts and presences the probabilities. Pixels stand row after row
// in the order of the features; numbered entries (f1, f2, ...) stand at their number. Throws Error(usage) where the
// features are not so many pixels.
Figure class_images(const BayesTables& tables, const FeatureMap& map, const std::string& target, ImageSize size);
// The same of a saved model. Throws Error(usage) for one of another kind than naive-bayes.
Figure class_images(const SavedModel& saved, ImageSize size);

}  // namespace plumb
