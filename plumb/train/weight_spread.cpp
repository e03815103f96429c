// Notation: z a row, s its weight, U'U = A, t = U^-T z, u = A^-1 z the row's influence on the weights, V = sum s u u' =
// A^-1 G A^-1. Errors of A and of steps with its factor are as if A were off by E, |E_kl| <= noise sqrt(A_kk A_ll).
#include "plumb/train/weight_spread.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "plumb/math/kernels.h"
#include "plumb/train/eight_rows.h"
#include "plumb/train/refined_basis.h"

namespace plumb {
namespace {

constexpr std::size_t kMostRidgeErrors = 1000;  // columns: with a penalty each standard error costs two solves
constexpr double kMostRowWork = 2e10;           // rows times columns squared of a pass in double ...
constexpr double kMostExactRowWork = 4e9;       // ... and of one in double-double, if nothing else works
constexpr double kEnough = 1e-3;                // allowed uncertainty of a standard error; beyond it, none is better
constexpr double kDoubleNoise = 0x1p-48;

double noise_of(bool exact, const NormalSolution& solution) {
  return exact ? 0x1p-98 * static_cast<double>(solution.moments.rows) : kDoubleNoise;
}

class Spread {
 public:
  Spread(const NormalSolution& solution, const SolvedBasis& solved, const Examples& examples, const Run& run)
      : solution_(solution),
        basis_(solved.basis),
        refined_(solved.refined),
        examples_(examples),
        run_(run),
        p_(basis_.features()),
        first_(basis_.bias() ? 1 : 0),
        q_(basis_.size()),
        inverse_(solution.inverse_diagonal),
        size_(q_) {
    if (inverse_.empty()) {
      inverse_.resize(q_);
      solution.factor.inverse_diagonal(inverse_, tick());
    }
    const std::vector<double>& root = basis_.parts().root;
    for (std::size_t i = 0, at = 0; i < q_; ++i)
      for (std::size_t j = i; j < q_; ++j, ++at) size_[j] += root[at] * root[at];
    for (double& each : size_) each = std::sqrt(each);
  }

  WeightSpread find() {
    found_.free_weights = static_cast<double>(solution_.factor.rank());
    for (std::size_t j = 0; j < solution_.penalty.size(); ++j)
      found_.free_weights -= solution_.penalty[j] * inverse_[first_ + j];
    const double copies = std::ldexp(solution_.moments.weight, solution_.moments.weight_unit.exponent);
    found_.freedom = copies - found_.free_weights;
    if (solution_.penalty.empty()) {
      without_penalty();
    } else if (q_ <= kMostRidgeErrors) {
      with_penalty();
    } else {
      set_leverage_error(inverse_);
    }
    found_.freedom = std::max(0.0, found_.freedom);
    return std::move(found_);
  }

 private:
  math::Cholesky::Tick tick() const {
    return [this](std::size_t done, std::size_t columns) { run_.report(Phase::fitting, done, columns); };
  }
  // sum_k sqrt(A_kk numbers_k)
  double sized(In numbers) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < q_; ++k) sum += size_[k] * std::sqrt(numbers[k]);
    return sum;
  }
  bool is_zero(std::size_t place) const { return place >= first_ && solution_.moments.zero[place - first_]; }
  double row_work() const {
    return static_cast<double>(examples_.size()) * static_cast<double>(q_) * static_cast<double>(q_);
  }
  // b = u_0 - sum_j u_j c_j = a.u
  std::vector<double> bias_form() const {
    std::vector<double> a(q_, 1.0);
    for (std::size_t j = 0; j < p_; ++j)
      a[first_ + j] = solution_.factor.aliased()[first_ + j] ? 0.0 : -solution_.shift[j];
    return a;
  }

  void without_penalty() {
    found_.known = true;
    found_.weights.assign(inverse_.begin() + static_cast<std::ptrdiff_t>(first_), inverse_.end());
    if (first_ != 0) found_.bias = solution_.factor.inverse_form(bias_form());
    set_leverage_error(inverse_);
  }

  // The leverage z'A^-1 z is off by u'Eu, so all of them together by noise (sum_k sqrt(A_kk V_kk))^2 at most. If a
  // factor in double-double is rounded to doubles, t is off by as much as steps with those make it.
  void set_leverage_error(In variance) {
    const double sum = sized(variance);
    found_.leverage_error = noise_of(solution_.exact_factor, solution_) * sum * sum;
    if (solution_.exact_factor && !basis_.exact_for(examples_.size()))
      found_.leverage_error = kDoubleNoise * sum * std::sqrt(static_cast<double>(q_));
    if (refined_) found_.leverage_error = 0x1p-96 * sum + kDoubleNoise * static_cast<double>(q_);
  }

  // A form without cancellation is a sum of squares over the rows. It costs a pass over them, so with many rows the
  // Gram matrix is tried first: with v = A^-1 e_j it is v'Gv, whose terms are as large as 1 / l2^2 if columns are
  // dependent.
  void with_penalty() {
    for (std::size_t j = 0; j < p_; ++j)
      if (solution_.factor.aliased()[first_ + j] && solution_.penalty[j] > 0) return leave_out();
    if (basis_.exact_for(examples_.size())) return take_rows(true);
    if (take_gram()) return;
    if (basis_.exact() && row_work() <= kMostExactRowWork) return take_rows(true);
    if (row_work() <= kMostRowWork) return take_rows(false);
    leave_out();
  }

  // False if too few digits are left. v'Gv is off by noise (sum_k sqrt(G_kk) |v_k|)^2, as G is. v is off by A^-1 E v,
  // and |(Gv)_k| <= sqrt(G_kk v'Gv), |(A^-1)_kl| <= sqrt((A^-1)_kk (A^-1)_ll).
  bool take_gram() {
    std::vector<double> a(q_), v(q_), variance(q_), root(q_);
    double reach = 0.0;
    for (std::size_t k = 0; k < q_; ++k) {
      root[k] = std::sqrt(solution_.gram[k * (q_ + 2)]);
      reach += root[k] * std::sqrt(inverse_[k]);
    }
    reach *= sized(inverse_);
    const auto spread = [&](In along, double& found) {
      solution_.factor.solve(along, v);
      double size = 0.0, penalised = 0.0;
      found = 0.0;
      for (std::size_t i = 0; i < q_; ++i) {
        const double* const row = &solution_.gram[i * (q_ + 1)];
        found += v[i] * (2 * math::kernels().dot(row, v.data(), i) + row[i] * v[i]);
        size += root[i] * std::abs(v[i]);
        penalised += size_[i] * std::abs(v[i]);
      }
      return kDoubleNoise * (size * size + 2 * std::sqrt(std::max(found, 0.0)) * reach * penalised) <=
             2 * kEnough * found;
    };
    for (std::size_t i = 0; i < q_; ++i) {
      tick()(i, q_);
      std::fill(a.begin(), a.end(), 0.0);
      a[i] = 1.0;
      if (!is_zero(i) && !spread(a, variance[i])) return false;
    }
    if (first_ != 0 && !spread(bias_form(), found_.bias)) return false;
    found_.known = true;
    found_.weights.assign(variance.begin() + static_cast<std::ptrdiff_t>(first_), variance.end());
    set_leverage_error(variance);
    return true;
  }

  void take_rows(bool exact) {
    // For each column of z, for the user's bias, for leverages, and their remainders of the row weights.
    std::vector<double> total(q_ + 3);
    const math::Unit& unit = solution_.moments.weight_unit;
    run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
      EightRows rows(basis_, exact);
      double weight[8];
      std::size_t count = 0;
      const auto flush = [&] {
        if (count == 0) return;
        rows.whiten();
        for (std::size_t lane = 0; lane < count; ++lane) {
          const math::DoubleDouble leverage = rows.distance(lane) * (weight[lane] * unit.scale);
          out[q_ + 1] += leverage.high;
          out[q_ + 2] += (weight[lane] - leverage).high;
        }
        rows.solve();
        for (std::size_t lane = 0; lane < count; ++lane) {
          const double s = weight[lane] * unit.scale;
          for (std::size_t i = 0; i < q_; ++i) out[i] += s * rows.number(i, lane).high * rows.number(i, lane).high;
          if (first_ == 0) continue;
          const double bias = rows.bias_pull(lane).high;
          out[q_] += s * bias * bias;
        }
        count = 0;
      };
      examples_.block(b).for_each([&](const Example& e) {
        if (!(e.weight > 0)) return;
        rows.place(e.x, e.lows, examples_.lows_of(), count);
        weight[count] = e.weight;
        if (++count == 8) flush();
      });
      flush();
    });
    const In variance = In(total).first(q_);
    if (!enough(exact, variance, total[q_])) return leave_out();
    found_.free_weights = total[q_ + 1];
    found_.freedom = total[q_ + 2];
    found_.known = true;
    found_.weights.assign(variance.begin() + static_cast<std::ptrdiff_t>(first_), variance.end());
    found_.bias = total[q_];
    set_leverage_error(variance);
  }

  // u is off by A^-1 E u, and |(A^-1)_jk| <= sqrt((A^-1)_jj (A^-1)_kk): over all rows the root of V_jj is off by at
  // most noise sqrt((A^-1)_jj) sum_k sqrt((A^-1)_kk A_kk) sum_l sqrt(A_ll V_ll), and likewise that of the bias.
  bool enough(bool exact, In variance, double bias) const {
    const double off = noise_of(exact, solution_) * sized(inverse_) * sized(variance);
    for (std::size_t k = 0; k < q_; ++k)
      if (!is_zero(k) && !(off * std::sqrt(inverse_[k]) <= kEnough * std::sqrt(variance[k]))) return false;
    return first_ == 0 || off * std::sqrt(solution_.factor.inverse_form(bias_form())) <= kEnough * std::sqrt(bias);
  }

  void leave_out() {
    set_leverage_error(inverse_);
    found_.why =
        "there are no standard errors: the features are nearly collinear and the penalty is too small; use a larger "
        "--l2";
  }

  const NormalSolution& solution_;
  const Basis& basis_;
  bool refined_;  // U has the errors of a factor of the rows, not of one of their Gram matrix
  const Examples& examples_;
  const Run& run_;
  std::size_t p_, first_, q_;
  std::vector<double> inverse_;  // the diagonal of A^-1
  std::vector<double> size_;     // the roots of the diagonal of A
  WeightSpread found_;
};

}  // namespace

Basis basis_in_units(const NormalSolution& solution) {
  Basis::Parts parts{{}, solution.shift, solution.factor.packed_root(), solution.factor.packed_root_low()};
  for (const math::Unit& unit : solution.moments.unit) parts.exponent.push_back(unit.exponent);
  return Basis(std::move(parts));
}

// If the errors of the Gram matrix are not visible in a double, U stays as it is.
SolvedBasis solved_basis(const NormalSolution& solution, const Examples& examples, const Run& run) {
  SolvedBasis solved{basis_in_units(solution)};
  if (!solution.penalty.empty() || solution.shared || !solved.basis.exact_for(examples.size())) return solved;
  const auto columns = static_cast<double>(solved.basis.size());
  if (solution.factor.condition_estimate() * columns * noise_of(true, solution) <= 0x1p-54) return solved;
  std::optional<Basis> refined = refined_basis(solved.basis, examples, solution.moments.weight_unit.scale, run);
  return refined ? SolvedBasis{std::move(*refined), true} : std::move(solved);
}

WeightSpread find_weight_spread(const NormalSolution& solution, const SolvedBasis& basis, const Examples& examples,
                                const Run& run) {
  return Spread(solution, basis, examples, run).find();
}

}  // namespace plumb
