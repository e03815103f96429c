// rows: E2
#include "plumb/train/plane_weights.h"

#include <gtest/gtest.h>

#include "plumb/base/random.h"

namespace plumb::plane_weights_test {
namespace {

// Nearly all zeros of many hyperplanes are left out, and those of few are not; either way the planes come back.
TEST(PlaneWeights, ComeBackFromTheRecord) {
  for (const std::uint32_t planes : {1u, 3u, 60u})
    for (const std::uint64_t every : {1u, 30u}) {
      constexpr std::uint32_t kFeatures = 40;
      const RandomKey key{planes, every};
      Planes given{planes, std::vector<double>(planes * kFeatures), std::vector<double>(planes)};
      for (std::size_t i = 0; i < given.weights.size(); ++i)
        if (key.below(2 * i, every) == 0) given.weights[i] = key.uniform(2 * i + 1) - 0.5;
      for (std::uint32_t k = 0; k < planes; ++k) given.bias[k] = k;
      const Weights weights = weights_of(given);
      EXPECT_EQ(weights.form(), planes > 1 && every > 4 ? Weights::Form::sparse : Weights::Form::dense);
      std::vector<double> row(kFeatures);
      for (std::uint32_t k = 0; k < planes; ++k) {
        weights.row_after(k, row);
        for (std::uint32_t j = 0; j < kFeatures; ++j) EXPECT_EQ(row[j], given.weights[j * planes + k]);
      }
      Record record;
      add_planes(record, "last", given);
      const std::optional<Planes> found = kept_planes(record, "last", planes, kFeatures);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->weights, given.weights);
      EXPECT_EQ(found->bias, given.bias);
      EXPECT_THROW(kept_planes(record, "last", planes, kFeatures / 4), Error) << "of more features than the model";
      EXPECT_FALSE(kept_planes(record, "variances", planes, kFeatures));
    }
}

}  // namespace
}  // namespace plumb::plane_weights_test
