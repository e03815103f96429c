// plumb predict: a model and data in, one row out for each row in. Pieces are predicted as they are read, so memory
// stays small.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {

enum class OutputFormat { csv, jsonl };

}  // namespace plumb::cli

template <>
struct plumb::EnumNames<plumb::cli::OutputFormat> {
  static constexpr std::string_view names[] = {"csv", "jsonl"};
};

namespace plumb::cli {
namespace {

using Labels = std::vector<std::string>;

struct PredictOptions {
  std::string output = "-";
  OutputFormat format = OutputFormat::csv;
  bool residuals = false;
  double interval = 0.0;
  bool proba = false;
  bool scores = false;
  bool odds = false;
  bool doubt = false;
  bool evidence = false;
  ThresholdChoice threshold;
  std::vector<std::string> keep;

  static OptionTable table() {
    using O = PredictOptions;
    return {
        option("output", &O::output, "where to write the predictions")
            .value("FILE")
            .writes_file()
            .short_as('o')
            .otherwise("standard output"),
        option("output-format", &O::format, "csv with a header, or one JSON object a line").value("FORMAT"),
        option("proba", &O::proba, "of classes: beside each prediction the probability of every label"),
        option("scores", &O::scores,
               "of classes: the score of each label, of two that of the second; where there are probabilities its "
               "log-odds, or their logarithms but for a constant"),
        option("odds", &O::odds, "of classes: the odds p / (1 - p) of every label, inf where p is 1"),
        option("doubt", &O::doubt,
               "of rows with labels: the probability that the model gives all other labels; rows to look at have much"),
        option("evidence", &O::evidence, "of naive-bayes: ln P(x), how likely the row is whatever its class"),
        option("threshold", &O::threshold, kThresholdMeaning).value(kThresholdForm).otherwise("0.5"),
        option("residuals", &O::residuals,
               "beside each prediction what is left: the row's target minus the prediction"),
        option(
            "interval", &O::interval,
            "beside each prediction where a new target lies with this probability (low, high), and where the mean of "
            "all such targets does (mean_low, mean_high)")
            .value("P")
            .in(between(0.0, 1.0))
            .otherwise("none"),
        option("keep", &O::keep, "columns of the data to copy beside the predictions, as they are written there")
            .value("COL,...")};
  }
};

// A source whose columns are also read as they are written, after those that the model asks for.
class KeptColumns final : public Source {
 public:
  KeptColumns(Source& source, const std::vector<std::string>& names) : source_(source) {
    std::vector<std::string> known;
    for (const ColumnInfo& column : source.columns()) known.push_back(column.name);
    for (const std::string& name : names) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) throw unknown_choice("column", name, known, "--keep ");
      kept_.push_back(static_cast<std::size_t>(found - known.begin()));
    }
  }

  const std::vector<ColumnInfo>& columns() const noexcept override { return source_.columns(); }
  const std::vector<std::string>& notes() const noexcept override { return source_.notes(); }
  const Skipped& skipped() const noexcept override { return source_.skipped(); }
  const std::vector<std::string>& na() const noexcept override { return source_.na(); }
  std::string_view form() const noexcept override { return source_.form(); }
  std::string digest() const override { return source_.digest(); }
  const std::string& name() const noexcept override { return source_.name(); }
  bool next(Table& piece, const Run& run) override { return source_.next(piece, run); }
  void select(std::vector<Selected> wanted) override {
    first_ = wanted.size();
    for (const std::size_t column : kept_) wanted.push_back({.column = column, .kind = Kind::category, .needed = true});
    source_.select(std::move(wanted));
  }

  std::size_t first() const noexcept { return first_; }  // place of the first of them in a table

 private:
  Source& source_;
  std::vector<std::size_t> kept_;
  std::size_t first_ = 0;
};

class Predict final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Output", options_), options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("predict"), operands, 2, kAnyNumber);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
    source_ = open_for(saved_->model, {operands.begin() + 1, operands.end()}, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    const LinearModel& model = saved_->model;
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    check_output({"output", options_.output}, common.json ? "predictions.csv" : "");
    if (options_.residuals && !model.predicts_numbers())
      throw Error(ErrorCode::usage, "--residuals needs a model that predicts a number; this one predicts a label");
    check_class_options();
    if (options_.evidence) tables_ = joint_tables();
    if (options_.threshold.given()) saved_->model = options_.threshold.applied_to(*saved_);
    const std::optional<IntervalPredictor> intervals = chosen_intervals(terminal);
    const bool targets = options_.residuals || options_.doubt;
    KeptColumns source(*source_, options_.keep);
    TableLayout layout = model.parts().map.select_from(
        source,
        {.target = targets ? saved_->record.target : "", .labels = options_.doubt ? model.parts().labels : Labels{}});
    if (options_.doubt) layout.known_labels = layout.labels.size();
    layout.low_parts = intervals && intervals->exact();
    first_kept_ = source.first();

    PredictReport report;
    report.model_file = operands.front();
    report.output = options_.output;
    report.dry_run = common.dry_run;
    report.ignored_columns = source_->columns().size() - layout.inputs.size() - (layout.target ? 1 : 0);
    report.ignored_columns -= std::min<std::uint64_t>(report.ignored_columns, options_.keep.size());
    std::unique_ptr<OutputFile> output;
    if (!common.dry_run) output = std::make_unique<OutputFile>(options_.output);
    const RemovedBySignal removed(output ? output->temporary() : "");
    if (output && options_.format == OutputFormat::csv)
      output->write(std::string("prediction") + (options_.residuals ? ",residual" : "") +
                    (intervals ? ",low,high,mean_low,mean_high" : "") + class_heading() +
                    (options_.doubt ? ",doubt" : "") + (options_.evidence ? ",evidence" : "") + kept_heading() + "\n");
    FeatureMap::Unseen unseen;
    const AliasRelations relations(saved_->record, model.features());
    std::uint64_t strangers = 0;
    std::uint32_t stranger = 0;
    Table table;
    while (source_->next(table, run)) {
      // A label that the model does not know has no probability: all doubt.
      if (options_.doubt) append_new_labels(layout.labels, *layout.known_labels, table.columns[*layout.target].levels);
      const Piece piece = model.parts().map.use_up(table, layout, unseen);
      report.rows += piece.rows;
      const std::string text = predictions(model, intervals, table, piece, executor);
      if (!relations.empty()) count_strangers(relations, piece, strangers, stranger);
      if (output) output->write(text);
    }
    if (output) output->commit();

    report.warnings = warnings_about(source_->skipped());
    report.unseen = unseen.values;
    if (unseen.values > 0) report.warnings.push_back(unseen.text());
    if (strangers > 0)
      report.warnings.push_back("in " + counted(strangers, "row") + " feature " +
                                in_quotes(model.parts().map.name(stranger)) +
                                " is not the sum of multiples of other features that it was in every training row, and "
                                "no weight was learnt for the difference: these predictions may be far off");
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (report.ignored_columns > 0)
      terminal.detail(counted(report.ignored_columns, "column") + " of the data not used by the model");
    if (unseen.terms > 0) terminal.detail(unseen.terms_text());
    if (common.json) terminal.print(to_json(report));
    if (common.dry_run && !common.json)
      terminal.print("would predict " + counted(report.rows, "row") + " with " +
                     escaped_for_terminal(report.model_file) + "\n");
    if (!common.json && !common.dry_run && options_.output != "-")
      terminal.note(counted(report.rows, "prediction") + " in " + options_.output);
    return 0;
  }

 private:
  // Rows in which a feature without a weight is not what it was in training, and the first such feature.
  static void count_strangers(const AliasRelations& relations, const Piece& piece, std::uint64_t& count,
                              std::uint32_t& first) {
    PieceRows rows(piece);
    for (std::uint64_t r = 0; r < piece.rows; ++r)
      if (const auto feature = relations.broken(rows.row(r))) {
        if (count == 0) first = *feature;
        ++count;
      }
  }

  // The output rows of one piece, made by blocks side by side and joined in order.
  std::string predictions(const LinearModel& model, const std::optional<IntervalPredictor>& intervals,
                          const Table& table, const Piece& piece, Executor& executor) const {
    constexpr std::uint64_t kRows = 4096;
    const std::size_t lows = piece.lows_of.size();
    std::vector<std::string> parts((piece.rows + kRows - 1) / kRows);
    executor.for_each(parts.size(), [&](std::size_t part) {
      Predictor predictor(model);
      std::optional<JointLikelihood> joint;
      if (tables_) joint.emplace(model, *tables_);
      std::optional<IntervalPredictor> around = intervals;
      PieceRows rows(piece);
      std::string& text = parts[part];
      for (std::uint64_t r = part * kRows; r < std::min(piece.rows, (part + 1) * kRows); ++r) {
        const Row x = rows.row(r);
        const RowPrediction prediction = predictor.predict(x);
        std::optional<Interval> interval;
        const In row_lows = In(piece.lows).subspan(r * lows, lows);
        if (around) interval = around->around(prediction.value, x, row_lows, piece.lows_of);
        append(text, model, prediction, interval, table, piece, r);
        if (!model.predicts_numbers()) append_classes(text, predictor, table, r);
        if (options_.doubt) append_doubt(text, predictor.probabilities(), piece.targets[r]);
        if (joint) append_evidence(text, joint->log_evidence(x));
        append_kept(text, table, r);
        text += options_.format == OutputFormat::jsonl ? "}\n" : "\n";
      }
    });
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  }

  void append(std::string& text, const LinearModel& model, const RowPrediction& prediction,
              const std::optional<Interval>& interval, const Table& table, const Piece& piece,
              std::uint64_t row) const {
    const bool lines = options_.format == OutputFormat::jsonl;
    if (lines) text += "{\"prediction\":";
    if (model.predicts_numbers()) {
      const double residual = options_.residuals ? piece.targets[row] - prediction.value : 0.0;
      if (!std::isfinite(prediction.value) || !std::isfinite(residual))
        throw table.row_error(row,
                              "the " + std::string(std::isfinite(prediction.value) ? "residual" : "prediction") +
                                  " is too large for a number",
                              "the row is far outside of what the model was trained on");
      append_number(text, prediction.value);
      if (options_.residuals) {
        text += lines ? ",\"residual\":" : ",";
        append_number(text, residual);
      }
      if (interval) append_interval(text, *interval, table, row);
    } else if (lines) {
      append_json_string(text, model.parts().labels[prediction.label]);
    } else {
      append_csv_field(text, model.parts().labels[prediction.label]);
    }
  }

  // The labels that scores are for: of two classes the second alone.
  std::vector<std::string> scored_labels() const {
    const std::vector<std::string>& labels = saved_->model.parts().labels;
    if (labels.size() == 2) return {labels[1]};
    return labels;
  }

  void check_class_options() const {
    const Link link = saved_->model.parts().link;
    const bool probable = link == Link::logistic || link == Link::softmax;
    for (const std::string option : {"proba", "odds", "doubt", "scores"}) {
      if (std::find(given.begin(), given.end(), option) == given.end()) continue;
      if (saved_->model.predicts_numbers())
        throw Error(ErrorCode::usage, "--" + option + " needs a model of classes; this one predicts a number");
      if (!probable && option != "scores")
        throw Error(ErrorCode::usage,
                    "--" + option + " needs a model with probabilities; " + saved_->record.model + " has scores alone",
                    "--scores");
    }
  }

  std::string class_heading() const {
    std::string text;
    const auto add = [&](std::string_view what, const std::vector<std::string>& labels) {
      for (const std::string& label : labels) {
        text += ',';
        append_csv_field(text, std::string(what) + ":" + label);
      }
    };
    if (options_.proba) add("proba", saved_->model.parts().labels);
    if (options_.scores) add("score", scored_labels());
    if (options_.odds) add("odds", saved_->model.parts().labels);
    return text;
  }

  void append_classes(std::string& text, Predictor& predictor, const Table& table, std::uint64_t row) const {
    const bool lines = options_.format == OutputFormat::jsonl;
    const auto add = [&](std::string_view what, const std::vector<std::string>& labels, const auto& number) {
      for (std::size_t k = 0; k < labels.size(); ++k) {
        text += ',';
        if (lines) {
          append_json_string(text, std::string(what) + ":" + labels[k]);
          text += ':';
        }
        const double value = number(k);
        if (std::isinf(value)) {
          text += lines ? "null" : value > 0 ? "inf" : "-inf";
          continue;
        }
        if (std::isnan(value))
          throw table.row_error(row, "the scores are too large for a number",
                                "the row is far outside of what the model was trained on");
        append_number(text, value);
      }
    };
    const std::vector<std::string>& labels = saved_->model.parts().labels;
    if (options_.proba) {
      const In p = predictor.probabilities();
      add("proba", labels, [&](std::size_t k) { return p[k]; });
    }
    if (options_.scores) {
      const bool vetoes = saved_->model.has_vetoes() && saved_->model.parts().link == Link::softmax;
      add("score", scored_labels(), [&](std::size_t k) {
        if (labels.size() == 2) return predictor.decision();
        const double log_probability = vetoes ? predictor.log_probability(k) : 0.0;  // -inf where k is ruled out
        return std::isinf(log_probability) ? log_probability : predictor.label_scores()[k];
      });
    }
    if (options_.odds) {
      add("odds", labels, [&](std::size_t k) { return predictor.odds(k); });
    }
  }

  // The sum of all others: 1 - p has no digits left where p is near 1.
  void append_doubt(std::string& text, In p, double target) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k)
      if (static_cast<double>(k) != target) sum += p[k];
    text += options_.format == OutputFormat::jsonl ? ",\"doubt\":" : ",";
    append_number(text, target < static_cast<double>(p.size()) ? sum : 1.0);
  }

  BayesTables joint_tables() const {
    std::optional<BayesTables> tables = bayes_tables(*saved_);
    if (!tables)
      throw Error(ErrorCode::usage,
                  "--evidence needs a model that knows how likely rows are: naive-bayes; this one is " +
                      in_quotes(saved_->record.model));
    JointLikelihood(saved_->model, *tables);  // or it says why not
    return std::move(*tables);
  }

  void append_evidence(std::string& text, double evidence) const {
    const bool lines = options_.format == OutputFormat::jsonl;
    text += lines ? ",\"evidence\":" : ",";
    if (std::isfinite(evidence)) {
      append_number(text, evidence);
    } else {
      text += lines ? "null" : "-inf";
    }
  }

  void append_interval(std::string& text, const Interval& interval, const Table& table, std::uint64_t row) const {
    const std::pair<const char*, double> ends[] = {{"low", interval.low},
                                                   {"high", interval.high},
                                                   {"mean_low", interval.mean_low},
                                                   {"mean_high", interval.mean_high}};
    for (const auto& [name, end] : ends) {
      if (!std::isfinite(end))
        throw table.row_error(row, "the interval is too large for a number",
                              "the row is far outside of what the model was trained on");
      text += options_.format == OutputFormat::jsonl ? ",\"" + std::string(name) + "\":" : ",";
      append_number(text, end);
    }
  }

  std::string kept_heading() const {
    std::string text;
    for (const std::string& name : options_.keep) {
      text += ',';
      append_csv_field(text, name);
    }
    return text;
  }

  void append_kept(std::string& text, const Table& table, std::uint64_t row) const {
    for (std::size_t k = 0; k < options_.keep.size(); ++k) {
      const Column& column = table.columns[first_kept_ + k];
      const std::string& value = column.levels[column.codes[row]];
      text += ',';
      if (options_.format == OutputFormat::jsonl) {
        append_json_string(text, options_.keep[k]);
        text += ':';
        append_json_string(text, value);
      } else {
        append_csv_field(text, value);
      }
    }
  }

  // Of --interval. A model with robust errors has one variance for all rows here, and that is said.
  std::optional<IntervalPredictor> chosen_intervals(Terminal& terminal) const {
    if (std::find(given.begin(), given.end(), "interval") == given.end()) return std::nullopt;
    if (!saved_->model.predicts_numbers())
      throw Error(ErrorCode::usage, "--interval needs a model that predicts a number; this one predicts a label");
    if (!(options_.interval > 0 && options_.interval < 1))
      throw Error(ErrorCode::usage,
                  "--interval is " + number_text(options_.interval) + "; a probability between 0 and 1 was expected",
                  "--interval 0.95");
    for (const auto& [name, value] : saved_->record.options)
      if (name == "errors" && value != "classic")
        terminal.warn("the intervals take one variance for all rows; the model's --errors " + value +
                      " are of its weights alone");
    return IntervalPredictor(saved_->record, saved_->model.features(), options_.interval);
  }

  ReadOptions read_;
  PredictOptions options_;
  RunOptions run_;
  std::optional<BayesTables> tables_;  // of --evidence
  std::size_t first_kept_ = 0;         // of --keep: their place in a table
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<Predict>(); }

}  // namespace plumb::cli
