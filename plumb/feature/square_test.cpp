#include "plumb/feature/square.h"

#include <gtest/gtest.h>

namespace plumb::square_test {
namespace {

const std::vector<FeatureMap::Input> kInputs = {{"x", Kind::number, {}, {}}, {"a (b", Kind::number, {}, {}}};

FormulaTerm term(const Formula& formula, std::uint32_t input = 0) { return {formula, {input}}; }

TEST(CentredSquare, HasAnotherNameWhereItsOwnIsTaken) {
  const Formula x = Formula::parse("x");
  EXPECT_EQ(centred_square(x, 0.0, {}).text(), "x^2");
  EXPECT_EQ(centred_square(x, 0.0, {"x^2"}).text(), "abs(x)^2");
  EXPECT_EQ(centred_square(x, 0.0, {"x^2", "abs(x)^2"}).text(), "abs(abs(x))^2");
  EXPECT_EQ(centred_square(x, 1.5, {"x^2"}).text(), "(x-1.5)^2");
  EXPECT_EQ(centred_square(x, -1.5, {"(x+1.5)^2"}).text(), "abs(x+1.5)^2");
}

TEST(CentredSquare, IsKnownUnderAnyNameByItsCentre) {
  const ProductTerm x{{{0, 1}}}, odd{{{1, 1}}};
  for (const double centre : {0.0, 1.5, -2e-7})
    for (std::size_t taken = 0; taken < 3; ++taken) {
      std::unordered_set<std::string> names;
      const auto next = [&](const Formula& of) { return centred_square(of, centre, names); };
      for (std::size_t i = 0; i < taken; ++i) names.insert(next(Formula::of_column("x")).name());
      for (std::size_t i = 0; i < taken; ++i) names.insert(next(Formula::of_column("a (b")).name());
      const Formula square = next(Formula::of_column("x"));
      if (!square.product()) {
        EXPECT_EQ(centre_of_square(x, term(square), kInputs), centre) << square.text();
      }
      const Formula of_odd = next(Formula::of_column("a (b"));
      if (!of_odd.product()) {
        EXPECT_EQ(centre_of_square(odd, term(of_odd, 1), kInputs), centre) << of_odd.text();
      }
    }
  EXPECT_FALSE(centre_of_square(x, term(Formula::parse("abs(x)*abs(x)^2")), kInputs));
  EXPECT_FALSE(centre_of_square(x, term(Formula::parse("abs(x^3)^2")), kInputs));
  EXPECT_EQ(centre_of_square(term(Formula::parse("abs(x)")), term(Formula::parse("abs(x)^2")), kInputs), 0.0);
}

}  // namespace
}  // namespace plumb::square_test
