#include "plumb/select/folds.h"

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

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

std::vector<std::uint32_t> assign_folds(std::uint64_t n, std::uint64_t folds, RandomKey key) {
  if (folds > n)
    throw Error(ErrorCode::data,
                "--folds asks for " + counted(folds, "fold") + " of " + counted(n, "row") +
                    "; at most one for each row was expected",
                n < 2 ? "" : "--folds loo");
  const std::vector<std::uint64_t> order = key.with_stream(Stream::split, 1).shuffled(n);
  std::vector<std::uint32_t> fold(n);
  for (std::uint64_t i = 0; i < n; ++i) fold[order[i]] = static_cast<std::uint32_t>(i % folds);
  return fold;
}

}  // namespace plumb
