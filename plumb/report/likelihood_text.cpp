#include "plumb/report/likelihood_text.h"

#include <cmath>
#include <optional>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/infer/bootstrap.h"
#include "plumb/infer/full_inference.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/infer/model_terms.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/special.h"
#include "plumb/report/inference_text.h"
#include "plumb/report/model_rows.h"
#include "plumb/solver/solver.h"
#include "plumb/train/firth.h"

namespace plumb {
namespace {

std::string freedom_text(double freedom) {
  return four_digits(freedom) + (freedom == 1 ? " degree of freedom" : " degrees of freedom");
}

std::string end_text(double end) { return std::isnan(end) ? "none" : four_digits(math::exp(end)); }

}  // namespace

std::string likelihood_lines(const Record& record) {
  if (!has_likelihood(record)) return "";
  const auto number = [&](const char* name) { return find_number(record, name); };
  std::string none, rest, test;
  if (const double* const deviance = number(kNullDeviance)) none = "null deviance " + two_decimals(*deviance);
  if (const double* const freedom = number(kNullFreedom); freedom != nullptr && !none.empty())
    none += " on " + freedom_text(*freedom);
  rest = "residual deviance " + two_decimals(*number(kResidualDeviance));
  if (const double* const freedom = number(kResidualFreedom)) rest += " on " + freedom_text(*freedom);
  if (const double* const aic = number("aic")) rest += "   AIC " + two_decimals(*aic);
  if (const double* const bic = number("bic")) rest += "   BIC " + two_decimals(*bic);
  const double *const ratio = number("likelihood_ratio"), *const degrees = number("likelihood_ratio_degrees"),
                      *const p = number("likelihood_ratio_p");
  if (ratio != nullptr && degrees != nullptr && p != nullptr)
    test = "likelihood ratio " + two_decimals(*ratio) + " on " + four_digits(*degrees) + ", p " + p_text(*p);
  if (const double* const r2 = number("mcfadden_r_squared"))
    test += (test.empty() ? "" : "   ") + std::string("McFadden R^2 ") + four_digits(*r2);
  std::string text;
  if (find_statistic(record, kProfileRatio) != nullptr)
    text = "chi^2, p and intervals: by " +
           std::string(find_number(record, kFirthLikelihood) != nullptr ? "penalised " : "") + "profile likelihood\n";
  for (const std::string& line : {none, rest, test})
    if (!line.empty()) text += line + "\n";
  return text;
}

std::string term_table(const LinearModel& model, const Record& record, const Style& style) {
  const std::vector<TermTest> tests = term_tests(model.parts().map, record);
  if (tests.empty()) return "";
  const bool f = find_statistic(record, kTermSquares) != nullptr;
  TextTable table;
  table.add(f ? std::vector<std::string>{"term", "degrees", "sum of squares", "F", "p"}
              : std::vector<std::string>{"term", "degrees", "chi^2", "p"});
  for (const TermTest& each : tests) {
    std::vector<std::string> cells = {escaped_for_terminal(each.name), four_digits(each.degrees)};
    if (each.degrees > 0) {
      if (f) cells.push_back(four_digits(each.squares));
      cells.push_back(four_digits(each.statistic));
      cells.push_back(p_text(each.p));
    }
    table.add(std::move(cells));
  }
  return "\n" + table.text(style);
}

std::string no_tests_text(const LinearModel& model, const Record& record) {
  const auto above_zero = [&](const char* name) {
    const double* const found = find_number(record, name);
    return found != nullptr && *found > 0.0;
  };
  const bool l2 = above_zero("l2"), l1 = above_zero("l1");
  if (const double* const resamples = find_number(record, kBootstrapRefits))
    return "errors and intervals by " + counted(static_cast<std::uint64_t>(*resamples), "refit") +
           " to rows drawn with replacement" +
           (l2 || l1 ? "; no p-values, because the penalty shrinks the weights" : "");
  const auto link_of_likelihood = [&] {
    const Link link = model.parts().link;
    return link == Link::logistic || link == Link::softmax || link == Link::log;
  };
  const std::string* const amount = find_option(record, "inference");
  if (!l2 && !l1 && find_number(record, "l2") != nullptr && link_of_likelihood() && record.converged &&
      record.standard_errors.empty() && (amount == nullptr || *amount != "none"))
    return find_option(record, "class-weight") != nullptr
               ? "no standard errors: with --class-weight the weights do not maximise the likelihood; --errors "
                 "bootstrap:1000 has them"
               : "no standard errors: the weights are too many, or not unique";
  if (!(l2 || l1) || model.features() > kMostKeptFeatures || record.solver == kNoSolver) return "";
  const bool without = link_of_likelihood() || find_number(record, "residual_sum_of_squares") != nullptr;
  return "no p-values: the penalty shrinks the weights; " +
         std::string(without ? (l1 ? "a fit without it has them, and " : "train --l2 0 has them, and ") : "train ") +
         "--errors bootstrap:1000 has errors and intervals";
}

std::string ratio_name(const LinearModel& model) {
  switch (model.parts().link) {
    case Link::logistic:
    case Link::softmax: return "odds ratio";
    case Link::log: return "rate ratio";
    default: return "";
  }
}

std::string ratio_table(const SavedModel& saved, std::uint64_t top, const Style& style) {
  const LinearModel& model = saved.model;
  const std::string name = ratio_name(model);
  const std::optional<WeightTests> tests = weight_tests(model, saved.record);
  if (!tests || name.empty() || !(tests->normal || tests->bootstrap) || model.features() == 0) return "";
  const std::vector<double> zero = reference_weights(model, saved.record);
  std::string text;
  for (ModelRows rows(model, top, ranks_above_mean(saved, top), feature_spreads(saved.record)); rows.next();) {
    TextTable table;
    table.add({"feature", name, "95% low", "95% high"});
    bool any = false;
    for (const std::uint32_t j : rows.shown()) {
      const std::size_t at = rows.number() * model.features() + j;
      if (std::isnan((tests->bootstrap ? tests->low : tests->t).weights[at])) continue;  // aliased, fixed, or of the reference label
      any = true;
      table.add({escaped_for_terminal(model.parts().map.name(j)), four_digits(math::exp(rows.weights()[j] - zero[j])),
                 end_text(tests->low.weights[at]), end_text(tests->high.weights[at])});
    }
    if (!any) continue;
    text += "\n";
    if (model.rows() > 1) text += style.bold(escaped_for_terminal(model.parts().labels[rows.number()])) + "\n";
    text += table.text(style);
  }
  return text;
}

}  // namespace plumb
