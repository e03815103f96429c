#include "plumb/train/deal_folds.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/text.h"

namespace plumb {

std::vector<RowSet> deal_folds(const Problem& problem, std::size_t folds, const std::string& option, const Run& run) {
  const bool numbers = problem.labels.empty();
  std::vector<std::vector<std::uint64_t>> of_class(numbers ? 1 : problem.labels.size());
  for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
    problem.examples.block(b).for_each([&](const Example& e) {
      if (e.weight > 0.0) of_class[numbers ? 0 : static_cast<std::size_t>(e.target)].push_back(e.number);
    });
  for (std::size_t k = 0; k < of_class.size(); ++k) {
    if (of_class[k].size() < 2)
      throw Error(
          ErrorCode::data,
          option + " auto cross-validates " +
              (numbers ? "the rows, and there is " : "every class, and " + in_quotes(problem.labels[k]) + " has ") +
              counted(of_class[k].size(), "row") + "; at least two were expected",
          option + " 1");
    folds = std::min(folds, of_class[k].size());
  }
  std::vector<RowSet> held(folds, RowSet(problem.examples.rows()));
  std::size_t turn = 0;
  for (std::size_t k = 0; k < of_class.size(); ++k)
    for (const std::uint64_t at : run.random.with_stream(Stream::split, 2 + k).shuffled(of_class[k].size()))
      held[turn++ % folds].add(of_class[k][at]);
  return held;
}

}  // namespace plumb
