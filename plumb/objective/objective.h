// The objective: F(w) = sum_i s_i loss(x_i.w + offset_i, y_i) + 1/2 sum_j ridge_j w_j^2 + sum_j lasso_j |w_j|, for one
// weight vector or one per class, in the units of the design matrix. It is evaluated at points, and a point keeps its
// scores: a step along a direction whose scores are known costs no pass over the data. Certificates:
// docs/certificates.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/objective/design_matrix.h"
#include "plumb/objective/exact_products.h"
#include "plumb/objective/row_loss.h"

namespace plumb {

// What the penalties of the weights add to a duality gap, at dual slopes u with X'u = `factor` v: for each column r
// w^2/2
// + l |w| + q w and the conjugate of its penalty at -q, where q = factor v. A column without a penalty must have q = 0
// but for `rounding`; infinite if this proves nothing. `reach` as in Objective::gap().
double penalty_gap(In w, In v, In ridge, In lasso, In reach, double factor, double rounding);
// The factor, at most 1, that brings X'u = v into the bounds of the L1 penalty; `required`: whether a column that has
// no ridge needs it.
struct Shrinkage {
  double factor = 1.0;
  bool required = false;
};
Shrinkage shrinkage(In v, In ridge, In lasso) noexcept;

class Objective {
 public:
  // ridge: one per column, 0 without a penalty. Matrix and run must outlive this.
  Objective(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge, const Run& run);
  // Penalties so small that the ridge has 0 for them, 0 for other columns: not part of F, but gap() then bounds the
  // optimality gap of F with them.
  void neglect(std::vector<double> slight) { slight_ = std::move(slight); }
  // The L1 penalty, one for each column: part of F, but gradients are those of the other terms.
  void set_lasso(std::vector<double> lasso);
  void set_ridge(std::vector<double> ridge);
  // From now on products with X are summed in double-double, and scores are recomputed from the weights after every
  // step: for columns so nearly dependent that their weights are large and nearly cancel.
  void be_exact() noexcept { exact_ = true; }
  bool exact() const noexcept { return exact_; }
  // Whether column j is a linear combination of others but for rounding, and so needs no weight. Computed on first use.
  MadeUp made_up(std::size_t j) const;
  bool knows_made_up() const noexcept { return !made_up_.empty(); }

  std::size_t outputs() const noexcept { return loss_->outputs(); }
  std::size_t size() const noexcept { return outputs() * x_.columns(); }  // weights of output k after those of k - 1
  const DesignMatrix& matrix() const noexcept { return x_; }
  const RowLoss& loss() const noexcept { return *loss_; }
  const Run& run() const noexcept { return run_; }
  // The L1 penalty of these weights.
  double lasso_of(In w) const noexcept;
  In ridge() const noexcept { return ridge_; }
  In lasso() const noexcept { return lasso_; }            // empty without an L1 penalty
  bool penalised() const noexcept { return penalised_; }  // every column but that of the bias
  bool free_bias() const noexcept { return free_bias_; }
  double total_weight() const noexcept { return total_weight_; }
  double passes() const noexcept { return passes_; }  // over the data so far: products with X or X'

  void count_passes(double more) noexcept { passes_ += more; }  // by another objective on its behalf

  struct Point {
    std::vector<double> w;
    std::vector<double> z;         // scores, with the offset
    double loss = 0.0;             // sum_i s_i loss_i
    double value = 0.0;            // with the penalty
    std::vector<double> slope;     // s_i d loss_i / d z_ik
    std::vector<double> curve;     // as RowLoss keeps it
    std::vector<double> gradient;  // of F
  };
  // `curvature`, if any, becomes hessian() there.
  Point at(std::vector<double> w, std::vector<double>* curvature = nullptr);
  // After set_ridge() or set_lasso(): the value and the gradient of a point from before, at no pass over the data.
  void repenalise(Point& point, In ridge_before) const;
  // The same without slopes, curves and gradient, for half the work.
  Point valued(std::vector<double> w);
  // F with all weights 0.
  double value_of_zero() const;
  // The point w + t d, where zd = X d. Throws Error(data) if the value is not finite.
  void move(Point& point, In d, In zd, double t);
  // Value, slopes and gradient from w and z.
  void renew(Point& point);
  // X d
  std::vector<double> scores(In d);

  struct Along {
    double value = 0.0, slope = 0.0;  // of F(w + t d) in t
  };
  Along along(const Point& point, In d, In zd, double t) const;

  // The results of one pass over dense rows for a whole step; other rows take a few passes.
  struct Landing {
    Point point;  // w + d
    std::vector<double> zd;
    Along along;                  // at w + d
    std::vector<double> hessian;  // there, if requested
    // If requested: dual slopes as from newton_slopes(), mended, and what those below and above 0 add to their products
    // with the columns.
    std::vector<double> dual, below, above;
  };
  enum class Beside { nothing, hessian, dual };
  Landing land(const Point& point, In d, Beside beside);

  // Second derivative times v; xv becomes X v.
  void hessian_times(const Point& point, In v, Out product, std::vector<double>& xv);
  // The diagonal of the second derivative, and all of its lower triangle.
  std::vector<double> hessian_diagonal(const Point& point);
  std::vector<double> hessian(const Point& point);
  ExactGram exact_hessian(const Point& point);

  // The slopes at w + d to first order: a dual point that is tight to second order.
  std::vector<double> newton_slopes(const Point& point, In zd) const;
  // An upper bound on F(w) - min F from dual slopes u, by weak duality; F(w) itself if they prove nothing. An
  // unpenalised bias requires sum u = 0: classes are scaled to that. `reach`: the distance of each weight from its
  // optimum, to first order; used for a column without a penalty that keeps a remainder of rounding.
  double gap(const Point& point, std::vector<double> u, In reach);
  // The same if v = X'u is known, and sum u = 0 if the bias requires it.
  double gap(const Point& point, In u, In v, In reach) const;
  // Makes u the nearest slopes that prove something: possible ones, whose sum is 0 under an unpenalised bias, with
  // |X'u| <= lasso for columns that have an L1 penalty alone. Returns X'u.
  std::vector<double> dual_point(std::vector<double>& u);
  // The part of a gap that comes from rounding of scores: no step makes it smaller.
  double lost_in_scores(const Point& point) const;
  // For a landing with dual slopes, which are balanced on the way.
  double gap(Landing& landing, In reach);

 private:
  // Whether one chunk of rows at a time, in the cache, serves all sums.
  bool reads_once() const noexcept;
  void read_rows(In v, In before, Point& point, Landing* landing, const Point* from, std::vector<double>* curvature);
  void fill(Point& point);  // as renew(), whatever the value is
  void add_penalty(Point& point) const;
  void add_ridge(Out hessian) const;
  void transpose_times(In r, Out g);
  void add_exactly(In u, const std::vector<bool>& columns, Out v) const;
  void count_penalised();
  double lasso_gap(const Point& point, In u, In v, In reach, double factor) const;
  bool held_by_slight(In reach) const;
  void balance(Out u) const;
  void balance_classes(Out u) const;
  Point scored(std::vector<double> w);
  static void expect_finite(const Point& point);
  // sum(first row, rows) of each block, added up.
  double sum_blocks(const std::function<double(std::size_t, std::size_t)>& sum) const;

  const DesignMatrix& x_;
  std::unique_ptr<RowLoss> loss_;
  std::vector<double> ridge_;
  std::vector<double> lasso_;            // or empty
  std::vector<double> slight_;           // see neglect(); or empty
  mutable std::vector<MadeUp> made_up_;  // empty: not known
  bool exact_ = false;
  const Run& run_;
  bool penalised_ = true;
  bool free_bias_ = false;
  double total_weight_ = 0.0;
  double passes_ = 0.0;
};

}  // namespace plumb
