#include "plumb/workflow/evaluating.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "plumb/base/options.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/evaluate/predicted_classes.h"
#include "plumb/feature/levels.h"
#include "plumb/report/class_figure.h"
#include "plumb/report/fit_rows.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

class Evaluating {
 public:
  Evaluating(const SavedModel& saved, const LinearModel& model, Source& source, const EvaluateOptions& options,
             const Run& run)
      : saved_(saved), model_(model), source_(source), options_(options), run_(run), mistakes_(options.mistakes.most) {
    if (!options.dry_run && find_number(saved.record, kLogLossBefore) != nullptr)
      uncalibrated_ = model.calibrated(Calibration());
  }

  EvaluateReport report(Messages& messages, Figure* figure) {
    std::vector<Gate> gates;
    for (const std::string& text : options_.fail_under) gates.push_back(read_gate(text, metrics_of(labels())));
    EvaluateReport report;
    report.model = saved_.record.model;
    report.target = options_.target.empty() ? saved_.record.target : options_.target;
    report.resamples = options_.resamples;
    report.seed = options_.seed;
    report.dry_run = options_.dry_run;
    TableLayout layout = select(report.target, messages);
    FeatureMap::Unseen unseen;
    Predicted rows;
    PredictedClasses classes(model_);
    RowDiagnostics drawn;
    if (labels()) {
      classes = predicted_classes(layout, unseen, report.rows);
    } else {
      rows = predicted(layout, unseen, report.rows, figure != nullptr ? &drawn : nullptr);
    }
    report.warnings = warnings_about(source_.skipped());
    if (unseen.values > 0) report.warnings.push_back(unseen.text());
    report.unseen = unseen.values;
    if (rows.rows() == 0 && classes.rows() == 0)
      throw Error(ErrorCode::data, {source_.name()},
                  report.rows == 0 ? "there are no rows; at least one was expected"
                                   : "every row has weight 0, so there is nothing to score");
    if (!saved_.record.data_digest.empty() && saved_.record.data_digest == source_.digest())
      report.warnings.push_back(
          "the model was trained on these data, which inflates its score; evaluate it on rows it has not seen");
    if (!options_.dry_run && labels()) {
      judge_classes(report, classes);
      if (figure != nullptr) *figure = class_figure(*report.classes, classes, report.model + " of " + report.target);
    } else if (!options_.dry_run) {
      judge_rows(report, rows);
      if (figure != nullptr) *figure = prediction_figure(saved_, report.target, drawn, run_);
    }
    if (!options_.dry_run)
      for (const Gate& gate : gates) report.gates.push_back(judge(gate, report.metrics));
    report.lists_mistakes = options_.mistakes.given() && !options_.dry_run;
    if (report.lists_mistakes) {
      report.mistakes = mistakes_.sorted();
      report.all_mistakes = mistakes_.count();
    }
    for (const std::string& note : source_.notes()) messages.note(source_.name() + ": " + note);
    return report;
  }

 private:
  bool labels() const { return !model_.predicts_numbers(); }

  // Rows with a missing value are left out if they were in training. The weight column of the training applies here
  // too.
  TableLayout select(const std::string& target, Messages& messages) {
    if (!options_.target.empty()) column_named(source_, "target", target);
    std::string weight = options_.weight;
    if (!weight.empty()) column_named(source_, "weight", weight);
    if (const std::string* trained = find_option(saved_.record, "weight"); trained != nullptr && weight.empty()) {
      const bool there = std::any_of(source_.columns().begin(), source_.columns().end(),
                                     [&](const ColumnInfo& column) { return column.name == *trained; });
      if (there) weight = *trained;
      messages.note(there ? "row weights come from column " + in_quotes(*trained) + ", as in training"
                          : "column " + in_quotes(*trained) +
                                ", which held the row weights in training, is missing: every row has weight 1");
    }
    const std::string* missing = find_option(saved_.record, "missing");
    const auto rule = [missing](const char* text) { return missing != nullptr && *missing == text; };
    return model_.parts().map.select_from(
        source_, {target, model_.parts().labels, weight, rule("drop-row") ? IfMissing::drop_row : IfMissing::error,
                  rule("error") ? IfMissing::error : IfMissing::drop_row});
  }

  // Calls work(block, predictor, row, its number) for every row of the piece; blocks run in parallel.
  template <class Work>
  void by_blocks(const LinearModel& model, const Piece& piece, const Work& work) const {
    run_.executor.for_each((piece.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
      Predictor predictor(model);
      PieceRows rows(piece);
      for (std::uint64_t r = block * kBlockRows; r < std::min<std::uint64_t>(piece.rows, (block + 1) * kBlockRows); ++r)
        work(block, predictor, rows.row(r), r);
    });
  }

  Predicted predicted(const TableLayout& layout, FeatureMap::Unseen& unseen, std::uint64_t& count,
                      RowDiagnostics* drawn) {
    Predicted all;
    all.counts = model_.parts().link == Link::log;
    Table table;
    std::vector<double> predictions;
    while (source_.next(table, run_)) {
      const Piece piece = model_.parts().map.apply(table, layout, unseen);
      count += piece.rows;
      predictions.resize(piece.rows);
      by_blocks(model_, piece, [&](std::size_t, Predictor& predictor, const Row& x, std::uint64_t r) {
        predictions[r] = predictor.predict(x).value;
      });
      for (std::uint64_t r = 0; r < piece.rows; ++r) {
        if (!std::isfinite(predictions[r] - piece.targets[r]))
          throw table.row_error(r, "the prediction, or its error, is too large for a number",
                                "the row is far outside of what the model was trained on");
        const double weight = piece.weights.empty() ? 1.0 : piece.weights[r];
        all.add(predictions[r], piece.targets[r], weight);
        if (options_.mistakes.given() && weight > 0.0 && predictions[r] != piece.targets[r])
          mistakes_.add(
              {table.first_row + r + 1, piece.targets[r], predictions[r], std::abs(predictions[r] - piece.targets[r])});
        if (drawn != nullptr) add_row(*drawn, table.first_row + r, piece.targets[r], weight, predictions[r]);
      }
    }
    return all;
  }

  // A label that the model does not know is a class of its own, never predicted.
  PredictedClasses predicted_classes(TableLayout& layout, FeatureMap::Unseen& unseen, std::uint64_t& count) {
    layout.known_labels = layout.labels.size();
    PredictedClasses all(model_);
    if (uncalibrated_) before_ = PredictedClasses(*uncalibrated_);
    Table table;
    while (source_.next(table, run_)) {
      append_new_labels(layout.labels, *layout.known_labels, table.columns[*layout.target].levels);
      const Piece piece = model_.parts().map.apply(table, layout, unseen);
      count += piece.rows;
      const std::uint64_t before = all.rows();
      add_piece(model_, piece, all);
      if (uncalibrated_) add_piece(*uncalibrated_, piece, before_);
      if (options_.mistakes.given()) add_mistakes(all, before, table.first_row, piece);
    }
    all.labels = before_.labels = layout.labels;
    return all;
  }

  void add_piece(const LinearModel& model, const Piece& piece, PredictedClasses& all) const {
    std::vector<PredictedClasses> blocks((piece.rows + kBlockRows - 1) / kBlockRows, PredictedClasses(model));
    by_blocks(model, piece, [&](std::size_t block, Predictor& predictor, const Row& x, std::uint64_t r) {
      blocks[block].add(predictor, x, piece.targets[r], piece.weights.empty() ? 1.0 : piece.weights[r]);
    });
    for (PredictedClasses& block : blocks) all.append(std::move(block));
  }

  // Of the rows of a piece, which begin at this place among all that are predicted; those of weight 0 are not there.
  void add_mistakes(const PredictedClasses& all, std::uint64_t place, std::uint64_t first_row, const Piece& piece) {
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      if (!piece.weights.empty() && !(piece.weights[r] > 0.0)) continue;
      if (all.predicted[place] != all.actual[place])
        mistakes_.add({first_row + r + 1, static_cast<double>(all.actual[place]),
                       static_cast<double>(all.predicted[place]), all.probable ? all.confidence[place] : 0.0});
      ++place;
    }
  }

  // What the confusion matrix says of the threshold that was used.
  void add_threshold(EvaluateReport& report) const {
    const std::vector<std::string>& labels = model_.parts().labels;
    if (labels.size() != 2) return;
    report.positive_label = labels[1];
    if (model_.parts().link != Link::logistic) return;
    const ThresholdChoice& choice = options_.threshold;
    const ClassReport& classes = *report.classes;
    UsedThreshold used;
    used.value = model_.parts().threshold;
    used.chosen_by = !choice.given() ? (used.value == 0.5 ? "default" : "training")
                     : choice.max_f1 ? "max-f1"
                     : choice.costs  ? "cost"
                                     : "given";
    double rows = 0.0;
    for (const ConfusionCell& each : classes.confusion) rows += each.rows;
    used.false_positives = classes.confused(0, 1);
    used.false_negatives = classes.confused(1, 0);
    ThresholdChoice trained;  // that the threshold of the model was chosen by
    const std::string* const asked = find_option(saved_.record, "threshold");
    if (asked != nullptr) trained = OptionText<ThresholdChoice>::read(*asked);
    if (const auto& costs = choice.given() ? choice.costs : trained.costs)
      used.cost = (used.false_positives * costs->false_positive + used.false_negatives * costs->false_negative) / rows;
    report.threshold = used;
  }

  void judge_rows(EvaluateReport& report, const Predicted& rows) const {
    const double* const mean = find_number(saved_.record, "target_mean");
    const bool known = mean != nullptr && report.target == saved_.record.target;
    report.baseline_value = known ? *mean : mean_target(rows, run_);
    report.baseline_name =
        known ? "the mean of the training rows" : "the mean of these rows, because the model file has no training mean";
    report.metrics = regression_metrics(rows, run_, options_.resamples);
    report.baseline = constant_metrics(report.baseline_value, rows, run_);
  }

  // Compared with the model that knows only the class frequencies in training, if the record has them.
  void judge_classes(EvaluateReport& report, const PredictedClasses& rows) const {
    const std::vector<std::string>& labels = model_.parts().labels;
    const Statistic* const kept = find_statistic(saved_.record, "class_weights");
    const auto* const trained = kept == nullptr ? nullptr : std::get_if<std::vector<double>>(&kept->values);
    const bool known = trained != nullptr && trained->size() == labels.size() && report.target == saved_.record.target;
    std::vector<double> weights(labels.size());
    for (std::uint64_t i = 0; !known && i < rows.rows(); ++i)
      if (rows.actual[i] < labels.size()) weights[rows.actual[i]] += rows.weight[i];
    ShareBaseline baseline = share_baseline(known ? *trained : weights, rows);
    report.baseline = std::move(baseline.metrics);
    report.baseline_label = labels[baseline.label];
    report.baseline_name = known ? "the most common training label"
                                 : "the most common label of these rows, because the model file has no training labels";
    report.classes = class_metrics(rows, run_, options_.resamples);
    report.metrics = report.classes->metrics;
    for (const std::string& note : report.classes->notes) report.warnings.push_back(note);
    if (uncalibrated_) report.uncalibrated = class_metrics(before_, run_, 0);
    add_threshold(report);
    report.probable = rows.probable;
    report.labels = rows.labels;
  }

  const SavedModel& saved_;
  const LinearModel& model_;
  Source& source_;
  const EvaluateOptions& options_;
  const Run& run_;
  WorstMistakes mistakes_;
  std::optional<LinearModel> uncalibrated_;  // of a calibrated model that had probabilities before
  PredictedClasses before_;                  // the rows, as it predicts them
};

}  // namespace

OptionTable EvaluateOptions::table() {
  using O = EvaluateOptions;
  return {option("target", &O::target, "the column with the true values")
              .value("COL")
              .short_as('t')
              .otherwise("as in training"),
          option("weight", &O::weight, "a column of row weights: weight 2 counts as two copies of the row")
              .value("COL")
              .otherwise("as in training, if present"),
          option("fail-under", &O::fail_under,
                 "exit code 1 unless r2, accuracy, auc, precision, recall or f1 is at least, or rmse, mae, error, "
                 "log_loss or brier at most, this bound")
              .value("METRIC=BOUND,..."),
          option("resamples", &O::resamples, "bootstrap resamples for intervals; 0 for none")
              .value("N")
              .in(between(0, 1'000'000)),
          option("mistakes", &O::mistakes,
                 "list the N worst errors with their row numbers, or write all of them to a CSV file")
              .value("N|FILE")
              .otherwise("none")
              .writes_file(),
          option("threshold", &O::threshold, kThresholdMeaning).value(kThresholdForm).otherwise("0.5"),
          option("seed", &O::seed, "seed of all random choices").value("N")};
}

EvaluateReport evaluate(const SavedModel& saved, Source& source, const EvaluateOptions& options, Messages& messages,
                        const Run& run, Figure* figure) {
  std::optional<LinearModel> decided;
  if (options.threshold.given()) decided = options.threshold.applied_to(saved);
  Run seeded = run;
  seeded.random = RandomKey{options.seed, 0};
  return Evaluating(saved, decided ? *decided : saved.model, source, options, seeded).report(messages, figure);
}

}  // namespace plumb
