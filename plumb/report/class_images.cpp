#include "plumb/report/class_images.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/entry_names.h"

namespace plumb {
namespace {

constexpr std::uint32_t kMostPixels = 1'000'000;

struct Pixels {
  std::string what;                  // "means" or "probabilities"
  std::vector<std::uint32_t> place;  // of each: its position, ascending
  bool numbered = false;             // so that the last ones may be missing: 0 in every row
  std::vector<double> value;         // [class][pixel]
};

// By the numbers in the names of entries, f1 first; otherwise in order.
void place(Pixels& pixels, const std::vector<std::uint32_t>& features, const FeatureMap& map) {
  pixels.numbered = map.parts().terms.size() == 1 && std::holds_alternative<EntriesTerm>(map.parts().terms[0]);
  for (std::uint32_t i = 0; i < features.size(); ++i) {
    const auto number = pixels.numbered ? number_in_name(map.name(features[i])) : std::nullopt;
    pixels.numbered = pixels.numbered && number && *number >= 1;
    pixels.place.push_back(pixels.numbered ? *number - 1 : i);
  }
  if (pixels.numbered) return;
  std::iota(pixels.place.begin(), pixels.place.end(), 0u);
}

Pixels pixels_of(const BayesTables& tables, const FeatureMap& map) {
  const std::size_t classes = tables.labels.size();
  Pixels pixels;
  std::vector<std::uint32_t> features;
  if (!tables.plan.gaussians.empty()) {
    pixels.what = "means";
    for (const GaussianFeature& each : tables.plan.gaussians) features.push_back(each.feature);
    for (std::size_t k = 0; k < classes; ++k)
      for (std::size_t g = 0; g < features.size(); ++g) pixels.value.push_back(tables.mean[g * classes + k]);
  } else {
    pixels.what = "probabilities";
    for (const EventGroup& group : tables.plan.groups)
      for (const EventGroup::Range& range : group.ranges)
        for (std::uint32_t j = range.first; j < range.last; ++j) features.push_back(j);
    for (std::size_t k = 0; k < classes; ++k)
      for (const std::uint32_t j : features) pixels.value.push_back(tables.probability[k * map.features() + j]);
  }
  place(pixels, features, map);
  return pixels;
}

// "try --image 8x8" for a square number of pixels.
std::string hint_for(std::uint64_t count) {
  const auto side = static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (side * side != count || count == 0) return "--image WIDTHxHEIGHT with that many pixels";
  return "--image " + std::to_string(side) + "x" + std::to_string(side);
}

}  // namespace

ImageSize OptionText<ImageSize>::read(std::string_view text) {
  const OptionFault fault{"columns and rows of pixels, such as 28x28"};
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) throw fault;
  ImageSize size;
  for (const auto& [part, side] :
       {std::pair(text.substr(0, cross), &size.width), std::pair(text.substr(cross + 1), &size.height)}) {
    const ParsedNumber number = parse_number(part);
    if (number.fault != NumberFault::none || number.value < 1 || number.value > kMostPixels ||
        std::trunc(number.value) != number.value)
      throw fault;
    *side = static_cast<std::uint32_t>(number.value);
  }
  if (size.pixels() > kMostPixels) throw OptionFault{"at most 1,000,000 pixels, such as 28x28"};
  return size;
}
std::string OptionText<ImageSize>::text(const ImageSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

Figure class_images(const BayesTables& tables, const FeatureMap& map, const std::string& target, ImageSize size) {
  const Pixels pixels = pixels_of(tables, map);
  const std::uint64_t count = pixels.place.size();
  if (count == 0 || (pixels.numbered ? pixels.place.back() >= size.pixels() : count != size.pixels()))
    throw Error(ErrorCode::usage,
                "--image " + OptionText<ImageSize>::text(size) + " has " + counted(size.pixels(), "pixel") +
                    ", and the model " + counted(count, "feature"),
                hint_for(count));
  Figure figure;
  figure.title = "Typical image of each " + target;
  figure.subtitle = pixels.what + " of " + counted(count, "feature") + " as images of " +
                    OptionText<ImageSize>::text(size) + " pixels, larger is stronger";
  figure.columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tables.labels.size()))));
  std::vector<double> x_edge, y_edge;
  for (std::uint32_t i = 0; i <= size.width; ++i) x_edge.push_back(i);
  for (std::uint32_t i = 0; i <= size.height; ++i) y_edge.push_back(i);
  // Pixels are squares if a plot area is that much wider than high.
  constexpr double kShape = 1.55;
  const double wide = std::max<double>(size.width, kShape * size.height), tall = wide / kShape;
  for (std::size_t k = 0; k < tables.labels.size(); ++k) {
    const double* const value = pixels.value.data() + k * count;
    HeatMap image{x_edge, y_edge, std::vector<double>(size.pixels(), 0.0)};
    for (std::size_t i = 0; i < count; ++i) {
      // The first row of pixels is the highest, and the axis grows upwards.
      const std::uint32_t row = size.height - 1 - pixels.place[i] / size.width;
      image.value[std::uint64_t{row} * size.width + pixels.place[i] % size.width] = value[i];
    }
    Panel panel;
    panel.title = tables.labels[k];
    panel.x.low = (size.width - wide) / 2;
    panel.x.high = (size.width + wide) / 2;
    panel.y.low = (size.height - tall) / 2;
    panel.y.high = (size.height + tall) / 2;
    panel.x.hidden = panel.y.hidden = true;
    panel.marks.push_back(std::move(image));
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure class_images(const SavedModel& saved, ImageSize size) {
  const std::optional<BayesTables> tables = bayes_tables(saved);
  if (!tables)
    throw Error(ErrorCode::usage, "--image is for naive-bayes models; this model is " + in_quotes(saved.record.model));
  return class_images(*tables, saved.model.parts().map, saved.record.target, size);
}

}  // namespace plumb
