#include "plumb/select/split_options.h"

#include "plumb/base/error.h"
#include "plumb/base/number.h"

namespace plumb {

FoldChoice::FoldChoice(int count) : what(What::number), folds(static_cast<std::uint64_t>(count)) {
  if (count < 2)
    throw Error(ErrorCode::usage, "there are to be " + std::to_string(count) + " folds; at least 2 were expected");
}

FoldChoice OptionText<FoldChoice>::read(std::string_view text) {
  if (text == "loo") return {FoldChoice::What::leave_one_out, 0};
  FoldChoice choice{FoldChoice::What::number, 0};
  if (!parse_integer(text, choice.folds) || choice.folds < 2 || choice.folds > 1'000'000)
    throw OptionFault{"a number of folds from 2 to 1000000, or loo"};
  return choice;
}

std::string OptionText<FoldChoice>::text(const FoldChoice& choice) {
  if (choice.what == FoldChoice::What::number) return std::to_string(choice.folds);
  return choice.what == FoldChoice::What::leave_one_out ? "loo" : "";
}

}  // namespace plumb
