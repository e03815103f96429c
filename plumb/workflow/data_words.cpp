#include "plumb/workflow/data_words.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/select/data_checks.h"

namespace plumb {
namespace {

void warn_of(const std::vector<std::string>& labels, const std::vector<double>& weights,
             std::vector<std::string>& warnings) {
  if (std::string text = imbalance_text(labels, weights); !text.empty()) warnings.push_back(std::move(text));
}

}  // namespace

void say_copies(std::uint64_t copies, std::uint64_t rows, const std::string& of, const std::string& like,
                std::vector<std::string>& warnings, Messages& say) {
  if (copies == 0) return;
  std::string text = copies_text(copies, rows, of, like);
  if (many_copies(copies, rows)) {
    warnings.push_back(std::move(text));
  } else {
    say.note(text);
  }
}

void warn_of_imbalance(const Examples& rows, const std::vector<std::string>& labels, const Run& run,
                       std::vector<std::string>& warnings) {
  warn_of(labels, class_weights(rows, labels.size(), run), warnings);
}

void warn_of_imbalance(const Experiment& experiment, std::vector<std::string>& warnings) {
  if (!experiment.labels()) return;
  const Classes& classes = experiment.classes();
  std::vector<double> counts(classes.labels.size() + 1);
  for (std::uint64_t row = 0; row < classes.of_row.size(); ++row)
    if (experiment.rows().has(row)) ++counts[classes.of_row[row]];
  std::vector<std::string> labels;
  std::vector<double> weights;
  for (std::size_t k = 0; k < classes.labels.size(); ++k)
    if (counts[k] > 0) {
      labels.push_back(classes.labels[k]);
      weights.push_back(counts[k]);
    }
  warn_of(labels, weights, warnings);
}

void say_group_rows(const SplitOptions& split, const std::string& option, const TestChoice& choice, std::uint64_t all,
                    std::uint64_t held_out, Messages& say) {
  if (split.group.empty() || choice.what == TestChoice::What::none || choice.what == TestChoice::What::file) return;
  const std::uint64_t asked = held_out_count(all, choice, option);
  if (asked != held_out)
    say.note("--" + option + " asks for " + counted(asked, "row") + ", and whole " + split.group + " hold out " +
             count_text(held_out));
}

void expect_two_rows(const Source& source, std::uint64_t rows) {
  if (rows >= 2) return;
  throw Error(ErrorCode::data, {source.name()},
              "there " + std::string(rows == 1 ? "is 1 row" : "are no rows") + "; at least 2 were expected");
}

void refuse_folds_beside(const std::string& fold, const std::vector<std::string>& given) {
  if (!fold.empty() && std::find(given.begin(), given.end(), "folds") != given.end())
    throw Error(ErrorCode::usage, "--fold and --folds are given; the column says which folds there are",
                "leave out --folds");
}

}  // namespace plumb
