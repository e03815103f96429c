// Fits one penalised objective by any of the solvers, and writes its notes and warnings: the work of the trainers in
// logistic.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/newton_system.h"
#include "plumb/solver/separation.h"
#include "plumb/solver/solver.h"
#include "plumb/train/column_penalties.h"
#include "plumb/train/count_ratios.h"
#include "plumb/train/curvature.h"
#include "plumb/train/fit_forecast.h"
#include "plumb/train/logistic.h"
#include "plumb/train/lost_in_saving.h"
#include "plumb/train/separation_words.h"
#include "plumb/train/weight_rows.h"

namespace plumb {

inline constexpr double kFeltRounding = 1e-12;  // of a score
inline constexpr double kLastDigits = 1e-12;    // a relative gap that is not worth more steps

// One fit: a weight vector for numbers or for the second of two classes, or one for every class (but the reference).
class ConvexFit {
 public:
  ConvexFit(const Problem& problem, const ConvexOptions& options, const PenaltyStrengths& strengths, DesignMatrix& x,
            Run run)
      : problem_(problem),
        options_(options),
        strengths_(strengths),
        l2_(strengths.l2),
        l1_(strengths.l1),
        x_(x),
        run_(std::move(run)) {}

  // One ratio for each feature and plane, by which features are multiplied.
  void weigh(std::vector<std::vector<double>> ratios) { ratios_ = std::move(ratios); }

  ColumnPenalties penalties() const {
    return column_penalties(problem_, options_, strengths_, x_, ratios_.empty() ? In() : In(ratios_[plane_]));
  }

  Solution solve(std::unique_ptr<RowLoss> loss, std::vector<double> start) {
    ColumnPenalties columns = penalties();
    Objective f(x_, std::move(loss), std::move(columns.ridge), run_);
    if (!columns.lasso.empty()) f.set_lasso(std::move(columns.lasso));
    if (std::any_of(columns.slight.begin(), columns.slight.end(), [](double each) { return each > 0.0; })) {
      leave_out_zeros(x_, columns.slight);
      f.neglect(std::move(columns.slight));
    }
    const SolverChoice choice =
        options_.solver == "auto" ? choose_solver(f) : SolverChoice{&find_solver(options_.solver), "as asked"};
    solver_ = choice.solver;
    reason_ = choice.reason;
    expect_fit(*solver_, f);
    SolverOptions settings{.step = options_.step,
                           .stop = options_.stop,
                           .rate = options_.rate,
                           .tolerance = options_.tolerance,
                           .iterations = options_.max_iterations > 0 ? options_.max_iterations : solver_->iterations,
                           .last_digits = options_.solver != "auto",
                           .order = options_.order,
                           .average = options_.average,
                           .adaptive = options_.adaptive};
    if (start.empty()) start = first_weights(f.size());
    Solution best;
    FitForecast forecast(options_.stop == StopRule::gap ? options_.tolerance : 1e-6, settings.iterations);
    settings.on_step = [&](const Solution& so_far) {
      keep_best(best, so_far);
      run_.report(Phase::fitting, so_far.iterations, 0);
      report_part(run_, Phase::fitting, forecast.part(so_far.trace.back()));
    };
    Unfinished unfinished;
    settings.on_abandoned = [&](In w, In d) { unfinished = {{w.begin(), w.end()}, {d.begin(), d.end()}}; };
    Solution solution;
    try {
      solution = solver_->minimise(f, std::move(start), settings);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      finish_step(f, unfinished, best);
      if (best.iterations == 0) throw;
      solution = stopped_at(f, std::move(best));
    }
    passes_ += f.passes();
    if (f.loss().scaled()) note_scale(f, solution);
    lost_ = lost_in_bias(x_, f.loss(), solution.point);
    if (solver_->name == kNoSolver) return solution;
    if (f.loss().probabilistic() && !f.penalised() && l1_ == 0.0)
      separated_ = separation_words(separation(f, solution), problem_.map, way_out());
    if (l1_ > 0.0)
      needless_ = needless_warnings(f, problem_.map);
    else if (f.loss().curved() && !f.penalised() && separated_.empty())
      note_aliased(f, solution.point.w);
    if (infers(f)) curvature_ = curvature_at(f, solution.point, aliased_, reference_);
    return solution;
  }

  void fit_one(const RowLoss& loss, std::vector<double> start) {
    add_row(take(loss.scaled() ? solve_with_scale(loss, std::move(start)) : solve(loss.copy(), std::move(start))));
  }

  void fit_softmax(std::optional<std::size_t> reference, std::vector<double> start) {
    const std::size_t labels = problem_.labels.size(), outputs = labels - (reference ? 1 : 0), p = x_.columns();
    reference_ = reference;
    if (reference) {
      move_reference(x_, *reference, outputs);
      if (start.size() == labels * p) start = as_differences_to(*reference, start);
    }
    std::vector<double> w = take(solve(softmax_loss(outputs, reference.has_value()), std::move(start)));
    // Without a penalty the weights of all classes are determined up to a shift; it is chosen so that their mean is 0.
    const ColumnPenalties columns = penalties();
    const std::vector<double>&penalty = columns.ridge, &sparse = columns.lasso;
    for (std::size_t j = 0; j < p; ++j) {
      if (reference || penalty[j] > 0.0 || (!sparse.empty() && sparse[j] > 0.0)) continue;
      double mean = 0.0;
      for (std::size_t k = 0; k < outputs; ++k) mean += w[k * p + j] / static_cast<double>(outputs);
      for (std::size_t k = 0; k < outputs; ++k) w[k * p + j] -= mean;
    }
    if (!reference && sparse.empty() && x_.score_rounding(w) > kFeltRounding) {
      const double value = exact_value(x_, softmax_loss(outputs, false), penalty, w, run_);
      gap_ = std::min(gap_ + std::max(0.0, value - value_), value);
      value_ = value;
    }
    for (std::size_t k = 0; k < labels; ++k)
      add_row(reference == k ? std::vector<double>(p) : part(w, reference && k > *reference ? k - 1 : k));
  }

  void fit_one_against_rest(const RowLoss& loss, const std::vector<double>& start) {
    const std::vector<double> own(x_.targets().begin(), x_.targets().end());
    const Run whole = run_;
    const auto labels = static_cast<double>(problem_.labels.size());
    for (std::size_t k = 0; k < problem_.labels.size(); ++k) {
      if (stopped_)
        throw Error(ErrorCode::interrupted, "stopped on request when " + count_text(k) + " of " +
                                                counted(problem_.labels.size(), "class") + " had been fitted");
      plane_ = k;
      std::vector<double> is = own;
      for (double& target : is) target = target == static_cast<double>(k) ? 1.0 : 0.0;
      x_.set_targets(std::move(is));
      run_.watch = within(whole, static_cast<double>(k) / labels, static_cast<double>(k + 1) / labels).watch;
      add_row(take(solve(loss.copy(), start.empty() ? start : part(start, k))));
    }
  }

  const WeightRows& rows() const { return rows_; }
  const std::vector<SolverStep>& trace() const { return trace_; }
  const SolverEntry& solver() const { return *solver_; }
  bool stopped() const noexcept { return stopped_; }
  // Of an unpenalised maximum of a likelihood, if the problem asks for it.
  std::shared_ptr<const Curvature> curvature() const { return relative_gap() <= wanted_gap() ? curvature_ : nullptr; }

  Record record() const {
    Record record;
    record.solver = solver_->name;
    record.train_rows = x_.all_rows();
    record.iterations = iterations_;
    record.objective = value_;
    record.converged = (separated_.empty() && !stopped_ && relative_gap() <= wanted_gap()) || by_rule();
    record.certificate = {"gap", relative_gap()};
    record.fit = {{"l2", l2_}, {"training_loss", loss_}, {"passes", passes_}};
    if (l1_ > 0.0) record.fit.insert(record.fit.begin() + 1, {"l1", l1_});
    if (!strengths_.units.empty()) record.fit.emplace_back(kInSpreads, 1.0);
    if (!separated_.empty()) record.fit.emplace_back("separated", 1.0);
    if (scale_ > 0.0) record.fit.emplace_back("scale", scale_);
    if (by_rule()) record.fit.emplace_back("stopped_by_rule", 1.0);
    record.aliased = aliased_;
    return record;
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> all = warnings_of_optimum();
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    all.insert(all.end(), needless_.begin(), needless_.end());
    constexpr std::size_t kMostNamed = 5;
    const auto a_sum = [&](bool with_bias) {
      return std::string("it is a linear combination of other features, within rounding") +
             (with_bias ? " and the bias" : "");
    };
    for (std::size_t i = 0; i < std::min(kMostNamed, aliased_.size()); ++i)
      all.push_back("feature " + in_quotes(problem_.map.name(aliased_[i])) +
                    " has no unique weight: " + a_sum(x_.bias()) + "; " + shares());
    if (aliased_.size() > kMostNamed)
      all.push_back("so have " + count_text(aliased_.size() - kMostNamed) +
                    " more features (plumb inspect lists them)");
    for (std::size_t i = 0; i < std::min(kMostNamed, shared_.size()); ++i)
      all.push_back("the weight of feature " + in_quotes(problem_.map.name(shared_[i])) +
                    " is not unique: " + a_sum(x_.bias()) + "; " + shares());
    if (shared_bias_) all.push_back("the bias is not unique: " + a_sum(false) + "; " + shares());
    if (aliased_bias_) all.push_back("the bias is 0: a linear combination of the features is constant and replaces it");
    return all;
  }
  const std::string& reason() const { return reason_; }

 private:
  // Whether the weights maximise a likelihood: with a penalty, or with classes weighted, they maximise something else.
  bool infers(const Objective& f) const {
    return problem_.infers && l2_ == 0.0 && l1_ == 0.0 && options_.class_weight.empty() && separated_.empty() &&
           !stopped_ && !shared_bias_ && !aliased_bias_ && shared_.empty() &&
           (f.loss().probabilistic() || f.loss().kind() == Loss::poisson);
  }

  // The minimum over the weights is a convex function of the scale, whose slope is that of the objective at its
  // optimum. The Illinois rule finds its root in a bracket. Every fit starts where the last one ended.
  Solution solve_with_scale(const RowLoss& loss, std::vector<double> start) {
    constexpr int kMostFits = 60;
    constexpr double kLeast = 1e-9;  // times the first scale: below it rows that are fitted exactly have none
    const double first = first_scale();
    double low = 0.0, high = kInfinity, at_low = 0.0, at_high = 0.0;  // slopes below and above 0
    scale_ = first;
    int same_side = 0;
    Solution best;
    for (int fits = 0; fits < kMostFits; ++fits) {
      std::unique_ptr<RowLoss> own = loss.copy();
      own->set_scale(scale_);
      Solution found = solve(std::move(own), start);
      start = found.point.w;
      found.iterations += best.iterations;
      found.trace.insert(found.trace.begin(), best.trace.begin(), best.trace.end());
      best = std::move(found);
      if (stopped_ || best.gap <= options_.tolerance * best.point.value || scale_slope_ == 0.0) break;
      if ((std::isfinite(high) && high - low <= 1e-15 * high) || scale_ <= kLeast * first) break;
      const bool above = scale_slope_ > 0.0;
      (above ? high : low) = scale_;
      (above ? at_high : at_low) = scale_slope_;
      same_side = above == (same_side > 0) ? same_side + (above ? 1 : -1) : above ? 1 : -1;
      if (low == 0.0) {
        scale_ = std::max(scale_ / 4, kLeast * first);
      } else if (!std::isfinite(high)) {
        scale_ *= 4;
      } else {
        // The end that has not moved counts half, each time.
        const double pull_low = same_side > 1 ? std::ldexp(at_low, 1 - same_side) : at_low;
        const double pull_high = same_side < -1 ? std::ldexp(at_high, 1 + same_side) : at_high;
        scale_ = (low * pull_high - high * pull_low) / (pull_high - pull_low);
        if (!(scale_ > low && scale_ < high)) scale_ = (low + high) / 2;
      }
    }
    if (scale_ <= kLeast * first)
      warnings_.push_back("more rows are fitted exactly than the threshold of " + std::string(loss.name()) +
                          " allows for, so the scale is 0; -m least-squares, or a larger threshold, has one");
    return best;
  }

  // The spread of the targets minus offsets; 1 if they are all the same.
  double first_scale() const {
    double weight = 0.0, sum = 0.0, squares = 0.0;
    const auto each = [&](auto&& use) {
      for (std::size_t i = 0; i < x_.rows(); ++i)
        use(x_.weights()[i], x_.targets()[i] - (x_.offsets().empty() ? 0.0 : x_.offsets()[i]));
    };
    each([&](double s, double y) { weight += s, sum += s * y; });
    each([&](double s, double y) { squares += s * (y - sum / weight) * (y - sum / weight); });
    return squares > 0.0 ? std::sqrt(squares / weight) : 1.0;
  }

  // The dual of both requires sum_i s_i dual_room(u_i) <= 0, so slopes are scaled towards 0 until it holds; the
  // remainder, times the scale, bounds the gain from another scale.
  void note_scale(Objective& f, Solution& solution) {
    const In s = x_.weights();
    scale_slope_ = f.loss().scale_slope(solution.point.z, x_.targets(), s);
    const double none = f.loss().dual_room(s, std::vector<double>(solution.point.slope.size()));
    const auto gap = [&](std::vector<double> u, In reach) {
      f.loss().mend(x_.targets(), s, u);
      const double all = f.loss().dual_room(s, u);
      const double factor = all > 0.0 ? std::sqrt(-none / (all - none)) : 1.0;
      for (double& each : u) each *= factor;
      const std::vector<double> v = f.dual_point(u);
      const double room = std::min(0.0, f.loss().dual_room(s, u));
      return f.gap(solution.point, u, v, reach) - scale_ * room;
    };
    solution.gap = std::min(gap(solution.point.slope, {}), solution.point.value);
    if (stopped_ || l1_ > 0.0 || solution.gap <= options_.tolerance * solution.point.value) return;
    // Away from the optimum the slopes leave a remainder on unpenalised weights; those after a Newton step do not.
    NewtonSystem system(f);
    const NewtonSystem::Direction direction = system.solve(solution.point, true);
    if (!direction.zd.empty())
      solution.gap = std::min(solution.gap, gap(f.newton_slopes(solution.point, direction.zd), direction.d));
  }

  // Stopped as --stop change or gradient asks, or as given, and not near enough to the optimum to be certified.
  bool by_rule() const {
    return (options_.stop != StopRule::gap || solver_->name == kNoSolver) && why_ == StopReason::by_rule && !stopped_ &&
           relative_gap() > wanted_gap();
  }

  std::vector<std::string> warnings_of_optimum() const {
    if (!separated_.empty()) return {separated_};
    if (by_rule()) return {};
    const double gap = relative_gap();
    if (gap <= wanted_gap() && !stopped_) return {};
    const std::string far = gap < 1.0 ? "within " + number_text(gap, 2) + " of the optimum"
                                      : "without a bound on the distance from the optimum";
    if (stopped_)
      return {"the fit was stopped after " + counted(iterations_, "step") + ", " + far +
              "; --continue goes on from the model that is saved"};
    const std::string hint =
        gap <= kLastDigits ? "rounding allows no more; --tolerance " + number_text(kLastDigits) + " can be reached"
        : why_ == StopReason::iteration_limit
            ? "--max-iterations " + std::to_string(10 * std::max<std::uint64_t>(iterations_, 1)) + " goes on"
        : solver_->name != "newton" && !ended_by_newton_ && l1_ == 0.0
            ? "--solver newton may find it"
            : "rounding stops further progress; --scale standard may help";
    return {"the solver stopped " + far + ", short of " + number_text(wanted_gap(), 2) + " after " +
            counted(iterations_, "step") + "; " + hint};
  }

  // Columns that the solver set aside: their weight is 0, and others replace them. Some columns have a weight but do
  // not need one. With many columns this is not checked, if the solver had no matrix to show it.
  void note_aliased(const Objective& f, In w) {
    constexpr std::size_t kMostColumns = 512;
    const std::size_t p = x_.columns();
    if ((p > kMostColumns && !f.knows_made_up()) || x_.entries() == 0) return;
    aliased_.clear();  // of an earlier fit to the same columns
    shared_.clear();
    for (std::size_t j = 0; j < p; ++j) {
      if (f.made_up(j) == MadeUp::no || f.ridge()[j] > 0.0 || problem_.map.offset() == j) continue;
      bool zero = true;
      for (std::size_t k = 0; k < f.outputs(); ++k) zero = zero && w[k * p + j] == 0.0;
      const bool bias = x_.bias() && j + 1 == p;
      if (zero && bias)
        aliased_bias_ = true;
      else if (zero)
        aliased_.push_back(static_cast<std::uint32_t>(j));
      else if (f.made_up(j) == MadeUp::nearly && bias)
        shared_bias_ = true;
      else if (f.made_up(j) == MadeUp::nearly)
        shared_.push_back(static_cast<std::uint32_t>(j));
    }
  }

  std::vector<double> first_weights(std::size_t size) const {
    std::vector<double> w(size);
    if (options_.start.rule == StartWeights::zero) return w;
    const RandomKey key = run_.random.with_stream(Stream::start);
    for (std::size_t i = 0; i < size; ++i) w[i] = std::ldexp(key.uniform(i), x_.exponent(i % x_.columns()));
    return w;
  }

  // The steps so far, and the point with the least value: only w and the value, because the rest follows from them.
  static void keep_best(Solution& best, const Solution& so_far) {
    if (best.trace.empty() || so_far.point.value <= best.point.value) {
      best.point.w = so_far.point.w;
      best.point.value = so_far.point.value;
    }
    best.iterations = so_far.iterations;
    best.trace.push_back(so_far.trace.back());
  }

  using Unfinished = std::pair<std::vector<double>, std::vector<double>>;  // from w along d
  // If asked to stop within a long step, it goes as far along it as pays: a few more passes, and not all is lost.
  void finish_step(Objective& f, const Unfinished& step, Solution& best) {
    const auto& [start, d] = step;
    if (d.empty()) return;
    run_.watch = {};
    if (best.trace.empty()) {
      best.point = f.at(start);
      best.trace.push_back({0, best.point.value, 0.0, 0.0, f.passes(), kInfinity});
    }
    for (double t = 1.0; t > 1e-6; t /= 4) {
      std::vector<double> w = start;
      for (std::size_t i = 0; i < w.size(); ++i) w[i] += t * d[i];
      const Objective::Point point = f.at(std::move(w));
      if (!(point.value < best.point.value)) continue;
      best.point = point;
      best.trace.push_back({++best.iterations, point.value, 0.0, t, f.passes(), kInfinity});
      return;
    }
  }

  Separation separation(Objective& f, const Solution& solution) {
    if (stopped_) return separated_by_column(f);
    try {
      return find_separation(f, solution.point, solution.gap <= options_.tolerance * solution.point.value);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      stopped_ = true;
      run_.watch = {};
      return separated_by_column(f);
    }
  }

  std::vector<double> as_differences_to(std::size_t reference, const std::vector<double>& w) const {
    std::vector<double> result;
    for (std::size_t p = x_.columns(), k = 0; k < problem_.labels.size(); ++k)
      for (std::size_t j = 0; k != reference && j < p; ++j) result.push_back(w[k * p + j] - w[reference * p + j]);
    return result;
  }

  // Asked to stop: the best point so far, with the bound from one more pass.
  Solution stopped_at(Objective& f, Solution best) {
    stopped_ = true;
    run_.watch = {};
    best.point = f.at(std::move(best.point.w));
    best.gap = f.gap(best.point, best.point.slope, {});
    best.why = StopReason::asked;
    return best;
  }

  // If weights grow without end, nothing bounds the decrease of the loss.
  double relative_gap() const {
    const double gap = value_ > 0.0 ? gap_ / value_ : gap_;
    return separated_.empty() ? gap : std::max(gap, 1.0);
  }
  // The tolerance is that of the gap unless --stop names another quantity.
  double wanted_gap() const { return options_.stop == StopRule::gap ? options_.tolerance : 1e-6; }
  std::vector<double> part(const std::vector<double>& w, std::size_t k) const {
    const auto begin = w.begin() + static_cast<std::ptrdiff_t>(k * x_.columns());
    return {begin, begin + static_cast<std::ptrdiff_t>(x_.columns())};
  }
  void add_row(const std::vector<double>& w) { rows_.add(w, x_, problem_.map.offset()); }
  // Several fits are treated as one: their objectives, and their gaps, are added.
  std::vector<double> take(Solution solution) {
    trace_.insert(trace_.end(), solution.trace.begin(), solution.trace.end());
    value_ += solution.point.value;
    loss_ += solution.point.loss;
    gap_ += lost_ > 0.0 ? std::min(solution.gap + lost_, solution.point.value) : solution.gap;
    iterations_ += solution.iterations;
    why_ = std::max(why_, solution.why);
    ended_by_newton_ = ended_by_newton_ || solution.ended_by_newton;
    return std::move(solution.point.w);
  }

  // A hint that shares the weight among interchangeable columns: a penalty large enough to matter.
  std::string shares() const {
    if (!(l2_ > kNoPenalty)) return "--l2 1 makes it unique";
    if (!options_.penalty_factor.empty()) return "a --penalty-factor above 0 makes it unique";
    return "the penalty of l2 " + number_text(l2_) +
           " is too small for features this large; --scale standard makes the weights unique";
  }

  // A hint to give the weights a penalty: there was none, it was removed, or it is negligible beside such large
  // features.
  std::string way_out() const {
    if (!(l2_ > kNoPenalty))
      return problem_.labels.size() == 2 ? "--l2 1 adds a penalty, --firth gives finite weights with intervals"
                                         : "--l2 1 adds a penalty";
    if (!options_.penalty_factor.empty()) return "a --penalty-factor above 0 adds a penalty";
    return "the penalty of l2 " + number_text(l2_) +
           " is too small for features this large; --scale standard brings them to one scale";
  }

  const Problem& problem_;
  const ConvexOptions& options_;
  PenaltyStrengths strengths_;
  double l2_, l1_;
  std::vector<std::vector<double>> ratios_;  // of --weighting nb
  std::size_t plane_ = 0;                    // that is being fitted
  DesignMatrix& x_;
  Run run_;  // of its own: no longer called once it asked to stop
  bool stopped_ = false;
  bool ended_by_newton_ = false;
  const SolverEntry* solver_ = nullptr;
  std::string reason_;
  std::string separated_;               // how, and by which features; empty if not
  std::vector<std::uint32_t> aliased_;  // features
  std::optional<std::size_t> reference_;
  std::shared_ptr<const Curvature> curvature_;
  std::vector<std::uint32_t> shared_;  // features whose weight could be moved to others
  bool aliased_bias_ = false, shared_bias_ = false;
  WeightRows rows_;
  std::vector<SolverStep> trace_;
  std::uint64_t iterations_ = 0;
  StopReason why_ = StopReason::converged;  // the worst of several fits
  double value_ = 0.0, loss_ = 0.0, gap_ = 0.0;
  double passes_ = 0.0;
  double lost_ = 0.0;                       // from rounding the bias of the last fit
  double scale_ = 0.0, scale_slope_ = 0.0;  // for a loss with a scale
  std::vector<std::string> warnings_;
  std::vector<std::string> needless_;  // columns without a weight
};

}  // namespace plumb
