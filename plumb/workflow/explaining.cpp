#include "plumb/workflow/explaining.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/mistakes.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/text_term.h"
#include "plumb/report/coefficient_figure.h"
#include "plumb/report/kept_path.h"
#include "plumb/report/model_rows.h"
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

// The probability of the label that is predicted for the row, where the model has probabilities.
std::optional<double> probability_of(const LinearModel& model, Predictor& predictor, const Row& x) {
  const Link link = model.parts().link;
  if (link != Link::logistic && link != Link::softmax) return {};
  const std::size_t label = predictor.predict(x).label;
  return predictor.probabilities()[label];
}

// The worst mistakes so far, each explained when it is met, because rows are read once.
class ExplainedMistakes {
 public:
  ExplainedMistakes(const LinearModel& model, std::uint64_t most) : model_(model), most_(most) {}

  template <class Explain>
  void see(std::uint64_t number, const RowPrediction& said, double target, std::optional<double> probability,
           const std::vector<std::string>& labels, const Explain& explain) {
    const bool numbers = model_.predicts_numbers();
    if (numbers ? said.value == target : said.label == static_cast<std::size_t>(target)) return;
    const Mistake mistake{number, target, 0.0, numbers ? std::abs(said.value - target) : probability.value_or(0.0)};
    if (kept_.size() == most_ && !worse(mistake, kept_.back().first)) return;
    if (kept_.size() == most_) kept_.pop_back();
    const auto place = std::upper_bound(kept_.begin(), kept_.end(), mistake,
                                        [](const Mistake& a, const auto& b) { return worse(a, b.first); });
    ExplainedRow row = explain();
    row.actual = numbers ? number_text(target) : labels[static_cast<std::size_t>(target)];
    kept_.insert(place, {mistake, std::move(row)});
  }

  std::vector<ExplainedRow> take() {
    std::vector<ExplainedRow> rows;
    for (auto& [mistake, row] : kept_) rows.push_back(std::move(row));
    return rows;
  }

 private:
  const LinearModel& model_;
  std::uint64_t most_;
  std::vector<std::pair<Mistake, ExplainedRow>> kept_;
};

}  // namespace

TopChoice OptionText<TopChoice>::read(std::string_view text) {
  TopChoice choice{true, 0};
  if (text == "all") return choice;
  if (!parse_integer(text, choice.most) || choice.most == 0) throw OptionFault{"a number of at least 1, or all,"};
  return choice;
}

std::string OptionText<TopChoice>::text(const TopChoice& choice) {
  return choice.most == 0 ? "all" : std::to_string(choice.most);
}

std::optional<Figure> weights_figure(const SavedModel& saved, const TopChoice& top) {
  const std::uint64_t most = top.given ? top.most : shown_by_default(saved.model);
  if (std::optional<Figure> path = path_figure(saved.model, saved.record, top.given ? most : kMostShown)) return path;
  return coefficient_figure(saved.model, saved.record, most);
}

InspectReport inspect_report(const SavedModel& saved, const std::string& file, const TopChoice& top, bool json) {
  return {saved, file, top.given ? top.most : json ? 0 : shown_by_default(saved.model), top.given && top.most == 0};
}

RowNumbers OptionText<RowNumbers>::read(std::string_view text) {
  RowNumbers rows;
  for (const std::string& item : split_list(text)) {
    std::uint64_t number = 0;
    if (!parse_integer(item, number) || number == 0) throw OptionFault{"numbers of rows from 1, such as 340,512"};
    rows.numbers.push_back(number);
  }
  std::sort(rows.numbers.begin(), rows.numbers.end());
  rows.numbers.erase(std::unique(rows.numbers.begin(), rows.numbers.end()), rows.numbers.end());
  return rows;
}

std::string OptionText<RowNumbers>::text(const RowNumbers& rows) {
  std::string text;
  for (const std::uint64_t number : rows.numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

OptionTable ExplainOptions::table() {
  using O = ExplainOptions;
  return {option("rows", &O::rows, "explain the first N rows; 0 for all").value("N"),
          option("row", &O::row, "explain these rows, counted from 1").value("N,...").otherwise("none"),
          option("mistakes", &O::mistakes, "explain the N worst mistakes; the data need the target column")
              .value("N")
              .in(at_least(1))
              .otherwise("none"),
          option("top", &O::top, "show the N largest contributions").value("N").in(at_least(1)).otherwise("all")};
}

ExplainReport explain(std::shared_ptr<const SavedModel> saved, Source& source, const ExplainOptions& options,
                      Messages& messages, const Run& run) {
  ExplainReport report{std::move(saved), {}, options.top, false};
  const LinearModel& model = report.saved->model;
  const std::vector<std::uint64_t>& wanted = options.row.numbers;
  if (!wanted.empty() && options.mistakes > 0)
    throw Error(ErrorCode::usage, "--row and --mistakes cannot be combined", "leave out --row");
  Roles roles{.keep_texts = true};
  if (options.mistakes > 0) roles.target = report.saved->record.target;
  if (options.mistakes > 0) roles.labels = model.parts().labels;
  TableLayout layout = model.parts().map.select_from(source, roles);
  if (options.mistakes > 0) layout.known_labels = layout.labels.size();
  FeatureMap::Unseen unseen;
  Predictor predictor(model);
  ExplainedMistakes mistakes(model, options.mistakes);
  Table table;
  std::uint64_t row = 0;
  std::size_t next = 0;  // of the rows that are wanted
  const auto finished = [&] { return report.more_rows || (!wanted.empty() && next == wanted.size()); };
  while (!finished() && source.next(table, run)) {
    if (options.mistakes > 0 && !model.predicts_numbers())
      append_new_labels(layout.labels, *layout.known_labels, table.columns[*layout.target].levels);
    const Piece piece = model.parts().map.apply(table, layout, unseen);
    PieceRows rows(piece);
    for (std::uint64_t r = 0; r < piece.rows && !finished(); ++r) {
      const Row x = rows.row(r);
      ++row;
      const auto why = [&] {
        ExplainedRow found = explained(model, row, table, layout, r, x);
        found.probability = probability_of(model, predictor, x);
        return found;
      };
      if (options.mistakes > 0) {
        const RowPrediction said = predictor.predict(x);
        mistakes.see(row, said, piece.targets[r], probability_of(model, predictor, x), layout.labels, why);
      } else if (!wanted.empty()) {
        if (row != wanted[next]) continue;
        report.rows.push_back(why());
        ++next;
      } else if (options.rows != 0 && row > options.rows) {
        report.more_rows = true;
      } else {
        report.rows.push_back(why());
      }
    }
  }
  if (options.mistakes > 0) {
    report.rows = mistakes.take();
    report.searched = row;
  }
  if (next < wanted.size())
    throw Error(ErrorCode::usage, {source.name()},
                "--row names row " + count_text(wanted[next]) + ", but there are " + counted(row, "row"),
                "--row " + std::to_string(std::max<std::uint64_t>(row, 1)));
  for (const std::string& warning : warnings_about(source.skipped())) messages.warn(warning);
  if (unseen.values > 0) messages.warn(unseen.text());
  return report;
}

}  // namespace plumb
