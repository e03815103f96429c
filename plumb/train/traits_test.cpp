// rows: E6
#include "plumb/train/traits.h"

#include <gtest/gtest.h>

#include "plumb/train/trainer.h"

namespace plumb::traits_test {
namespace {

TEST(Traits, EveryTrainerDeclaresEveryTrait) {
  ASSERT_EQ(trait_list().size(), trainer_list().size());
  for (std::size_t i = 0; i < trainer_list().size(); ++i) {
    EXPECT_EQ(trait_list()[i].trainer, trainer_list()[i].name);
    for (const TraitEntry& entry : trait_entries())
      EXPECT_FALSE((traits_of(trainer_list()[i].name).*entry.field).empty()) << entry.key;
  }
}

TEST(Traits, TheTableOfTheThreeClassifiersIsTheLecturesTable) {
  const Traits &bayes = traits_of("naive-bayes"), &perceptron = traits_of("perceptron"),
               &logistic = traits_of("logistic");
  for (const Traits* each : {&bayes, &perceptron, &logistic}) EXPECT_EQ(each->power, "linear");
  EXPECT_EQ(bayes.type, "generative");
  EXPECT_EQ(perceptron.type, "discriminative");
  EXPECT_EQ(logistic.type, "discriminative");
  EXPECT_EQ(bayes.distribution, "P(x, y)");
  EXPECT_EQ(logistic.distribution, "P(y | x)");
  EXPECT_TRUE(bayes.independence.starts_with("strong"));
  EXPECT_EQ(logistic.independence, "none");
}

}  // namespace
}  // namespace plumb::traits_test
