// The rows of a least-squares problem as its solver sees them: in the units of Moments, shifted by a number near each
// column's mean, and the sums over all rows that the solver needs. Notation: docs/least_squares.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/batch.h"
#include "plumb/data/examples.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/train/moments.h"
#include "plumb/train/offset.h"

namespace plumb {

// The model of y is sum_j u_j z_j with z = (1, x_j - c_j), the 1 only with a bias. With an offset, y is the target
// minus it, and its column is 0 in every row.
class Design {
 public:
  // The units and means may be those of all rows, or of some: then confirm() must be called before anything but the
  // Gram matrix is used.
  enum class Look { all, some };
  Design(const Examples& examples, bool bias, const Offset& offset, const Run& run, Look look = Look::all,
         bool penalised = false);

  const Moments& moments() const noexcept { return moments_; }
  const std::vector<double>& shift() const noexcept { return c_; }  // c_j: the mean of column j, or 0
  double target_shift() const noexcept { return c_y_; }
  std::size_t features() const noexcept { return p_; }
  std::size_t first() const noexcept { return first_; }               // place of feature 0 in z: 1 with a bias
  std::size_t columns() const noexcept { return first_ + p_; }        // of z
  std::size_t gram_size() const noexcept { return first_ + p_ + 1; }  // with the target as one more column
  double exact_gram_cost() const noexcept;  // cost of it and of its factor, which is slower, in multiplications

  // Calls visit(s) for each row of a block that has a weight, with its (z, y - c_y) written into `row`.
  template <class Visit>
  void for_each_row(std::size_t block, std::vector<double>& row, Visit&& visit) const {
    examples_.block(block).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      if (e.x.dense()) {
        if (first_ != 0) row[0] = 1.0;
        math::kernels().scale_shift(e.x.value.data(), scale_.data(), c_.data(), row.data() + first_, p_);
        row[first_ + p_] = offset_.target(e) * scale_y_ - c_y_;
      } else {
        std::fill(row.begin(), row.end(), 0.0);
        each_z(e, [&](std::size_t place, double z) { row[place] = z; });
      }
      visit(e.weight * scale_s_);
    });
  }

  // sum s (z, y - c_y)(z, y - c_y)', row-major; only the lower triangle is filled.
  std::vector<double> gram() const;
  // After moments from some rows, which have no weights and a value for every column: whether the Gram matrix shows all
  // of them in the range of the units. moments() are then those of all rows.
  bool confirm(const std::vector<double>& gram);
  // The same in double-double.
  struct ExactGram {
    std::vector<double> high, low;
  };
  ExactGram exact_gram() const;

  // The results of one pass over the rows for given weights, in double-double.
  struct Sums {
    std::vector<math::DoubleDouble> slope;  // sum s x_j r, with r = y - x.w - b
    math::DoubleDouble error;               // sum s r
    math::DoubleDouble squared_error;       // sum s r^2
  };
  struct Point {
    std::vector<double> high, low;  // w
    math::DoubleDouble bias;
  };
  Sums pass(const Point& point) const;

  struct TargetSums {
    math::DoubleDouble sum;      // sum s (y - c_y)
    math::DoubleDouble squares;  // sum s (y - c_y)^2
  };
  TargetSums target_sums() const;

 private:
  class PassBlock;

  template <class Fill, class Use>
  void for_each_scaled_batch(const Block& block, std::size_t width, Fill&& fill, Use&& use) const;
  // put(place, number) for the bias's 1, the shifted x, the shifted y.
  template <class Put>
  void each_z(const Example& e, Put&& put) const {
    if (first_ != 0) put(std::size_t{0}, 1.0);
    for (std::size_t i = 0; i < e.x.value.size(); ++i) {
      const std::size_t j = e.x.dense() ? i : e.x.index[i];
      put(first_ + j, e.x.value[i] * scale_[j] - c_[j]);
    }
    put(first_ + p_, offset_.target(e) * scale_y_ - c_y_);
  }
  void add_few_columns(const Block& block, Out out) const;
  // Whether no column's unit is far from 1.
  bool moderate() const {
    return std::all_of(moments_.unit.begin(), moments_.unit.end(),
                       [](const math::Unit& unit) { return std::abs(unit.exponent) <= 64; });
  }
  void add_pairs(std::vector<double>& total, const std::function<void(std::size_t block, Out out)>& map) const;

  const Examples& examples_;
  const Run& run_;
  Offset offset_;
  Look look_;
  std::size_t p_;
  std::size_t first_;
  Moments moments_;
  std::vector<double> scale_;  // of each column; 0 for the offset's
  double scale_y_;
  double scale_s_;
  std::vector<double> c_;
  double c_y_ = 0.0;
};

}  // namespace plumb
