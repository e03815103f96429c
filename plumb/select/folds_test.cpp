// rows: E1
#include "plumb/select/split_options.h"

#include <gtest/gtest.h>

namespace plumb::folds_test {
namespace {

FoldChoice read(std::string_view text) { return OptionText<FoldChoice>::read(text); }

TEST(Folds, OptionIsANumberOrLoo) {
  EXPECT_EQ(read("5").folds, 5u);
  EXPECT_EQ(read("loo").what, FoldChoice::What::leave_one_out);
  for (const char* bad : {"0", "1", "-3", "2.5", "all", ""}) EXPECT_THROW(read(bad), OptionFault) << bad;
  for (const char* text : {"5", "loo"}) EXPECT_EQ(OptionText<FoldChoice>::text(read(text)), text);
}

}  // namespace
}  // namespace plumb::folds_test
