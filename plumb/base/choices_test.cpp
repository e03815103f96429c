#include "plumb/base/choices.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumb::choices_test {
namespace {

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

TEST(ChoicesTest, AnUnknownNameIsShownWithTheChoicesAndTheNearest) {
  const Error error = unknown_choice("shell", "bahs", shells);
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.message(), "there is no shell \"bahs\"; one of bash, zsh, fish was expected");
  EXPECT_EQ(error.hint(), "did you mean \"bash\"?");
}

TEST(ChoicesTest, TheHintIsWhatCanBeTyped) {
  EXPECT_EQ(unknown_choice("shell", "fihs", shells, "--shell ").hint(), "did you mean --shell fish?");
}

TEST(ChoicesTest, WhereNothingIsNearTheHintIsAChoiceThatWorks) {
  EXPECT_EQ(unknown_choice("shell", "powershell", shells, "--shell ").hint(), "--shell bash");
  EXPECT_EQ(unknown_choice("shell", "powershell", shells).hint(), "\"bash\"");
  EXPECT_EQ(unknown_choice("shell", "powershell", shells, "--shell ", "plumb help").hint(), "plumb help");
  EXPECT_EQ(unknown_choice("shell", "bahs", shells, "--shell ", "plumb help").hint(), "did you mean --shell bash?");
  EXPECT_EQ(unknown_choice("shell", "bash", {}).hint(), "");
}

TEST(ChoicesTest, OneChoiceIsNoChoice) {
  EXPECT_EQ(one_of(std::vector<std::string>{"bash"}), "bash");
  EXPECT_EQ(unknown_choice("shell", "x", std::vector<std::string>{"bash"}).message(),
            "there is no shell \"x\"; bash was expected");
}

}  // namespace
}  // namespace plumb::choices_test
