#include "plumb/workflow/merging.h"

#include <string>
#include <utility>

#include "plumb/base/text.h"
#include "plumb/feature/levels.h"
#include "plumb/select/classes.h"
#include "plumb/train/naive_bayes_merge.h"
#include "plumb/workflow/further_training.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

constexpr const char* kOnlyItsRows = "give rows that it was trained on";

// For a given vocabulary, other terms were never counted. Rows of weight 0 were ignored, and which of the rows contain
// the unknown terms is not known: then there is no error.
void expect_known_terms(const SavedModel& saved, const FeatureMap::Unseen& unseen, const Examples& rows,
                        const Source& source) {
  if (unseen.unknown_terms == 0 || find_option(saved.record, "vocabulary") != nullptr) return;
  for (std::size_t b = 0; b < rows.blocks(); ++b) {
    bool weightless = false;
    rows.block(b).for_each([&](const Example& example) { weightless = weightless || example.weight == 0.0; });
    if (weightless) return;
  }
  throw Error(ErrorCode::data, {source.name()},
              counted(unseen.unknown_terms, "word") + " of the texts " + (unseen.unknown_terms == 1 ? "is" : "are") +
                  " in none of the training rows of the model",
              kOnlyItsRows);
}

}  // namespace

Trained merge(std::span<const SavedModel> models) {
  if (models.size() < 2)
    throw Error(ErrorCode::usage, "merging needs two models or more; there is " + counted(models.size(), "model"));
  Trained fit = merge_models(models[0], models[1]);
  for (const SavedModel& model : models.subspan(2)) fit = merge_models({fit.model, fit.record}, model);
  return fit;
}

Trained forget(const SavedModel& saved, Source& source, Messages& messages, const Run& run) {
  const FeatureMap& map = saved.model.parts().map;
  const std::string* const weight = find_option(saved.record, "weight");
  TableLayout layout =
      map.select_from(source, {saved.record.target, saved.model.parts().labels, weight == nullptr ? "" : *weight});
  FeatureMap::Unseen unseen;
  Tables tables = read_all(source, run);
  const Classes classes = classes_of(tables, *layout.target, layout.weight, layout.labels);
  expect_known_labels(saved, classes, classes.counted, source.name(), kOnlyItsRows);
  layout.known_labels = layout.labels.size();
  append_new_labels(layout.labels, *layout.known_labels, classes.labels);  // those of rows of weight 0
  const Examples rows = map.apply(std::move(tables), layout, unseen, run);
  for (const std::string& note : source.notes()) messages.note(source.name() + ": " + note);
  for (const std::string& warning : warnings_about(source.skipped())) messages.warn(warning);
  if (unseen.values > 0)
    throw Error(ErrorCode::data, {source.name()},
                in_quotes(unseen.first) + " is in none of the training rows of the model", kOnlyItsRows);
  Trained rest = forget_rows(saved, rows, run);
  expect_known_terms(saved, unseen, rows, source);
  return rest;
}

}  // namespace plumb
