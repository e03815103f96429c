#include "plumb/workflow/held_out.h"

#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/utf8.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/evaluate/threshold.h"

namespace plumb {

void judge_numbers(TrainReport& report, Trained& fit, const Examples& trained_on, const Examples& heldout,
                   const Run& run) {
  const double mean = fit.model.parts().target ? mean_target(predict_rows(fit.model, trained_on, run), run)
                                               : mean_target(trained_on, run);
  fit.record.fit.emplace_back("target_mean", mean);  // the baseline of evaluate
  if (heldout.size() == 0) return;
  const Predicted predicted = predict_rows(fit.model, heldout, run);
  report.heldout = regression_metrics(predicted, run);
  report.baseline = constant_metrics(mean, predicted, run);
  report.baseline_name = "always predicting " + four_digits(mean) + ", the mean of the training rows";
}

void judge_classes(TrainReport& report, Trained& fit, const Examples& trained_on, const Examples& heldout,
                   const std::vector<std::string>& labels, const Run& run) {
  const std::size_t known = fit.model.parts().labels.size();
  // evaluate uses them as its baseline; a model that was trained further has those of all its rows
  if (find_statistic(fit.record, "class_weights") == nullptr)
    fit.record.statistics.push_back({"class_weights", {known}, class_weights(trained_on, known, run)});
  const auto& weights = std::get<std::vector<double>>(find_statistic(fit.record, "class_weights")->values);
  if (heldout.size() == 0) return;
  const PredictedClasses predicted = predict_classes(fit.model, heldout, labels, run);
  ClassReport found = class_metrics(predicted, run);
  report.heldout = std::move(found.metrics);
  for (const std::string& note : found.notes) report.notes.push_back("held out: " + note);
  ShareBaseline baseline = share_baseline(weights, predicted);
  report.baseline = std::move(baseline.metrics);
  report.baseline_name = "always predicting " + escaped_for_terminal(fit.model.parts().labels[baseline.label]) +
                         ", the most common training label";
}

void judge_development(TrainReport& report, Trained& fit, const Examples& rows, const std::vector<std::string>& labels,
                       const Run& run) {
  report.development_rows = rows.size();
  if (rows.size() == 0) return;
  if (labels.empty()) {
    report.development = regression_metrics(predict_rows(fit.model, rows, run), run);
    return;
  }
  const PredictedClasses predicted = predict_classes(fit.model, rows, labels, run);
  report.development = class_metrics(predicted, run).metrics;
  if (const std::optional<double> threshold = largest_f1_threshold(predicted, fit.model))
    fit.record.fit.emplace_back(kLargestF1, *threshold);
}

std::vector<Metric> metrics_of(const LinearModel& model, const Examples& rows, const std::vector<std::string>& labels,
                               const Run& run) {
  if (labels.empty()) return regression_metrics(predict_rows(model, rows, run), run, 0);
  return class_metrics(predict_classes(model, rows, labels, run), run, 0).metrics;
}

void offer_held_out(const Error& error, const Classes& classes, const RowSet& training, const RowSet& test,
                    const RowSet& dev) {
  if (error.code() != ErrorCode::data) return;
  for (const auto& [rows, option] : {std::pair(&test, "test"), std::pair(&dev, "dev")})
    if (classes.have_others(*rows, training))
      throw Error(error.code(), error.message(),
                  "--" + std::string(option) + " none also trains on the held-out rows: only they have other labels");
}

}  // namespace plumb
