#include "plumb/workflow/explaining.h"

#include <utility>
#include <variant>

#include "plumb/base/options.h"
#include "plumb/feature/text_term.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

ExplainedRow explained(const LinearModel& model, std::uint64_t number, const Table& table, const TableLayout& layout,
                       std::uint64_t row, const Row& x) {
  try {
    ExplainedRow found{number, explain(model, x)};
    const FeatureMap::Parts& map = model.parts().map.parts();
    for (std::size_t t = 0; t < map.terms.size(); ++t)
      if (const TextTerm* const text = std::get_if<TextTerm>(&map.terms[t]))
        found.texts.push_back(
            mark_text(model, found.explanation, t, table.columns[layout.inputs[text->input]].documents[row]));
    return found;
  } catch (const Error& error) {
    throw table.row_error(row, error.message(), error.hint());
  }
}

}  // namespace

OptionTable ExplainOptions::table() {
  using O = ExplainOptions;
  return {option("rows", &O::rows, "explain the first N rows; 0 for all").value("N"),
          option("top", &O::top, "show the N largest contributions").value("N").in(at_least(1)).otherwise("all")};
}

ExplainReport explain(std::shared_ptr<const SavedModel> saved, Source& source, const ExplainOptions& options,
                      Messages& messages, const Run& run) {
  ExplainReport report{std::move(saved), {}, options.top, false};
  const LinearModel& model = report.saved->model;
  const TableLayout layout = model.parts().map.select_from(source, {.keep_texts = true});
  FeatureMap::Unseen unseen;
  Table table;
  std::uint64_t row = 0;
  while (!report.more_rows && source.next(table, run)) {
    const Piece piece = model.parts().map.apply(table, layout, unseen);
    PieceRows rows(piece);
    for (std::uint64_t r = 0; r < piece.rows && !report.more_rows; ++r) {
      report.more_rows = options.rows != 0 && row == options.rows;
      if (!report.more_rows) report.rows.push_back(explained(model, ++row, table, layout, r, rows.row(r)));
    }
  }
  for (const std::string& warning : warnings_about(source.skipped())) messages.warn(warning);
  if (unseen.values > 0) messages.warn(unseen.text());
  return report;
}

}  // namespace plumb
