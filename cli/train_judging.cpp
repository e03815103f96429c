#include "cli/train_judging.h"

namespace plumb::cli {

void say_imbalance(const Examples& training, const std::vector<std::string>& labels, const Run& run,
                   Terminal& terminal) {
  const std::string text = imbalance_text(labels, class_weights(training, labels.size(), run));
  if (!text.empty()) terminal.note(text);
}

void judge_development(TrainReport& report, const LinearModel& model, const Examples& rows,
                       const std::vector<std::string>& labels, const Run& run) {
  report.development_rows = rows.size();
  if (rows.size() == 0) return;
  report.development = labels.empty() ? regression_metrics(predict_rows(model, rows, run), run)
                                      : class_metrics(predict_classes(model, rows, labels, run), run).metrics;
}

void judge_numbers(TrainReport& report, Fit& fit, const Examples& trained_on, const Examples& heldout, const Run& run) {
  const double mean = mean_target(trained_on, run);
  fit.record.fit.emplace_back("target_mean", mean);  // evaluate holds the model against it
  if (heldout.size() == 0) return;
  const Predicted predicted = predict_rows(fit.model, heldout, run);
  report.heldout = regression_metrics(predicted, run);
  report.baseline = constant_metrics(mean, predicted, run);
  report.baseline_name = "always " + number_text(mean, 6) + ", the mean of the training rows";
}

void judge_classes(TrainReport& report, Fit& fit, const Examples& trained_on, const Examples& heldout,
                   const std::vector<std::string>& labels, const Run& run) {
  const std::size_t known = fit.model.parts().labels.size();
  // evaluate holds the model against them; one that was trained further knows those of all its rows
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
  report.baseline_name = "always " + fit.model.parts().labels[baseline.label] + ", the commonest in training";
}

std::string plan_text(const FeaturePlan& plan, const FeatureMap& map, std::uint64_t train_rows, std::uint64_t test_rows,
                      const TrainerEntry& entry, const MemoryPlan& memory, const std::string& output, bool as_json) {
  std::vector<std::string> terms;
  for (const auto& term : plan.terms) terms.push_back(term_text(term));
  const std::string model(entry.name);
  if (!as_json)
    return "would fit " + model + ": " + escaped_for_terminal(plan.target) + " from " +
           counted(map.features(), "feature") + " of " + listed(terms) + "\n  on " + counted(train_rows, "row") + ", " +
           count_text(test_rows) + " held out, and save " + escaped_for_terminal(output) + "\n  " + memory.text() +
           "\n";
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object()
      .member("schema", 1)
      .member("command", "train")
      .member("dry_run", true)
      .member("model", model)
      .member("target", plan.target)
      .member("features", map.features());
  json.key("terms").begin_array();
  for (const std::string& term : terms) json.value(term);
  json.end_array().key("rows").begin_object().member("train", train_rows).member("test", test_rows).end_object();
  json.member("output", output);
  memory.add_to(json);
  return json.end_object().take();
}

}  // namespace plumb::cli
