// rows: N8
#include "plumb/report/class_images.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::class_images_test {
namespace {

FeatureMap map_of_numbers(std::uint32_t count) {
  FeatureMap::Parts parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    parts.inputs.push_back({"pixel" + std::to_string(i), Kind::number, {}});
    parts.terms.emplace_back(ProductTerm{{{i, 1}}});
  }
  return FeatureMap(std::move(parts));
}

BayesTables gaussians(std::uint32_t count) {
  BayesTables tables;
  tables.labels = {"bar", "stroke"};
  tables.plan.features = count;
  for (std::uint32_t j = 0; j < count; ++j) {
    tables.plan.gaussians.push_back({j});
    tables.mean.push_back(j);
    tables.mean.push_back(100 + j);
  }
  return tables;
}

TEST(ClassImages, HaveTheirFirstRowOfPixelsOnTop) {
  const Figure figure = class_images(gaussians(6), map_of_numbers(6), "shape", {3, 2});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].title, "bar");
  EXPECT_EQ(figure.panels[1].title, "stroke");
  const HeatMap& image = std::get<HeatMap>(figure.panels[1].marks[0]);
  EXPECT_EQ(image.x_edge.size(), 4u);
  EXPECT_EQ(image.y_edge.size(), 3u);
  EXPECT_EQ(image.value, (std::vector<double>{103, 104, 105, 100, 101, 102}));  // upwards
}

TEST(ClassImages, OfNumberedEntriesStandAtTheirNumbers) {
  FeatureMap::Parts parts;
  parts.inputs.push_back({"features", Kind::sparse, {"f2", "f3"}});
  parts.terms.emplace_back(EntriesTerm{0});
  const FeatureMap map(std::move(parts));
  BayesTables tables;
  tables.labels = {"a", "b"};
  tables.plan.features = 2;
  tables.plan.groups.push_back({Event::bernoulli, "features", true, true, false, 0, {{0, 2}}});
  tables.probability = {0.25, 0.5, 0.75, 1.0};
  const Figure figure = class_images(tables, map, "y", {2, 2});
  EXPECT_EQ(std::get<HeatMap>(figure.panels[0].marks[0]).value, (std::vector<double>{0.5, 0, 0, 0.25}));
  EXPECT_THROW(class_images(tables, map, "y", {1, 2}), Error);
}

TEST(ClassImages, NeedAsManyPixelsAsThereAreFeatures) {
  try {
    class_images(gaussians(9), map_of_numbers(9), "shape", {4, 2});
    FAIL() << "it was drawn";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "--image 4x2 has 8 pixels, and the model 9 features");
    EXPECT_EQ(error.hint(), "--image 3x3");
  }
}

TEST(ImageSize, IsReadAndWritten) {
  EXPECT_EQ(OptionText<ImageSize>::text(OptionText<ImageSize>::read("28x14")), "28x14");
  for (const char* bad : {"", "8", "x", "8x", "0x8", "8x-1", "8x8x8", "1.5x2", "9999x9999"})
    EXPECT_THROW(OptionText<ImageSize>::read(bad), OptionFault) << bad;
}

}  // namespace
}  // namespace plumb::class_images_test
