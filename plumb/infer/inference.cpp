// Notation: n the sum of the weights, k the rank, RSS and TSS the residual and the total sum of squares.
#include "plumb/infer/inference.h"
#include "plumb/base/options.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/infer/bootstrap.h"
#include "plumb/infer/diagnostics.h"
#include "plumb/infer/interval.h"
#include "plumb/infer/least_squares_terms.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/infer/robust_errors.h"
#include "plumb/math/distributions.h"
#include "plumb/math/special.h"
#include "plumb/train/row_pass.h"

namespace plumb {
namespace {

Error penalised() {
  return Error(ErrorCode::usage, "robust errors need a fit without a penalty, which biases the weights",
               "--l2 0, or --errors bootstrap:1000");
}

class Inference {
 public:
  Inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run,
            std::span<const std::uint32_t> clusters)
      : fit_(fit),
        record_(fit.record),
        examples_(examples),
        options_(options),
        run_(run),
        clusters_(clusters),
        basis_(basis_of(fit)),
        k_(static_cast<double>(basis_.rank())),
        freedom_(number("degrees_of_freedom")),
        residual_(number("residual_sum_of_squares")) {}

  // With a penalty the weights are biased: only the leave-one-out error is valid, since its leverages include the
  // penalty.
  void add() {
    if (find_number(record_, "l2") != nullptr) {
      if (options_.errors.robust() || !options_.cluster.empty())
        throw penalised();
      return add_leave_one_out();
    }
    if (freedom_ > 0) {
      add_tests();
      add_likelihood();
      add_inflation();
    }
    add_leave_one_out();
    add_residual_quantiles(fit_, examples_, run_);
    const bool robust = options_.errors.robust() || !options_.cluster.empty();
    if (freedom_ > 0 && !robust && has_leverages(fit_) && basis_.features() <= kMostKeptFeatures)
      add_least_squares_terms(fit_, options_.inference == InferenceAmount::full);
    if (!options_.cluster.empty()) make_errors_clustered(fit_, examples_, clusters_);
    if (options_.errors.robust() && freedom_ > 0) make_errors_robust();
    if (freedom_ > 0 && has_leverages(fit_) && basis_.features() <= kMostKeptFeatures) keep_basis(record_, basis_);
  }

 private:
  double number(std::string_view name) const {
    const double* const found = find_number(record_, name);
    return found != nullptr ? *found : 0.0;
  }
  double copies() const { return freedom_ + k_; }
  void put(const char* name, double value) {
    if (std::isfinite(value)) record_.fit.emplace_back(name, value);
  }

  // Against the constant model, or without a bias against 0.
  void add_tests() {
    const double* const total = find_number(record_, "total_sum_of_squares");
    if (total == nullptr || !(*total > 0)) return;
    const double constant = basis_.bias() ? 1.0 : 0.0;
    put("adjusted_r_squared", 1.0 - residual_ / freedom_ / (*total / (copies() - constant)));
    const double tested = k_ - constant;
    if (tested <= 0 || !(residual_ > 0)) return;
    const double f = std::max(0.0, *total - residual_) / tested / (residual_ / freedom_);
    put("f_statistic", f);
    put("f_numerator_degrees", tested);
    put("f_denominator_degrees", freedom_);
    put("f_p", math::FRatio{tested, freedom_}.upper(f));
  }

  // For normal errors at the variance that maximises it, RSS / n. That variance is a parameter like the k weights, as
  // in R (not in statsmodels).
  void add_likelihood() {
    if (!(residual_ > 0)) return;
    const double n = copies();
    constexpr double log_two_pi = 1.8378770664093453;
    const double log_likelihood = -n / 2 * (log_two_pi + math::log(residual_ / n) + 1.0);
    put("log_likelihood", log_likelihood);
    put("aic", -2 * log_likelihood + 2 * (k_ + 1));
    put("bic", -2 * log_likelihood + math::log(n) * (k_ + 1));
  }

  // 1 / (1 - R^2) of a feature on all others: its sum of squares times its element on the diagonal of the inverse,
  // which is (standard error / residual sd)^2.
  void add_inflation() {
    const double sd = number("residual_sd");
    const std::size_t p = basis_.features();
    if (!(sd > 0) || record_.standard_errors.weights.size() != p) return;
    std::vector<double> inflation(p);
    double largest = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
      const double unit =
          std::ldexp(record_.standard_errors.weights[j] / sd, static_cast<int>(basis_.parts().exponent[j]));
      inflation[j] = unit * unit * basis_.squares(j);
      if (!std::isfinite(inflation[j])) return;
      largest = std::max(largest, inflation[j]);
    }
    if (largest > 0) put("largest_vif", largest);
    record_.statistics.push_back({"vif", {1, p}, std::move(inflation)});
  }

  void add_leave_one_out() {
    const auto columns = static_cast<double>(basis_.size());
    if (!has_leverages(fit_)) return;
    if (static_cast<double>(examples_.size()) * columns * columns > kMostLeaveOneOutWork) return;
    const LeaveOneOut left = leave_one_out(fit_, examples_, run_);
    if (!(left.weight > 0)) return;
    put("press", left.press);
    put("loo_rmse", left.rmse());
    if (left.alone > 0) put("loo_rows_without", static_cast<double>(left.alone));
  }

  // Covariance (X'SX)^-1 (sum s v x x') (X'SX)^-1 with v the square of the row's residual, corrected. Its diagonal is a
  // sum of squares over rows, u = (X'SX)^-1 x being the row's influence on the weights: nothing cancels. Residuals are
  // divided by their sd, so that their squares stay in range.
  void make_errors_robust() {
    if (!has_leverages(fit_)) {
      record_.standard_errors = {};
      fit_.warnings.push_back("robust errors need leverages, which this fit does not have");
      return;
    }
    const double sd = number("residual_sd");
    const std::size_t q = basis_.size(), first = basis_.bias() ? 1 : 0;
    std::vector<double> total(q + 1);  // the last: rows of leverage 1
    if (sd > 0)
      run_.reduce(Phase::evaluating, examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
        for_each_placed(examples_.block(b), fit_, basis_, examples_,
                        [&](std::span<const PlacedRow> rows, EightRows& eight) {
                          eight.solve();
                          for (std::size_t lane = 0; lane < rows.size(); ++lane)
                            add_pull(rows[lane], sd, eight, lane, out);
                        });
      });
    if (total[q] > 0 && (options_.errors.kind == Errors::hc2 || options_.errors.kind == Errors::hc3))
      return leave_out_errors(static_cast<std::uint64_t>(total[q]));
    const double correction = options_.errors.kind == Errors::hc1 ? copies() / freedom_ : 1.0;
    const auto error = [&](std::size_t i) { return sd * std::sqrt(correction * total[i]); };
    ModelNumbers& errors = record_.standard_errors;
    if (basis_.bias()) errors.bias = {error(0)};
    errors.weights.resize(basis_.features());
    for (std::size_t j = 0; j < basis_.features(); ++j) {
      errors.weights[j] = std::ldexp(error(first + j), -static_cast<int>(basis_.parts().exponent[j]));
      if (!std::isfinite(errors.weights[j]))
        throw Error(ErrorCode::data, "a robust standard error is too large for a number", "--errors classic");
    }
  }

  // hc2 and hc3 would divide 0 by 0: such a row has residual 0, whatever its error, and carries no information on its
  // variance.
  void leave_out_errors(std::uint64_t rows) {
    const std::string name(EnumNames<Errors>::names[static_cast<std::size_t>(options_.errors.kind)]);
    record_.standard_errors = {};
    fit_.warnings.push_back("there are no " + name + " errors: " + counted(rows, "row") +
                            (rows == 1 ? " has" : " have") +
                            " leverage 1: it alone determines a weight, so its residual is always 0; --errors classic "
                            "assumes one variance for all rows");
  }

  // The influence of the row on the weights is in the lane.
  void add_pull(const PlacedRow& row, double sd, const EightRows& eight, std::size_t lane, Out out) const {
    const double room = row.copy_room;
    const double scaled = row.residual / sd;
    double variance = row.weight * scaled * scaled;
    if (room <= kLeverageOne) {
      out[basis_.size()] += 1;
      variance = 0.0;
    }
    if (options_.errors.kind == Errors::hc2 && variance > 0) variance /= room;
    if (options_.errors.kind == Errors::hc3 && variance > 0) variance /= room * room;
    const std::size_t first = basis_.bias() ? 1 : 0;
    for (std::size_t j = 0; j < basis_.features(); ++j) {
      const double u = eight.number(first + j, lane).high;
      out[first + j] += variance * u * u;
    }
    if (first == 0) return;
    const double bias = eight.bias_pull(lane).high;
    out[0] += variance * bias * bias;
  }

  Trained& fit_;
  Record& record_;
  const Examples& examples_;
  const InferenceOptions& options_;
  const Run& run_;
  std::span<const std::uint32_t> clusters_;
  const Basis& basis_;
  double k_;
  double freedom_;
  double residual_;
};

}  // namespace

void check_inference(const InferenceOptions& options) {
  const bool asked = options.errors.kind != Errors::classic || !options.cluster.empty();
  if (options.inference == InferenceAmount::none && asked)
    throw Error(ErrorCode::usage, "--inference none computes no errors, and --errors or --cluster asks for them",
                "leave out --inference");
  if (!options.cluster.empty() && options.errors.kind != Errors::classic)
    throw Error(ErrorCode::usage, "--cluster has errors of its own, and --errors asks for others",
                "leave out --errors");
  if (options.inference == InferenceAmount::full && asked)
    throw Error(ErrorCode::usage,
                "--inference full has tests by the likelihood, which robust errors do not take for granted",
                "--inference wald");
}

void add_inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run,
                   const InferenceData& data) {
  check_inference(options);
  if (options.inference == InferenceAmount::none) {
    fit.record.standard_errors = {};
    return;
  }
  if (options.errors.kind == Errors::bootstrap) {
    InferenceOptions classic = options;
    classic.errors = {};
    add_inference(fit, examples, classic, run, data);
    if (fit.stopped) return;
    if (data.trainer == nullptr) throw Error(ErrorCode::usage, "the bootstrap needs a trainer", "--errors classic");
    return add_bootstrap(fit, examples, *data.trainer, options.errors.resamples, run);
  }
  if (fit.curvature != nullptr) return add_likelihood_inference(fit, examples, options, run, data);
  const bool robust = options.errors.robust() || !options.cluster.empty();
  // A fit to separable classes, or one that fell short, has said that it has no errors.
  if (fit.basis == nullptr && (find_number(fit.record, "separated") != nullptr || !fit.record.converged)) return;
  if (fit.basis == nullptr && options.inference == InferenceAmount::full)
    fit.warnings.emplace_back(
        "--inference full has nothing to add: intervals and tests need least squares, logistic or poisson, without a "
        "penalty and with unique weights");
  const double* const l2 = find_number(fit.record, "l2");
  if (fit.basis == nullptr && robust && l2 != nullptr && *l2 > 0.0) throw penalised();
  if (fit.basis != nullptr || robust) Inference(fit, examples, options, run, data.clusters).add();
}

ErrorsChoice OptionText<ErrorsChoice>::read(std::string_view text) {
  constexpr std::string_view kBootstrap = "bootstrap";
  constexpr double kMostResamples = 1e6;
  const OptionFault fault{"classic, hc0, hc1, hc2, hc3, or bootstrap:N with N from 2 to 1000000"};
  ErrorsChoice choice;
  if (text.starts_with(kBootstrap)) {
    choice.kind = Errors::bootstrap;
    text.remove_prefix(kBootstrap.size());
    if (text.empty()) return choice;
    const ParsedNumber number = parse_number(text.substr(1));
    if (text.front() != ':' || number.fault != NumberFault::none || !(number.value >= 2) ||
        !(number.value <= kMostResamples) || number.value != std::floor(number.value))
      throw fault;
    choice.resamples = static_cast<std::uint64_t>(number.value);
    return choice;
  }
  const auto& names = EnumNames<Errors>::names;
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) throw fault;
  choice.kind = static_cast<Errors>(found - std::begin(names));
  return choice;
}

std::string OptionText<ErrorsChoice>::text(const ErrorsChoice& choice) {
  const std::string name(EnumNames<Errors>::names[static_cast<std::size_t>(choice.kind)]);
  return choice.kind == Errors::bootstrap ? name + ":" + std::to_string(choice.resamples) : name;
}

OptionTable InferenceOptions::table() {
  return {
      option("inference", &InferenceOptions::inference,
             "standard errors and tests of a fit without a penalty: none, wald (from the fit itself), or full (also "
             "profile-likelihood intervals and a test of every term, by refits)")
          .value("AMOUNT")
          .otherwise("wald"),
      option("errors", &InferenceOptions::errors,
             "standard errors: classic (one variance for all rows, or that of the likelihood), hc0 to hc3 (robust to "
             "other variances), or by N refits to rows drawn with replacement, also with a penalty")
          .value("classic|hc0|hc1|hc2|hc3|bootstrap:N"),
      option("cluster", &InferenceOptions::cluster,
             "a column of clusters whose rows may depend on each other: errors are robust to that; never a feature")
          .value("COL")
          .otherwise("none")};
}

}  // namespace plumb
