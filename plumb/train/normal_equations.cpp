// Notation: n rows, p features, x a row, y its target, s its weight, w the weights, b the bias, r = y - x.w - b; all in
// the units of Moments, powers of two that bring each column, the target and the weights near 1. The solver works on u
// in y = sum_j u_j z_j, where z = (1, x_j - c_j). The shift c affects only the factor; residuals use the original data.
// w and b are double-double until they are rounded at the end: b = mean y - w.mean x, so digits of w beyond a double
// are digits of b.
#include "plumb/train/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/double_double.h"
#include "plumb/train/least_norm.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// A column is aliased if less than this share of its variance is left after the columns before it: below it, the
// rounding errors of the Gram matrix (some 1e-15) would be a visible part of the rest.
constexpr double kRankTolerance = 1e-11;
constexpr std::uint64_t kMostPasses = 12;
constexpr double kSettled = 0x1p-58;  // moves this small, relative, change no double except in a tie
constexpr double kBeyondDoubles = 0x1p-70;
constexpr double kEnoughDigits = 9;   // beyond, unless more are requested
constexpr double kFree = 2e6;         // multiplications of a double-double Gram matrix whose cost is never noticed ...
constexpr double kCheap = 5e7;        // ... that are affordable if standard errors would have fewer than 14 digits ...
constexpr double kPlain = 16;         // (up to this condition number of the Gram matrix they have) ...
constexpr double kAffordable = 4e9;   // ... and that ill-conditioned data are worth: some seconds
constexpr double kSmallest = 1e-6;    // weights below this share of the largest are measured against it
constexpr double kMostDigits = 15.6;  // rounding to a double may cost 2^-53, and the last bits of the sums as much

double cells(const Examples& examples) {
  return static_cast<double>(examples.size()) * static_cast<double>(examples.features());
}
double wanted_digits(const NormalOptions& options, const Examples& examples) {
  return options.digits > 0 ? options.digits : cells(examples) <= options.refined_cells ? kMostDigits : kEnoughDigits;
}

class Solve {
 public:
  Solve(const Examples& examples, const NormalOptions& options, const Run& run, Design::Look look)
      : run_(run),
        options_(options),
        wanted_digits_(wanted_digits(options, examples)),
        many_(cells(examples) > options.refined_cells),
        design_(examples, options.bias, options.offset, run, look, !options.penalty.empty()),
        p_(design_.features()),
        first_(design_.first()),
        point_{std::vector<double>(p_), std::vector<double>(p_), design_.target_shift()} {
    const Moments& moments = design_.moments();
    // l2 w^2 in the units of s y^2.
    for (std::size_t j = 0; j < options.penalty.size(); ++j)
      penalty_.push_back(std::ldexp(options.penalty[j], -2 * moments.unit[j].exponent - moments.weight_unit.exponent));
  }

  // Empty if a sample of the rows gave wrong units.
  std::optional<NormalSolution> solve() {
    std::vector<double> gram = design_.gram();
    if (!design_.confirm(gram)) return {};
    bool shared = false;
    if (!factor(gram)) {
      target_ = design_.target_sums();
      refine();
      shared = shares();
      if (shared) share();
    }
    round(shared);
    double squared_weights = 0.0;
    for (std::size_t j = 0; j < penalty_.size(); ++j) squared_weights += penalty_[j] * point_.high[j] * point_.high[j];
    if (penalty_.empty()) gram.clear();
    return NormalSolution{.moments = design_.moments(),
                          .factor = std::move(*cholesky_),
                          .gram = std::move(gram),
                          .shift = design_.shift(),
                          .penalty = std::move(penalty_),
                          .weights = std::move(w_),
                          .bias = bias_,
                          .weight_lows = std::move(weight_lows_),
                          .bias_low = bias_low_,
                          .squared_error = sums_.squared_error.high,
                          .solved_error = solved_error_,
                          .squared_target = squared_target(),
                          .squared_weights = squared_weights,
                          .decrement = decrement_,
                          .solved_decrement = solved_decrement_,
                          .digits = digits_,
                          .inverse_diagonal = std::move(inverse_diagonal_),
                          .exact_factor = exact_,
                          .shared = shared,
                          .passes = passes_};
  }

 private:
  math::Cholesky::Tick tick() const {
    return [this](std::size_t done, std::size_t columns) { run_.report(Phase::fitting, done, columns); };
  }

  // Rows without a penalty have no higher rank than their number.
  std::size_t rank_of_rows() const {
    return penalty_.empty() ? static_cast<std::size_t>(design_.moments().rows) : design_.columns();
  }
  // Columns that are 0 in every row add nothing.
  std::size_t most_rank() const {
    std::size_t rank = design_.columns();
    for (std::size_t j = 0; j < p_; ++j)
      if (design_.moments().zero[j] && (penalty_.empty() || penalty_[j] == 0)) --rank;
    return rank;
  }
  // The amplification of the factor's rounding errors in a solution: the condition number of G for a Gram matrix in
  // double, its root for one in double-double, of which only the factor is rounded.
  double amplification() const { return exact_ ? std::sqrt(condition_) : condition_; }
  double contraction() const {
    return std::min(0.5, amplification() * 0x1p-48 * static_cast<double>(cholesky_->rank()));
  }

  // The Gram matrix in lower rows, q x q, and z'y, from the matrix with the target as last row.
  static void take_apart(const std::vector<double>& full, std::size_t q, std::vector<double>& lower, Out right) {
    const std::size_t m = q + 1;
    lower.assign(q * q, 0.0);
    for (std::size_t i = 0; i < q; ++i) {
      std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(i * m), i + 1,
                  lower.begin() + static_cast<std::ptrdiff_t>(i * q));
      right[i] = full[q * m + i];
    }
  }

  // True if the solution of the Gram matrix is precise enough.
  bool factor(const std::vector<double>& gram) {
    const std::size_t q = design_.columns();
    std::vector<double> right(q), u(q);
    factor_in_double(gram, right);
    condition_ = cholesky_->condition_estimate();
    const bool lost =
        cholesky_->rank() < most_rank() || -std::log10(condition_ * 0x1p-52) < std::min(wanted_digits_, kEnoughDigits);
    const double cost = design_.exact_gram_cost();
    if (cost <= (lost ? kAffordable : condition_ > kPlain ? kCheap : kFree)) {
      factor_in_double_double(right);
      condition_ = cholesky_->condition_estimate();
      exact_ = true;
    }
    cholesky_->solve(right, u);
    move(u);
    return is_enough(right, u);
  }

  // The sums of a pass from the Gram matrix, if they have the wanted digits: the squared error is the rest of the
  // squared target, and loses as many digits as it is smaller; the bias is a difference, and its rounding must not be
  // visible beside the spread of y. The error of u is at most `contraction` of it, and the relative error of the
  // objective its square.
  bool is_enough(In right, In u) {
    if (exact_ || cholesky_->rank() < most_rank() || wanted_digits_ >= kMostDigits) return false;
    digits_ = std::min(-std::log10(4 * contraction() * spread_of_weights() + 0x1p-53), kMostDigits);
    const Moments& moments = design_.moments();
    double error = squares_, terms = std::abs(design_.target_shift());
    for (std::size_t i = 0; i < u.size(); ++i) error -= right[i] * u[i];
    for (std::size_t j = 0; j < p_; ++j) {
      if (!penalty_.empty()) error -= penalty_[j] * point_.high[j] * point_.high[j];
      terms += std::abs(point_.high[j] * design_.shift()[j]);
    }
    target_ = {first_ != 0 ? right[0] : 0.0, squares_};
    sums_.squared_error = error;
    const double spread = squared_target();
    decrement_ = contraction() * contraction() * squares_;
    solved_decrement_ = decrement_;
    solved_error_ = error;
    plain_ = digits_ >= wanted_digits_ && error >= 1e-5 * spread && spread > 0 &&
             terms <= 1e6 * std::sqrt(spread / moments.weight);
    return plain_;
  }

  void factor_in_double(const std::vector<double>& gram, Out right) {
    const std::size_t q = design_.columns();
    std::vector<double> lower;
    take_apart(gram, q, lower, right);
    squares_ = gram.back();
    for (std::size_t j = 0; j < penalty_.size(); ++j) lower[(first_ + j) * (q + 1)] += penalty_[j];
    cholesky_.emplace(std::move(lower), q, math::Cholesky::Limits(kRankTolerance, 0x1p-48, rank_of_rows()), tick());
  }

  // Data are rounded to 2^-53 at least once before plumb sees them: a column with less than the square of that left
  // (times the number of columns it may combine) could be a combination of the others.
  void factor_in_double_double(Out right) {
    const std::size_t q = design_.columns();
    const Design::ExactGram gram = design_.exact_gram();
    std::vector<double> high, low, right_low(q);
    take_apart(gram.high, q, high, right);
    take_apart(gram.low, q, low, right_low);
    for (std::size_t j = 0; j < penalty_.size(); ++j) {
      const std::size_t at = (first_ + j) * (q + 1);
      const DoubleDouble sum = DoubleDouble(high[at], low[at]) + penalty_[j];
      high[at] = sum.high;
      low[at] = sum.low;
    }
    const double input = 32 * static_cast<double>(q) * 0x1p-53;
    const double noise = 0x1p-98 * static_cast<double>(design_.moments().rows);
    cholesky_.emplace(std::move(high), std::move(low), q,
                      math::Cholesky::Limits(std::max(input * input, noise), noise, rank_of_rows()), tick());
  }

  // w and b moved by u, which is in the solver's coordinates. Returns the largest relative move.
  double move(In u) {
    const std::vector<double>& c = design_.shift();
    double largest = 0.0, most = 0.0;
    for (std::size_t j = 0; j < p_; ++j) {
      const DoubleDouble after = DoubleDouble(point_.high[j], point_.low[j]) + u[first_ + j];
      point_.high[j] = after.high;
      point_.low[j] = after.low;
      most = std::max(most, std::abs(after.high));
    }
    DoubleDouble b = point_.bias;
    if (first_ != 0) b = b + u[0];
    double size = std::abs(b.high);  // of the terms of b: it is a difference, and may be small by chance
    for (std::size_t j = 0; j < p_; ++j) {
      const double by = u[first_ + j], after = std::abs(point_.high[j]);
      if (by != 0) largest = std::max(largest, std::abs(by) / std::max(after, kSmallest * most));
      b = b - math::two_product(by, c[j]);
      size += after * std::abs(c[j]);
    }
    if (first_ != 0) {
      if (b != point_.bias) largest = std::max(largest, std::abs((b - point_.bias).high) / size);
      point_.bias = b;
    }
    return largest;
  }

  // One pass over the data: the step u = G^-1 g from the gradient g = z'r, which is exact to some 30 digits, and its
  // gain.
  void step(Out u) {
    const std::size_t q = design_.columns();
    const std::vector<double>& c = design_.shift();
    ++passes_;
    sums_ = design_.pass(point_);
    std::vector<double> g(q);
    if (first_ != 0) g[0] = sums_.error.high;
    for (std::size_t j = 0; j < p_; ++j) {
      DoubleDouble slope = first_ != 0 ? sums_.slope[j] - sums_.error * c[j] : sums_.slope[j];
      if (design_.moments().zero[j]) slope = {};  // and no rounding of the means of a constant
      if (!penalty_.empty()) slope -= DoubleDouble(point_.high[j], point_.low[j]) * penalty_[j];
      g[first_ + j] = slope.high;
    }
    cholesky_->solve(g, u);
    decrement_ = 0.0;
    for (std::size_t i = 0; i < q; ++i) decrement_ += g[i] * u[i];
    decrement_ = std::max(0.0, decrement_);
    if (!std::isfinite(decrement_)) throw Error(ErrorCode::data, "a number of the data is not finite");
  }

  // Newton steps until w and b have settled beyond the last bit of a double or to the wanted digits, or the steps stop
  // getting shorter.
  void refine() {
    std::vector<double> u(design_.columns());
    // All digits: until nothing moves, so that a perfect fit leaves no error at all.
    const double enough = wanted_digits_ >= kMostDigits ? 0.0 : std::pow(10.0, -wanted_digits_ - 1);
    const auto is_perfect = [&] { return (sums_.squared_error - decrement_).high < 1e-10 * squared_target(); };
    double last = std::numeric_limits<double>::infinity(), moved = 1.0, left = 1.0;
    moved_ = 0.0;
    while (passes_ < kMostPasses) {
      step(u);
      if (decrement_ >= last / 2) break;
      last = decrement_;
      const double before = std::exchange(moved, move(u));
      moved_ += moved;
      // The next step would be shorter by the same factor, or by the factor's condition number for the first.
      const double rate = passes_ == 1 ? contraction() : std::min(0.5, std::max(moved / before, contraction()));
      left = moved * rate / (1 - rate);
      if (moved <= kSettled || left <= enough) break;
      // One more pass over many rows, known to change no bit, is skipped.
      if (many_ && left <= kBeyondDoubles && !is_perfect()) break;
    }
    solved_decrement_ = decrement_;
    set_error(4 * left + rounding_error());
    // The last step, taken or not, would gain the decrement: the error after it is known without a pass. With a penalty
    // the two share it, and the remaining gap is negligible beside them.
    // A fit that did not settle has no such bound.
    settled_ = decrement_ <= 1e-12 * squared_target() || (sums_.squared_error - decrement_).high > decrement_ ||
               decrement_ <= 0x1p-190 * design_.moments().weight;
    const double gain = penalty_.empty() && settled_ ? decrement_ : 0.0;
    solved_error_ = or_nothing((sums_.squared_error - gain).high);
  }

  // Residuals are known to some 100 bits of y, which is at most 1: anything below their square is negligible.
  double or_nothing(double squares) const { return squares > 0x1p-190 * design_.moments().weight ? squares : 0.0; }

  // For each weight and for the bias, relative like `move`.
  void set_error(double error) {
    error_ = error;
    digits_ = std::clamp(-std::log10(error + 0x1p-53), 0.0, kMostDigits);
  }

  // The rounding errors of a pass; another step would not correct them, because it would be rounded in the same way. A
  // residual is off by e <= (p + 4) 2^-105 of its terms, which are far above y if large weights or columns far from 0
  // cancel. That moves u_j by at most sqrt((G^-1)_jj) |e|. The sums of s x r and s r, which make the slope, are off by
  // d <= 2^-100 of theirs, and that moves u_j by at most sqrt((G^-1)_jj) sum_k sqrt((G^-1)_kk) d_k.
  double rounding_error() {
    const std::size_t q = design_.columns();
    const std::vector<double>& c = design_.shift();
    if (inverse_diagonal_.empty()) {
      inverse_diagonal_.resize(q);
      cholesky_->inverse_diagonal(inverse_diagonal_, tick());
    }
    const double weight = design_.moments().weight, most = largest_weight();
    const double sd = std::sqrt(std::max(0.0, sums_.squared_error.high) / weight);
    double terms = 1 + std::abs(point_.bias.high), size = std::abs(point_.bias.high), slopes = 0.0;
    std::vector<double> a(q, 1.0);
    for (std::size_t j = 0; j < p_; ++j) {
      a[first_ + j] = -c[j];
      terms += std::abs(point_.high[j]);
      size += std::abs(point_.high[j] * c[j]);
    }
    for (const double each : inverse_diagonal_) slopes += std::sqrt(each);
    const double off =
        std::sqrt(weight) * terms * static_cast<double>(p_ + 4) * 0x1p-105 + slopes * weight * sd * 0x1p-100;
    double largest = first_ != 0 && size > 0 ? std::sqrt(cholesky_->inverse_form(a)) / size : 0.0;  // b = a.u
    for (std::size_t j = 0; j < p_; ++j)
      if (const double root = std::sqrt(inverse_diagonal_[first_ + j]); root > 0)
        largest = std::max(largest, root / std::max(std::abs(point_.high[j]), kSmallest * most));
    return most > 0 ? largest * off : 0.0;
  }
  double largest_weight() const {
    double most = 0.0;
    for (const double w : point_.high) most = std::max(most, std::abs(w));
    return most;
  }
  // Converts an error relative to the largest weight to one relative to the smallest that is measured by itself.
  double spread_of_weights() const {
    const double most = largest_weight();
    double least = most;
    for (std::size_t j = 0; j < p_; ++j)
      if (!cholesky_->aliased()[first_ + j] || point_.high[j] != 0)
        least = std::min(least, std::max(std::abs(point_.high[j]), kSmallest * most));
    return least > 0 ? most / least : 1.0;
  }

  bool shares() const {
    if (cholesky_->rank() == most_rank() || options_.rank == RankRule::drop) return false;
    return options_.rank == RankRule::min_norm || design_.moments().rows < most_rank();
  }

  // Moves along the directions that change no prediction to where sum w^2, in the user's units, is least. The steps
  // after that do not see those directions: their moves are added to the error there.
  void share() {
    const Design::ExactGram gram = exact_ ? design_.exact_gram() : Design::ExactGram{design_.gram(), {}};
    const LeastNorm least = find_least_norm(design_, *cholesky_, gram, condition_, point_, error_, kSmallest);
    std::vector<double> high, low;
    for (const DoubleDouble each : least.move) {
      high.push_back(each.high);
      low.push_back(each.low);
    }
    move(high);
    move(low);
    passes_ = 0;
    refine();
    set_error(error_ + moved_ + least.error);
  }

  // Rounds to doubles, in the user's units, each to the nearest: a b that compensated for the rounding of w would fit a
  // little better, but have fewer correct digits.
  void round(bool shared) {
    const Moments& moments = design_.moments();
    const Design::Point solved = point_;
    w_.resize(p_);
    bool finite = true;
    for (std::size_t j = 0; j < p_; ++j) {
      const int k = moments.target_unit.exponent - moments.unit[j].exponent;
      w_[j] = std::ldexp(point_.high[j], k);
      finite = finite && std::isfinite(w_[j]);
      point_.high[j] = std::ldexp(w_[j], -k);
      point_.low[j] = 0.0;
      weight_lows_.push_back(std::ldexp((DoubleDouble(solved.high[j], solved.low[j]) - point_.high[j]).high, k));
    }
    bias_ = std::ldexp(point_.bias.high, moments.target_unit.exponent);
    point_.bias = std::ldexp(bias_, -moments.target_unit.exponent);
    bias_low_ = std::ldexp((solved.bias - point_.bias).high, moments.target_unit.exponent);
    if (!plain_ && finite && std::isfinite(bias_)) judge(solved, shared);
    if (const auto offset = options_.offset.feature()) w_[*offset] = 1.0;
  }

  // The cost of rounding. The objective is a parabola around its minimum, where the slope is 0: a step d increases the
  // squared error by d'Gd. With a penalty the two share that, and the factor does not contain aliased columns: a pass
  // measures it.
  void judge(const Design::Point& solved, bool shared) {
    std::vector<double> d(design_.columns());
    if (shared || !penalty_.empty() || !settled_) {
      step(d);
      if (!settled_) solved_error_ = sums_.squared_error.high;
      return;
    }
    DoubleDouble bias = point_.bias - solved.bias;
    for (std::size_t j = 0; j < p_; ++j) {
      d[first_ + j] = (point_.high[j] - DoubleDouble(solved.high[j], solved.low[j])).high;
      bias += math::two_product(d[first_ + j], design_.shift()[j]);
    }
    if (first_ != 0) d[0] = bias.high;
    const double raised = cholesky_->form(d), root = std::sqrt(decrement_) + std::sqrt(raised);
    sums_.squared_error = or_nothing(solved_error_ + raised);
    decrement_ = root * root;
  }

  // Without a bias c_y = 0, and the constant model is y = 0, not y = mean. The sum around c_y contains the spread and n
  // times the square of the rounding of c_y; a spread that is negligible beside that counts as 0.
  double squared_target() const {
    const DoubleDouble around = target_.squares;
    if (first_ == 0) return around.high;
    const DoubleDouble spread = around - target_.sum * target_.sum / DoubleDouble(design_.moments().weight);
    return spread.high > 0x1p-90 * around.high ? spread.high : 0.0;
  }

  const Run& run_;
  const NormalOptions& options_;
  double wanted_digits_;
  bool many_;  // rows, so that a pass costs much
  Design design_;
  std::size_t p_;
  std::size_t first_;  // 1 with a bias, which comes first: a constant column is then the aliased one
  std::vector<double> penalty_;
  std::optional<math::Cholesky> cholesky_;
  std::vector<double> inverse_diagonal_;
  double condition_ = 1.0;
  double squares_ = 0.0;  // sum s (y - c_y)^2, from the Gram matrix
  bool plain_ = false;    // no pass for residuals was needed
  bool settled_ = true;   // the last step had little left to gain
  bool exact_ = false;
  Design::Point point_;
  std::vector<double> w_;  // as returned, in the user's units
  double bias_ = 0.0;
  std::vector<double> weight_lows_;
  double bias_low_ = 0.0;
  Design::TargetSums target_;
  Design::Sums sums_;              // of the last pass
  double decrement_ = 0.0;         // g' G^-1 g: twice the optimality gap
  double solved_error_ = 0.0;      // sum s r^2 before w and b were rounded
  double solved_decrement_ = 0.0;  // the decrement before w and b were rounded
  double error_ = 1.0;             // of each weight and the bias before they are rounded, relative to it
  double moved_ = 0.0;             // by all steps of the last refinement
  double digits_ = 0.0;
  std::uint64_t passes_ = 0;
};

}  // namespace

NormalSolution solve_normal_equations(const Examples& examples, const NormalOptions& options, const Run& run) {
  // If the rows allow it, that many are read only once.
  if (cells(examples) > options.refined_cells && !examples.sparse() && !examples.weighted())
    if (std::optional<NormalSolution> solution = Solve(examples, options, run, Design::Look::some).solve())
      return std::move(*solution);
  return Solve(examples, options, run, Design::Look::all).solve().value();
}

}  // namespace plumb
