// From a model and data to predictions. Pieces are predicted as they are read, so memory stays small. A program takes
// the predictions as numbers, the command line as text made from the same numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/evaluate/threshold.h"
#include "plumb/feature/feature_map.h"
#include "plumb/infer/interval.h"
#include "plumb/model/model_file.h"
#include "plumb/report/report.h"
#include "plumb/train/alias_relations.h"
#include "plumb/train/bayes_tables.h"
#include "plumb/workflow/messages.h"

namespace plumb {

enum class OutputFormat { csv, jsonl };
template <>
struct EnumNames<OutputFormat> {
  static constexpr std::string_view names[] = {"csv", "jsonl"};
};

struct PredictOptions {
  std::string output = "-";  // the caller opens it
  OutputFormat format = OutputFormat::csv;
  bool residuals = false;
  double interval = kNoInterval;
  bool proba = false;
  bool scores = false;
  bool odds = false;
  bool doubt = false;
  bool evidence = false;
  ThresholdChoice threshold;
  std::vector<std::string> keep;

  static constexpr double kNoInterval = -1.0;

  static OptionTable table();
};

// The predictions for some rows, in their order. Outputs that the options do not request are empty.
struct PredictedRows {
  std::uint64_t rows = 0;
  std::vector<double> values;       // for a model that predicts a number
  std::vector<std::size_t> labels;  // for a classifier: positions of its labels
  std::vector<double> residuals;    // one per row
  // Four per row: low, high, mean_low, mean_high. Of a likelihood two: of the positive label's probability, or of the
  // mean.
  std::vector<double> intervals;
  std::vector<double> probabilities;  // one per row and label
  std::vector<double> scores;         // likewise, but with two labels one per row: that of the second
  std::vector<double> odds;           // one per row and label
  std::vector<double> doubt;          // one per row
  std::vector<double> evidence;       // one per row
};

class Predicting {
 public:
  // Selects the columns to read. The model and the source must outlive it. Throws Error(usage) for an option that does
  // not apply to the model, Error(data) if a column is missing.
  Predicting(const SavedModel& saved, Source& source, PredictOptions options, Messages& messages);

  // Reads and predicts the next piece; false at the end. Throws Error(data) for a row whose prediction overflows.
  bool next(const Run& run);
  const PredictedRows& found() const noexcept { return found_; }  // of the last piece
  std::string text(Executor& executor) const;                     // the same as lines of output
  std::string heading() const;                                    // the line before them; empty for JSON lines

  const LinearModel& model() const noexcept { return decided_ ? *decided_ : saved_.model; }
  PredictReport report() const;  // for all pieces so far; the caller knows files and time

 private:
  void check_options() const;
  BayesTables joint_tables() const;
  std::optional<IntervalPredictor> chosen_intervals(Messages& messages) const;
  void select_columns();
  void name_columns();
  void make_room(std::uint64_t rows);
  void take_back(Interval& found) const;
  bool mean_only() const noexcept;
  void fill_interval(Interval found, std::uint64_t row);
  void predict_rows(const Piece& piece, std::uint64_t begin, std::uint64_t end);
  void fill_classes(Predictor& predictor, std::uint64_t row);
  void count_strangers(const Piece& piece);
  void append_row(std::string& text, std::uint64_t row) const;
  Error too_large(std::uint64_t row, const std::string& what) const;

  const SavedModel& saved_;
  Source& source_;
  PredictOptions options_;
  std::optional<LinearModel> decided_;          // by options_.threshold
  std::optional<BayesTables> tables_;           // of options_.evidence
  std::optional<IntervalPredictor> intervals_;  // of options_.interval
  AliasRelations relations_;
  TableLayout layout_;
  std::vector<std::string> names_;   // of the numbers beside a prediction, in the order of the output
  std::vector<std::string> before_;  // the text before each of them in a line
  Table table_;                      // the last piece
  PredictedRows found_;
  PredictReport report_;
  FeatureMap::Unseen unseen_;
  std::uint64_t strangers_ = 0;  // rows in which an aliased feature violates its combination
  std::uint32_t stranger_ = 0;   // the first such feature
};

// All rows of the source as text; without a sink they are predicted, and no text is made.
PredictReport predict(const SavedModel& saved, Source& source, const PredictOptions& options, const TextSink& sink,
                      Messages& messages, const Run& run);

}  // namespace plumb
