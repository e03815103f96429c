// plumb evaluate: how good a model is on these rows, with intervals, beside the model that knows nothing. Pieces are
// predicted as they are read; of each row three numbers are kept.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/command.h"
#include "cli/plot.h"

namespace plumb::cli {
namespace {

struct EvaluateOptions {
  std::string target;
  std::string weight;
  std::vector<std::string> fail_under;
  std::uint64_t resamples = kResamples;
  std::uint64_t seed = 42;
  ThresholdChoice threshold;

  static OptionTable table() {
    using O = EvaluateOptions;
    return {
        option("target", &O::target, "the column that holds what should have been predicted")
            .value("COL")
            .short_as('t')
            .otherwise("that of the training"),
        option("weight", &O::weight, "a column of row weights: weight 2 counts as two copies of the row")
            .value("COL")
            .otherwise("that of the training, if it is there"),
        option(
            "fail-under", &O::fail_under,
            "exit code 1 unless r2, accuracy, auc, precision, recall or f1 is at least, or rmse, mae, error, log_loss "
            "or brier at most, this")
            .value("METRIC=BOUND,..."),
        option("resamples", &O::resamples, "of the bootstrap that gives the intervals; 0 for no intervals")
            .value("N")
            .in(between(0, 1'000'000)),
        option("threshold", &O::threshold, kThresholdMeaning).value(kThresholdForm).otherwise("0.5"),
        option("seed", &O::seed, "of every random draw").value("N")};
  }
};

const std::string* recorded(const Record& record, std::string_view name) {
  for (const auto& [option, value] : record.options)
    if (option == name) return &value;
  return nullptr;
}

class Evaluate final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Evaluation", options_), options_of("Plot", plot_),
            options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("evaluate"), operands, 2, kAnyNumber);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
    source_ = open_for(saved_->model, {operands.begin() + 1, operands.end()}, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    const LinearModel& model = saved_->model;
    const bool labels = !model.predicts_numbers();
    check_plot(plot_);
    if (options_.threshold.given()) saved_->model = options_.threshold.applied_to(*saved_);
    std::vector<Gate> gates;
    for (const std::string& text : options_.fail_under)
      gates.push_back(read_gate(text, labels ? std::span<const MetricEntry>(kClassMetrics) : kRegressionMetrics));
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};

    EvaluateReport report;
    report.model_file = operands.front();
    report.model = saved_->record.model;
    report.target = options_.target.empty() ? saved_->record.target : options_.target;
    report.resamples = options_.resamples;
    report.seed = options_.seed;
    report.dry_run = common.dry_run;
    TableLayout layout = select(report.target, terminal);
    FeatureMap::Unseen unseen;
    Predicted rows;
    PredictedClasses classes(model);
    if (labels) {
      classes = predicted_classes(layout, unseen, report.rows, run);
    } else {
      rows = predicted(layout, unseen, report.rows, run);
    }
    report.warnings = warnings_about(source_->skipped());
    if (unseen.values > 0) report.warnings.push_back(unseen.text());
    report.unseen = unseen.values;
    if (rows.rows() == 0 && classes.rows() == 0)
      throw Error(ErrorCode::data, {source_->name()},
                  report.rows == 0 ? "there are no rows; at least one was expected"
                                   : "every row has weight 0, so there is nothing to judge by");
    if (!saved_->record.data_digest.empty() && saved_->record.data_digest == source_->digest())
      report.warnings.push_back(
          "the model was made from these data: rows that it was trained on flatter it; give it rows it has not seen");
    if (!common.dry_run) {
      if (labels) {
        judge_classes(report, classes, run);
      } else {
        judge_rows(report, rows, run);
      }
      for (const Gate& gate : gates) report.gates.push_back(judge(gate, report.metrics));
    }
    if (!common.dry_run && plot_.wanted() && labels)
      terminal.note(save_plot(plot_, class_figure(*report.classes, classes, report.model + " of " + report.target)));
    if (!common.dry_run && plot_.wanted() && !labels)
      terminal.note(save_plot(plot_, prediction_figure(*saved_, report.target, drawn_, run)));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return report.met() ? 0 : 1;
  }

 private:
  // Rows with a missing value are left out if they were in training. The weight of the training counts here too.
  TableLayout select(const std::string& target, Terminal& terminal) {
    if (!options_.target.empty()) column_named(*source_, "target", target);
    std::string weight = options_.weight;
    if (!weight.empty()) column_named(*source_, "weight", weight);
    if (const std::string* trained = recorded(saved_->record, "weight"); trained != nullptr && weight.empty()) {
      const bool there = std::any_of(source_->columns().begin(), source_->columns().end(),
                                     [&](const ColumnInfo& column) { return column.name == *trained; });
      if (there) weight = *trained;
      terminal.note(there ? "weights are those of column " + in_quotes(*trained) + ", as in training"
                          : "column " + in_quotes(*trained) + ", the weights in training, is not there: rows count 1");
    }
    const std::string* missing = recorded(saved_->record, "missing");
    const IfMissing rule = missing != nullptr && *missing == "drop-row" ? IfMissing::drop_row : IfMissing::error;
    return saved_->model.parts().map.select_from(*source_, {target, saved_->model.parts().labels, weight, rule});
  }

  Predicted predicted(const TableLayout& layout, FeatureMap::Unseen& unseen, std::uint64_t& count, const Run& run) {
    Predicted all;
    all.counts = saved_->model.parts().link == Link::log;
    Table table;
    std::vector<double> predictions;
    while (source_->next(table, run)) {
      const Piece piece = saved_->model.parts().map.apply(table, layout, unseen);
      count += piece.rows;
      predictions.resize(piece.rows);
      run.executor.for_each((piece.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
        Predictor predictor(saved_->model);
        PieceRows rows(piece);
        for (std::uint64_t r = block * kBlockRows; r < std::min(piece.rows, (block + 1) * kBlockRows); ++r)
          predictions[r] = predictor.predict(rows.row(r)).value;
      });
      for (std::uint64_t r = 0; r < piece.rows; ++r) {
        if (!std::isfinite(predictions[r] - piece.targets[r]))
          throw table.row_error(r, "the prediction, or its error, is too large for a number",
                                "the row is far outside of what the model was trained on");
        const double weight = piece.weights.empty() ? 1.0 : piece.weights[r];
        all.add(predictions[r], piece.targets[r], weight);
        if (plot_.wanted()) add_row(drawn_, table.first_row + r, piece.targets[r], weight, predictions[r]);
      }
    }
    return all;
  }

  // A label that the model does not know is one of its own, never predicted.
  PredictedClasses predicted_classes(TableLayout& layout, FeatureMap::Unseen& unseen, std::uint64_t& count,
                                     const Run& run) {
    layout.known_labels = layout.labels.size();
    PredictedClasses all(saved_->model);
    Table table;
    while (source_->next(table, run)) {
      append_new_labels(layout.labels, *layout.known_labels, table.columns[*layout.target].levels);
      const Piece piece = saved_->model.parts().map.apply(table, layout, unseen);
      count += piece.rows;
      std::vector<PredictedClasses> blocks((piece.rows + kBlockRows - 1) / kBlockRows, PredictedClasses(saved_->model));
      run.executor.for_each(blocks.size(), [&](std::size_t block) {
        Predictor predictor(saved_->model);
        PieceRows rows(piece);
        for (std::uint64_t r = block * kBlockRows; r < std::min(piece.rows, (block + 1) * kBlockRows); ++r)
          blocks[block].add(predictor, rows.row(r), piece.targets[r], piece.weights.empty() ? 1.0 : piece.weights[r]);
      });
      for (PredictedClasses& block : blocks) all.append(std::move(block));
    }
    all.labels = layout.labels;
    return all;
  }

  void judge_rows(EvaluateReport& report, const Predicted& rows, const Run& run) const {
    const auto& fit = saved_->record.fit;
    const auto mean =
        std::find_if(fit.begin(), fit.end(), [](const auto& each) { return each.first == "target_mean"; });
    const bool known = mean != fit.end() && report.target == saved_->record.target;
    report.baseline_value = known ? mean->second : mean_target(rows, run);
    report.baseline_name = known ? "the mean of the training rows"
                                 : "the mean of these rows, as the model does not know that of its training";
    report.metrics = regression_metrics(rows, run, options_.resamples);
    report.baseline = constant_metrics(report.baseline_value, rows, run);
  }

  // Against the model that knows only the share of each class in training, if the record has that.
  void judge_classes(EvaluateReport& report, const PredictedClasses& rows, const Run& run) const {
    const std::vector<std::string>& labels = saved_->model.parts().labels;
    const Statistic* const kept = find_statistic(saved_->record, "class_weights");
    const auto* const trained = kept == nullptr ? nullptr : std::get_if<std::vector<double>>(&kept->values);
    const bool known = trained != nullptr && trained->size() == labels.size() && report.target == saved_->record.target;
    std::vector<double> weights(labels.size());
    for (std::uint64_t i = 0; !known && i < rows.rows(); ++i)
      if (rows.actual[i] < labels.size()) weights[rows.actual[i]] += rows.weight[i];
    ShareBaseline baseline = share_baseline(known ? *trained : weights, rows);
    report.baseline = std::move(baseline.metrics);
    report.baseline_label = labels[baseline.label];
    report.baseline_name = known ? "the commonest label in training"
                                 : "the commonest of these rows, as the model does not know that of its training";
    report.classes = class_metrics(rows, run, options_.resamples);
    report.metrics = report.classes->metrics;
    for (const std::string& note : report.classes->notes) report.warnings.push_back(note);
  }

  ReadOptions read_;
  EvaluateOptions options_;
  PlotOptions plot_;
  RunOptions run_;
  RowDiagnostics drawn_;  // for --plot
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace plumb::cli
