#include "plumb/report/remedies.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/feature/formula.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

// `instead`: options that the new ones stand in place of.
std::string with(const std::string& command, const std::string& model, const TypedData& data,
                 const std::string& options, std::span<const std::string_view> instead = {}) {
  std::string text = "plumb " + command + " " + data.words + " -m " + model;
  for (const TypedOption& each : data.options)
    if (std::find(instead.begin(), instead.end(), each.name) == instead.end()) text += " " + each.words;
  return text + " " + options;
}

// About half of them, as a number that is easily read: 53 is 20, 1234 is 600.
std::uint64_t round_half(std::uint64_t terms) {
  std::uint64_t unit = 1;
  while (terms / 2 / unit >= 10) unit *= 10;
  return terms / 2 / unit * unit;
}

constexpr std::string_view kPenalties[] = {"l2", "C", "prior-variance"};
constexpr std::string_view kSmoothings[] = {"smoothing", "virtual", "virtual-prior", "beta"};
constexpr std::string_view kPasses[] = {"passes"};

// Whether the option was typed already: what it says is the reader's to change.
bool typed(const TypedData& data, const std::string& option) {
  return (data.words + " ").find(" --" + option + " ") != std::string::npos;
}

}  // namespace

std::vector<Remedy> against_overfitting(const std::string& model, const TypedData& data) {
  std::vector<Remedy> remedies;
  if (data.words.empty()) return remedies;
  if (model == "naive-bayes") {
    if (data.counts)
      remedies.push_back({with("tune", model, data, "--grid smoothing=0.01..100:9", kSmoothings), "more smoothing"});
  } else if (model == "perceptron") {
    const auto one = [](const TypedOption& each) { return each.words == "--passes 1"; };
    if (std::none_of(data.options.begin(), data.options.end(), one))
      remedies.push_back({with("tune", model, data, "--grid passes=1,2,5,10", kPasses), "fewer passes"});
  } else {
    remedies.push_back({with("tune", model, data, "--grid l2=1e-3..1e3:7", kPenalties), "a stronger penalty"});
  }
  constexpr std::uint64_t kManyTerms = 20;
  if (data.text && data.terms >= kManyTerms) {
    if (!typed(data, "max-terms") && !typed(data, "hash-bits") && !typed(data, "vocabulary"))
      remedies.push_back(
          {with("train", model, data, "--max-terms " + std::to_string(round_half(data.terms))), "fewer features"});
  } else if (!data.text && data.columns.size() > 1 && !typed(data, "features")) {
    remedies.push_back({with("train", model, data, "--drop " + as_typed(data.columns.back())), "fewer features"});
  }
  return remedies;
}

std::vector<Remedy> against_underfitting(const std::string& model, bool penalised, const TypedData& data) {
  std::vector<Remedy> remedies;
  if (data.words.empty()) return remedies;
  if (data.text && !typed(data, "ngrams"))
    remedies.push_back({with("train", model, data, "--ngrams 1-2"), "more features"});
  if (!data.numbers.empty() && !typed(data, "derive"))
    remedies.push_back(
        {with("train", model, data, "--derive " + as_typed(Formula::of_column(data.numbers.front()).text() + "^2")),
         "more features"});
  // Naive Bayes counts, or has a bell curve: a product of a number and a category is neither.
  const bool one_kind = data.numbers.empty() || data.numbers.size() == data.columns.size();
  if (!data.text && data.columns.size() > 1 && data.columns.size() <= 20 && !typed(data, "derive") &&
      (one_kind || model != "naive-bayes"))
    remedies.push_back({with("train", model, data, "--derive 'cross(all)'"), "more features"});
  if (model == "naive-bayes") {
    if (data.counts)
      remedies.push_back({with("tune", model, data, "--grid smoothing=1e-4..1:5", kSmoothings), "less smoothing"});
  } else if (model == "perceptron") {
    remedies.push_back({with("train", model, data, "--passes 50", kPasses), "more passes"});
  } else if (penalised) {
    remedies.push_back({with("tune", model, data, "--grid l2=1e-6..1:7", kPenalties), "a weaker penalty"});
  }
  return remedies;
}

bool overfits(double seen, double unseen, double noise) noexcept {
  return unseen - seen > std::max(noise, 0.25 * unseen);
}

FitVerdict fit_verdict(const std::string& model, const SeenErrors& errors, bool penalised, const TypedData& data) {
  const std::string numbers =
      errors.name + " " + four_digits(errors.seen) + " on training rows, " + four_digits(errors.unseen) + " on others";
  if (overfits(errors.seen, errors.unseen, errors.noise))
    return {model + " overfits: " + numbers + "; more rows, or a simpler model", against_overfitting(model, data)};
  if (errors.baseline > 0.0 && errors.seen > 0.9 * errors.baseline && errors.unseen > 0.9 * errors.baseline)
    return {model + " may underfit: " + numbers + ", " + four_digits(errors.baseline) + " by the baseline",
            against_underfitting(model, penalised, data)};
  return {};
}

std::string verdict_text(const FitVerdict& verdict, const Style& style) {
  if (verdict.text.empty()) return "";
  std::string text = "  verdict   " + escaped_for_terminal(verdict.text) + "\n";
  for (const Remedy& remedy : verdict.remedies)
    text += "            " + escaped_for_terminal(remedy.command) + style.faint("   # " + remedy.why) + "\n";
  return text;
}

}  // namespace plumb
