#include "plumb/workflow/predicting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/data/writer.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/feature/levels.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/math/special.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

// The labels that have scores: with two classes only the second.
std::vector<std::string> scored_labels(const LinearModel& model) {
  const std::vector<std::string>& labels = model.parts().labels;
  if (labels.size() == 2) return {labels[1]};
  return labels;
}

// The sum of all others: 1 - p has no digits left if p is near 1. A label that the model does not know has probability
// 0: doubt 1.
double doubt_of(In p, double target) {
  if (target >= static_cast<double>(p.size())) return 1.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k)
    if (static_cast<double>(k) != target) sum += p[k];
  return sum;
}

std::size_t blocks_of(std::uint64_t rows) { return (rows + kBlockRows - 1) / kBlockRows; }

}  // namespace

OptionTable PredictOptions::table() {
  using O = PredictOptions;
  return {option("output", &O::output, "where to write the predictions")
              .value("FILE")
              .writes_file()
              .short_as('o')
              .otherwise("standard output"),
          option("output-format", &O::format, "csv with a header, or one JSON object per line").value("FORMAT"),
          option("proba", &O::proba, "classes: add the probability of every label"),
          option("scores", &O::scores,
                 "classes: add the score of each label (with two labels, of the second): log-odds where the model has "
                 "probabilities"),
          option("odds", &O::odds, "classes: add the odds p / (1 - p) of every label, inf where p is 1"),
          option("doubt", &O::doubt,
                 "rows with labels: add the probability the model gives to the other labels; likely mistakes have a "
                 "high value"),
          option("evidence", &O::evidence, "naive-bayes: add ln P(x), how likely the row is under the model"),
          option("threshold", &O::threshold, kThresholdMeaning).value(kThresholdForm).otherwise("0.5"),
          option("residuals", &O::residuals, "add the residual: the target minus the prediction"),
          option("interval", &O::interval,
                 "add a prediction interval of this level (low, high), and a confidence interval of the mean "
                 "(mean_low, mean_high); classes: of the probability of the positive label")
              .value("P")
              .in(between(0.0, 1.0))
              .otherwise("none"),
          option("keep", &O::keep, "columns of the data to copy beside the predictions").value("COL,...")};
}

Predicting::Predicting(const SavedModel& saved, Source& source, PredictOptions options, Messages& messages)
    : saved_(saved), source_(source), options_(std::move(options)), relations_(saved.record, saved.model.features()) {
  check_options();
  if (options_.evidence) tables_ = joint_tables();
  if (options_.threshold.given()) decided_ = options_.threshold.applied_to(saved_);
  intervals_ = chosen_intervals(messages);
  select_columns();
  name_columns();
}

void Predicting::check_options() const {
  const Link link = saved_.model.parts().link;
  if (options_.residuals && !saved_.model.predicts_numbers())
    throw Error(ErrorCode::usage, "--residuals needs a model that predicts a number; this one predicts a label");
  const std::pair<std::string, bool> of_classes[] = {
      {"proba", options_.proba}, {"odds", options_.odds}, {"doubt", options_.doubt}, {"scores", options_.scores}};
  for (const auto& [option, given] : of_classes) {
    if (!given) continue;
    if (saved_.model.predicts_numbers())
      throw Error(ErrorCode::usage, "--" + option + " needs a model of classes; this one predicts a number");
    if (link != Link::logistic && link != Link::softmax && option != "scores")
      throw Error(ErrorCode::usage,
                  "--" + option + " needs a model with probabilities; " + saved_.record.model + " has only scores",
                  "--scores, or plumb train --calibrate sigmoid");
  }
}

BayesTables Predicting::joint_tables() const {
  std::optional<BayesTables> tables = bayes_tables(saved_);
  if (!tables)
    throw Error(ErrorCode::usage, "--evidence needs a model that knows how likely rows are: naive-bayes; this one is " +
                                      in_quotes(saved_.record.model));
  JointLikelihood(saved_.model, *tables);  // or the reason why not
  return std::move(*tables);
}

// A model with robust errors has one variance for all rows here; a note says so.
std::optional<IntervalPredictor> Predicting::chosen_intervals(Messages& messages) const {
  if (options_.interval == PredictOptions::kNoInterval) return std::nullopt;
  const LinearModel::Parts& parts = saved_.model.parts();
  if (!saved_.model.predicts_numbers() && parts.link != Link::logistic)
    throw Error(ErrorCode::usage,
                "--interval needs a model that predicts a number, or logistic regression of two labels; this one is " +
                    in_quotes(saved_.record.model),
                parts.link == Link::softmax ? "--proba" : "plumb train -m logistic --l2 0");
  if (find_number(saved_.record, kLogLossAfter) != nullptr)
    throw Error(ErrorCode::usage, "--interval is of the probabilities of the fit, and this model's are calibrated",
                "plumb train with --calibrate none");
  if (!(options_.interval > 0 && options_.interval < 1))
    throw Error(ErrorCode::usage,
                "--interval is " + number_text(options_.interval) + "; a probability between 0 and 1 was expected",
                "--interval 0.95");
  if (const std::string* errors = find_option(saved_.record, "errors"); errors != nullptr && *errors != "classic")
    messages.warn(has_likelihood(saved_.record)
                      ? "the intervals assume that the model is right; its --errors " + *errors +
                            " are of the weights alone"
                      : "the intervals take one variance for all rows; the model's --errors " + *errors +
                            " are of its weights alone");
  return IntervalPredictor(saved_.record, saved_.model.features(), options_.interval);
}

void Predicting::select_columns() {
  std::vector<std::string> known;
  for (const ColumnInfo& column : source_.columns()) known.push_back(column.name);
  Roles roles;
  if (options_.residuals || options_.doubt) roles.target = saved_.record.target;
  if (options_.doubt) roles.labels = model().parts().labels;
  for (const std::string& name : options_.keep) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw unknown_choice("column", name, known, "--keep ");
    roles.beside.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  layout_ = model().parts().map.select_from(source_, roles);
  if (options_.doubt) layout_.known_labels = layout_.labels.size();
  layout_.low_parts = intervals_ && intervals_->exact();
  report_.ignored_columns = known.size() - layout_.inputs.size() - (layout_.target ? 1 : 0);
  report_.ignored_columns -= std::min<std::uint64_t>(report_.ignored_columns, options_.keep.size());
}

void Predicting::name_columns() {
  const auto add = [&](bool wanted, std::string_view what, const std::vector<std::string>& labels) {
    for (const std::string& label : labels)
      if (wanted) names_.push_back(std::string(what) + ":" + label);
  };
  if (options_.residuals) names_.push_back("residual");
  add(intervals_.has_value() && !model().predicts_numbers(), "low", scored_labels(model()));
  add(intervals_.has_value() && !model().predicts_numbers(), "high", scored_labels(model()));
  if (intervals_ && model().predicts_numbers() && !mean_only()) names_.insert(names_.end(), {"low", "high"});
  if (intervals_ && model().predicts_numbers()) names_.insert(names_.end(), {"mean_low", "mean_high"});
  add(options_.proba, "proba", model().parts().labels);
  add(options_.scores, "score", scored_labels(model()));
  add(options_.odds, "odds", model().parts().labels);
  if (options_.doubt) names_.push_back("doubt");
  if (options_.evidence) names_.push_back("evidence");
  names_.insert(names_.end(), options_.keep.begin(), options_.keep.end());
  for (const std::string& name : names_) {
    std::string& before = before_.emplace_back(",");
    if (options_.format == OutputFormat::csv) continue;
    append_json_string(before, name);
    before += ':';
  }
}

void Predicting::make_room(std::uint64_t rows) {
  const std::size_t labels = model().parts().labels.size();
  found_.rows = rows;
  found_.values.resize(labels == 0 ? rows : 0);
  found_.labels.resize(labels == 0 ? 0 : rows);
  found_.residuals.resize(options_.residuals ? rows : 0);
  found_.intervals.resize(intervals_ ? (mean_only() ? 2 : 4) * rows : 0);
  found_.probabilities.resize(options_.proba ? labels * rows : 0);
  found_.scores.resize(options_.scores ? scored_labels(model()).size() * rows : 0);
  found_.odds.resize(options_.odds ? labels * rows : 0);
  found_.doubt.resize(options_.doubt ? rows : 0);
  found_.evidence.resize(options_.evidence ? rows : 0);
}

bool Predicting::next(const Run& run) {
  if (!source_.next(table_, run)) return false;
  if (options_.doubt) append_new_labels(layout_.labels, *layout_.known_labels, table_.columns[*layout_.target].levels);
  const Piece piece = model().parts().map.use_up(table_, layout_, unseen_);
  report_.rows += piece.rows;
  make_room(piece.rows);
  run.executor.for_each(blocks_of(piece.rows), [&](std::size_t block) {
    predict_rows(piece, block * kBlockRows, std::min<std::uint64_t>(piece.rows, (block + 1) * kBlockRows));
  });
  if (!relations_.empty()) count_strangers(piece);
  return true;
}

// In units of the target's column; a formula that falls as the column grows turns an interval round.
void Predicting::take_back(Interval& found) const {
  const auto back = [&](double& low, double& high) {
    low = model().value_of(low);
    high = model().value_of(high);
    if (high < low) std::swap(low, high);
  };
  back(found.low, found.high);
  back(found.mean_low, found.mean_high);
}

void Predicting::predict_rows(const Piece& piece, std::uint64_t begin, std::uint64_t end) {
  Predictor predictor(model());
  std::optional<JointLikelihood> joint;
  if (tables_) joint.emplace(model(), *tables_);
  std::optional<IntervalPredictor> around = intervals_;
  const std::size_t lows = piece.lows_of.size();
  PieceRows rows(piece);
  for (std::uint64_t r = begin; r < end; ++r) {
    const Row x = rows.row(r);
    const RowPrediction prediction = predictor.predict(x);
    if (found_.values.empty()) {
      if (!predictor.finite()) throw too_large(r, "scores are");
      found_.labels[r] = prediction.label;
      fill_classes(predictor, r);
    } else {
      found_.values[r] = prediction.value;
      if (!std::isfinite(prediction.value)) throw too_large(r, "prediction is");
    }
    if (options_.residuals) {
      found_.residuals[r] = piece.targets[r] - prediction.value;
      if (!std::isfinite(found_.residuals[r])) throw too_large(r, "residual is");
    }
    if (around) {
      const Interval found =
          around->around(predictor.scores()[0], x, In(piece.lows).subspan(r * lows, lows), piece.lows_of);
      fill_interval(found, r);
    }
    if (options_.doubt) found_.doubt[r] = doubt_of(predictor.probabilities(), piece.targets[r]);
    if (joint) {
      const double evidence = joint->log_evidence(x);
      found_.evidence[r] = std::isfinite(evidence) ? evidence : -std::numeric_limits<double>::infinity();
    }
  }
}

bool Predicting::mean_only() const noexcept { return has_likelihood(saved_.record); }

// Of a likelihood the interval of the score goes through the link: a probability, or the mean of a count.
void Predicting::fill_interval(Interval found, std::uint64_t row) {
  const Link link = model().parts().link;
  if (model().parts().target) take_back(found);
  for (double* const each : {&found.mean_low, &found.mean_high}) {
    if (link == Link::logistic) *each = math::sigmoid(*each);
    if (link == Link::log) *each = math::exp(*each);
  }
  double* to = found_.intervals.data() + (mean_only() ? 2 : 4) * row;
  const auto put = [&](double each) {
    if (!std::isfinite(each)) throw too_large(row, "interval is");
    *to++ = each;
  };
  if (!mean_only()) put(found.low);
  if (!mean_only()) put(found.high);
  put(found.mean_low);
  put(found.mean_high);
}

void Predicting::fill_classes(Predictor& predictor, std::uint64_t row) {
  const auto fill = [&](std::vector<double>& numbers, const auto& number) {
    const std::size_t width = numbers.size() / found_.rows;
    for (std::size_t k = 0; k < width; ++k) {
      const double value = number(k);
      if (std::isnan(value)) throw too_large(row, "scores are");
      numbers[row * width + k] = value;
    }
  };
  if (options_.proba) fill(found_.probabilities, [p = predictor.probabilities()](std::size_t k) { return p[k]; });
  if (options_.scores) {
    const bool vetoes = model().has_vetoes() && model().parts().link == Link::softmax;
    fill(found_.scores, [&](std::size_t k) {
      if (model().parts().labels.size() == 2) return predictor.decision();
      const double log_probability = vetoes ? predictor.log_probability(k) : 0.0;  // -inf if k is ruled out
      return std::isinf(log_probability) ? log_probability : predictor.label_scores()[k];
    });
  }
  if (options_.odds) fill(found_.odds, [&](std::size_t k) { return predictor.odds(k); });
}

void Predicting::count_strangers(const Piece& piece) {
  PieceRows rows(piece);
  for (std::uint64_t r = 0; r < piece.rows; ++r)
    if (const auto feature = relations_.broken(rows.row(r))) {
      if (strangers_ == 0) stranger_ = *feature;
      ++strangers_;
    }
}

Error Predicting::too_large(std::uint64_t row, const std::string& what) const {
  return table_.row_error(row, "the " + what + " too large for a number",
                          "the row is far outside of what the model was trained on");
}

std::string Predicting::heading() const {
  if (options_.format == OutputFormat::jsonl) return {};
  std::string text = "prediction";
  for (const std::string& name : names_) {
    text += ',';
    append_csv_field(text, name);
  }
  return text + "\n";
}

std::string Predicting::text(Executor& executor) const {
  std::vector<std::string> parts(blocks_of(found_.rows));
  executor.for_each(parts.size(), [&](std::size_t part) {
    for (std::uint64_t r = part * kBlockRows; r < std::min<std::uint64_t>(found_.rows, (part + 1) * kBlockRows); ++r)
      append_row(parts[part], r);
  });
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

void Predicting::append_row(std::string& text, std::uint64_t row) const {
  const bool lines = options_.format == OutputFormat::jsonl;
  const auto append_text = [&](const std::string& field) {
    lines ? append_json_string(text, field) : append_csv_field(text, field);
  };
  if (lines) text += "{\"prediction\":";
  if (found_.values.empty()) {
    append_text(model().parts().labels[found_.labels[row]]);
  } else {
    append_number(text, found_.values[row]);
  }
  std::size_t column = 0;
  for (const std::vector<double>* numbers : {&found_.residuals, &found_.intervals, &found_.probabilities,
                                             &found_.scores, &found_.odds, &found_.doubt, &found_.evidence}) {
    const std::size_t width = numbers->size() / found_.rows;
    for (const double value : In(*numbers).subspan(row * width, width)) {
      text += before_[column++];
      if (std::isinf(value)) {
        text += lines ? "null" : value > 0 ? "inf" : "-inf";
      } else {
        append_number(text, value);
      }
    }
  }
  for (std::size_t k = 0; k < options_.keep.size(); ++k) {
    // They follow the inputs and the target.
    const Column& kept = table_.columns[layout_.inputs.size() + (layout_.target ? 1 : 0) + k];
    text += before_[column++];
    append_text(kept.levels[kept.codes[row]]);
  }
  text += lines ? "}\n" : "\n";
}

PredictReport Predicting::report() const {
  PredictReport report = report_;
  report.output = options_.output;
  report.warnings = warnings_about(source_.skipped());
  report.unseen = unseen_.values;
  if (unseen_.values > 0) report.warnings.push_back(unseen_.text());
  if (strangers_ > 0)
    report.warnings.push_back("in " + counted(strangers_, "row") + " feature " +
                              in_quotes(model().parts().map.name(stranger_)) +
                              " is not the linear combination of other features that it was in the training rows, and "
                              "the model has no weight for the difference: these predictions may be far off");
  if (report.ignored_columns > 0)
    report.details.push_back(counted(report.ignored_columns, "column") + " of the data not used by the model");
  if (unseen_.terms > 0) report.details.push_back(unseen_.terms_text());
  return report;
}

PredictReport predict(const SavedModel& saved, Source& source, const PredictOptions& options, const TextSink& sink,
                      Messages& messages, const Run& run) {
  Predicting predicting(saved, source, options, messages);
  if (sink) sink(predicting.heading());
  while (predicting.next(run))
    if (sink) sink(predicting.text(run.executor));
  return predicting.report();
}

}  // namespace plumb
