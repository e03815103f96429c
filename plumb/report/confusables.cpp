#include "plumb/report/confusables.h"

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/json_parts.h"

namespace plumb {

std::string to_text(const ConfusablesReport& report, const Style& style) {
  std::string text = to_text(report.training, style);
  std::string counts;
  for (std::size_t i = 0; i < report.words.size(); ++i)
    counts += (i == 0 ? "" : ", ") + escaped_for_terminal(report.words[i]) + " " + count_text(report.counts[i]);
  return text + "  words     " + counts +
         (report.repeated > 0 ? "; " + count_text(report.repeated) + " in repeated sentences left out" : "") + "\n";
}

std::string to_text(const CorrectionReport& report, const Style& style) {
  std::string text;
  for (const Correction& each : report.corrections) {
    text += escaped_for_terminal(report.file) + ":" + std::to_string(each.line) + ":" + std::to_string(each.column) +
            ": " + style.red(escaped_for_terminal(each.found)) + " -> " +
            style.green(escaped_for_terminal(each.instead)) +
            (each.probability ? ", probability " + four_digits(*each.probability) : "") + "\n";
    text += "  " + escaped_for_terminal(each.sentence) + "\n";
    std::string reasons;
    for (const auto& [term, part] : each.reasons)
      reasons += (reasons.empty() ? "" : ", ") + escaped_for_terminal(term) + " " + four_digits(part);
    if (!reasons.empty()) text += "  " + style.faint("because " + reasons) + "\n";
  }
  const std::size_t likely = report.corrections.size();
  return text + (likely == 0 ? "no likely mistake" : counted(likely, "likely mistake")) + " among " +
         counted(report.occurrences, "occurrence") + " in " + escaped_for_terminal(report.file) + "\n";
}

std::string to_json(const ConfusablesReport* trained, const std::string& curve, const CorrectionReport* corrected,
                    const std::vector<std::string>& warnings, double seconds) {
  JsonWriter json = report_detail::start("confusables");
  if (trained != nullptr) {
    json.key("occurrences").begin_object();
    for (std::size_t i = 0; i < trained->words.size(); ++i) json.member(trained->words[i], trained->counts[i]);
    json.end_object().member("repeated", trained->repeated);
    report_detail::metrics(json, "heldout", trained->training.heldout);
    report_detail::metrics(json, "baseline", trained->training.baseline);
    json.key("training").document(to_json(trained->training));
  }
  if (!curve.empty()) json.key("curve").document(curve);
  if (corrected != nullptr) {
    json.key("corrections").begin_object().member("file", corrected->file);
    json.member("occurrences", corrected->occurrences).key("mistakes").begin_array();
    for (const Correction& each : corrected->corrections) {
      json.begin_object().member("line", each.line).member("column", each.column).member("found", each.found);
      json.member("instead", each.instead);
      report_detail::optional(json, "probability", each.probability);
      json.member("sentence", each.sentence).key("reasons").begin_array();
      for (const auto& [term, part] : each.reasons)
        json.begin_object().member("term", term).member("contribution", part).end_object();
      json.end_array().end_object();
    }
    json.end_array().end_object();
  }
  report_detail::texts(json, "warnings", warnings);
  json.member("seconds", seconds).end_object();
  return json.take();
}

}  // namespace plumb
