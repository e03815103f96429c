#include "plumb/report/remedies.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/feature/formula.h"
#include "plumb/report/style.h"
#include "plumb/select/grid.h"
#include "plumb/train/naive_bayes.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

// `instead`: options that the new ones replace.
std::string with(const std::string& command, const std::string& model, const TypedData& data,
                 const std::string& options, std::span<const std::string_view> instead = {}) {
  std::string text = "plumb " + command + " " + data.words + " -m " + model;
  for (const TypedOption& each : data.options)
    if (std::find(instead.begin(), instead.end(), each.name) == instead.end()) text += " " + each.words;
  return text + " " + options;
}

// About half of them, as a round number: 53 is 20, 1234 is 600.
std::uint64_t round_half(std::uint64_t terms) {
  std::uint64_t unit = 1;
  while (terms / 2 / unit >= 10) unit *= 10;
  return terms / 2 / unit * unit;
}

// Some values of a grid, from all over it.
std::vector<std::string> some_of(const std::string& grid) {
  const std::vector<std::string> all = read_axis("option=" + grid).values;
  std::vector<std::string> some;
  for (const std::size_t place : {all.size() / 4, all.size() / 2, 3 * all.size() / 4})
    if (some.empty() || some.back() != all[place]) some.push_back(all[place]);
  return some;
}

constexpr std::string_view kPenalties[] = {"l2", "C", "prior-variance"};
constexpr std::string_view kSmoothings[] = {"smoothing", "virtual", "virtual-prior", "beta"};
constexpr std::string_view kPasses[] = {"passes"};

// Whether the option was typed already: then its value is the reader's to change.
bool typed(const TypedData& data, const std::string& option) {
  return (data.words + " ").find(" --" + option + " ") != std::string::npos;
}

// The value of an option of the model, if it was typed.
std::optional<std::string> typed_value(const TypedData& data, std::string_view option) {
  for (const TypedOption& each : data.options)
    if (each.name == option) return each.words.substr(std::min(each.words.size(), each.words.find(' ') + 1));
  return {};
}

std::optional<double> typed_number(const TypedData& data, std::string_view option) {
  const std::optional<std::string> text = typed_value(data, option);
  const ParsedNumber number = parse_number(text.value_or(""));
  return text && number.fault == NumberFault::none ? std::optional(number.value) : std::nullopt;
}

// Whether one of these was chosen from rows.
bool tuned(const TypedData& data, std::span<const std::string_view> options) {
  return std::any_of(options.begin(), options.end(), [&](std::string_view option) {
    return typed_value(data, option) == "auto" ||
           std::find(data.tuned.begin(), data.tuned.end(), option) != data.tuned.end();
  });
}

// Not from standard input, which cannot be read again.
bool can_read_again(const TypedData& data) { return (" " + data.words).find(" - ") == std::string::npos; }

bool tunable(const TypedData& data, std::span<const std::string_view> options) {
  return can_read_again(data) && !tuned(data, options);
}

// As typed, otherwise the model's default.
double penalty_now(const std::string& model, const TypedData& data) {
  if (const std::optional<double> l2 = typed_number(data, "l2")) return *l2;
  for (const std::string_view inverse : {"C", "prior-variance"})
    if (const std::optional<double> value = typed_number(data, inverse)) return 1.0 / *value;
  const std::unique_ptr<TrainerSetup> setup = find_trainer(model).setup();
  const OptionGroup own = setup->options();
  for (const OptionInfo& info : own.options)
    if (info.name == "l2") return parse_number(info.text(own.owner)).value;
  return 0.0;
}

double smoothing_now(const TypedData& data) {
  return typed_number(data, "smoothing").value_or(NaiveBayesOptions().smoothing);
}

// The minimum of smoothing: for a Beta prior that is Beta(1, 1).
bool smooths(const TypedData& data) {
  return typed_number(data, "smoothing") != 0.0 && typed_number(data, "virtual") != 0.0 &&
         typed_value(data, "beta") != "1,1";
}

constexpr double kFurther = 1e4;  // how far a grid extends from a value near the end of the usual ones, or beyond

// From one to the other in steps of about a factor of 10.
std::string range(double low, double high) {
  const double decades = std::round(std::log10(high) - std::log10(low));
  return number_text(low, 12) + ".." + number_text(high, 12) + ":" + number_text(std::clamp(decades + 1, 5.0, 9.0));
}

// From the current value upwards, or up to it: over the usual range, and further if the value is near its end. Empty at
// the limit of doubles.
std::string grid_above(double least, double most, double now) {
  if (now <= 0.0) return range(least, most);
  if (now < most / 5) return range(now, most);
  return now < 1e300 / kFurther ? range(now, now * kFurther) : "";
}
std::string grid_below(double least, double now) {
  if (now > least * 5) return range(least, now);
  return now > 1e-300 * kFurther ? range(now / kFurther, now) : "";
}

void add_tuning(std::vector<Remedy>& remedies, const std::string& model, const TypedData& data,
                const std::string& option, const std::string& grid, std::span<const std::string_view> instead,
                std::string why) {
  if (!grid.empty() && tunable(data, instead))
    remedies.push_back({with("tune", model, data, "--grid " + option + "=" + grid, instead),
                        std::move(why),
                        option,
                        some_of(grid),
                        {instead.begin(), instead.end()}});
}

void add_derived(std::vector<Remedy>& remedies, const std::string& model, const TypedData& data,
                 const std::string& formula) {
  remedies.push_back(
      {with("train", model, data, "--derive " + as_typed(formula)), "more features", "derive", {formula}});
}

constexpr double kPassesByDefault = 10.0;

std::string fewer_passes(double now) {
  std::string list;
  for (const double each : {1.0, 2.0, 5.0, 10.0})
    if (each < now) list += number_text(each) + ",";
  return now <= kPassesByDefault ? list + number_text(now) : list.substr(0, list.size() - 1);
}

}  // namespace

std::vector<Remedy> against_overfitting(const std::string& model, const TypedData& data) {
  std::vector<Remedy> remedies;
  if (data.words.empty() || listed_trainer(model) == nullptr) return remedies;
  const Family family = find_trainer(model).family;
  if (family == Family::counting) {
    if (data.counts)
      add_tuning(remedies, model, data, "smoothing", grid_above(0.01, 100.0, smoothing_now(data)), kSmoothings,
                 "more smoothing");
  } else if (family == Family::online) {
    const double now = typed_number(data, "passes").value_or(kPassesByDefault);
    if (now > 1) add_tuning(remedies, model, data, "passes", fewer_passes(now), kPasses, "fewer passes");
  } else {
    add_tuning(remedies, model, data, "l2", grid_above(1e-3, 1e3, penalty_now(model, data)), kPenalties,
               "a stronger penalty");
  }
  constexpr std::uint64_t kManyTerms = 20;
  if (data.text && data.terms >= kManyTerms) {
    if (!typed(data, "max-terms") && !typed(data, "hash-bits") && !typed(data, "vocabulary"))
      remedies.push_back({with("train", model, data, "--max-terms " + std::to_string(round_half(data.terms))),
                          "fewer features",
                          "max-terms",
                          {std::to_string(round_half(data.terms))}});
  } else if (!data.text && data.columns.size() > 1 && !typed(data, "features")) {
    // Their order does not show which are least useful: each is left out in turn, or each quarter of many.
    constexpr std::size_t kFew = 8, kParts = 4, kMostLetters = 1000;
    std::vector<std::string> columns;
    for (const std::string& column : data.columns)
      if (column.find(',') == std::string::npos) columns.push_back(column);  // --drop would split it
    const std::size_t parts = columns.size() <= kFew ? columns.size() : kParts;
    std::string variants;
    std::vector<std::string> lists;
    for (std::size_t part = 0; part < parts; ++part) {
      std::string list;
      for (std::size_t i = part * columns.size() / parts; i < (part + 1) * columns.size() / parts; ++i)
        list += (list.empty() ? "" : ",") + columns[i];
      variants += std::string(variants.empty() ? "" : " ") + "--with " + as_typed("drop=" + list);
      lists.push_back(list);
    }
    if (parts > 1 && variants.size() <= kMostLetters && can_read_again(data))
      remedies.push_back({with("compare", model, data, variants), "fewer features", "drop", lists});
  }
  return remedies;
}

std::vector<Remedy> against_underfitting(const std::string& model, bool penalised, const TypedData& data) {
  std::vector<Remedy> remedies;
  if (data.words.empty() || listed_trainer(model) == nullptr) return remedies;
  const Family family = find_trainer(model).family;
  const bool counts = family == Family::counting;
  // Naive Bayes already has the squares of numbers, through their variances.
  if (!data.numbers.empty() && !typed(data, "derive") && !counts)
    add_derived(remedies, model, data, Formula::of_column(data.numbers.front()).text() + "^2");
  // Naive Bayes counts, or has a Gaussian: a product of a number and a category is neither.
  const bool one_kind = data.numbers.empty() || data.numbers.size() == data.columns.size();
  if (!data.text && data.columns.size() > 1 && data.columns.size() <= 20 && !typed(data, "derive") &&
      (one_kind || !counts))
    add_derived(remedies, model, data, "cross(all)");
  if (counts) {
    if (data.counts && smooths(data))
      add_tuning(remedies, model, data, "smoothing", grid_below(1e-4, smoothing_now(data)), kSmoothings,
                 "less smoothing");
  } else if (family == Family::online) {
    const double now = typed_number(data, "passes").value_or(kPassesByDefault);
    if (!tuned(data, kPasses))
      remedies.push_back({with("train", model, data, "--passes " + number_text(5 * now, 12), kPasses),
                          "more passes",
                          "passes",
                          {number_text(5 * now, 12)},
                          {"passes"}});
  } else if (penalised && penalty_now(model, data) > 0.0) {
    add_tuning(remedies, model, data, "l2", grid_below(1e-6, penalty_now(model, data)), kPenalties, "a weaker penalty");
  }
  if (remedies.empty() && counts && can_read_again(data)) {
    Remedy another{"plumb compare " + data.words + " -m " + model, "another model", "model"};
    for (const TrainerEntry& entry : trainer_list())
      if (entry.compared && entry.target == Kind::category && entry.name != model) {
        another.command += "," + std::string(entry.name);
        another.values.emplace_back(entry.name);
      }
    remedies.push_back(std::move(another));
  }
  return remedies;
}

bool overfits(double seen, double unseen, double noise) noexcept {
  return unseen - seen > std::max(noise, 0.25 * unseen);
}

FitVerdict fit_verdict(const std::string& model, const SeenErrors& errors, bool penalised, const TypedData& data) {
  const std::string numbers =
      errors.name + " " + four_digits(errors.seen) + " on training rows, " + four_digits(errors.unseen) + " on others";
  if (errors.baseline > 0.0 && errors.unseen <= kNoError * errors.baseline) return {};
  if (overfits(errors.seen, errors.unseen, errors.noise))
    return {model + " overfits: " + numbers, against_overfitting(model, data), true};
  if (errors.baseline > 0.0 && errors.seen > 0.9 * errors.baseline && errors.unseen > 0.9 * errors.baseline)
    return {model + " may underfit: " + numbers + ", " + four_digits(errors.baseline) + " for the baseline",
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
