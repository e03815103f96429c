// rows: E1
#include "plumb/select/folds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/base/error.h"

namespace plumb {
namespace {

FoldChoice read(std::string_view text) { return OptionText<FoldChoice>::read(text); }

TEST(Folds, OptionIsANumberOrLoo) {
  EXPECT_EQ(read("5").folds, 5u);
  EXPECT_EQ(read("loo").what, FoldChoice::What::leave_one_out);
  for (const char* bad : {"0", "1", "-3", "2.5", "all", ""}) EXPECT_THROW(read(bad), OptionFault) << bad;
  for (const char* text : {"5", "loo"}) EXPECT_EQ(OptionText<FoldChoice>::text(read(text)), text);
}

TEST(Folds, SizesDifferByAtMostOne) {
  for (const std::uint64_t n : {10u, 11u, 97u}) {
    const auto fold = assign_folds(n, 10, {42, 0});
    std::vector<std::uint64_t> sizes(10);
    for (const std::uint32_t f : fold) ++sizes.at(f);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1u) << n;
  }
  EXPECT_THROW(assign_folds(4, 5, {42, 0}), Error);
}

TEST(Folds, DependOnTheSeedAlone) {
  EXPECT_EQ(assign_folds(100, 5, {1, 0}), assign_folds(100, 5, {1, 0}));
  EXPECT_NE(assign_folds(100, 5, {1, 0}), assign_folds(100, 5, {2, 0}));
}

}  // namespace
}  // namespace plumb
