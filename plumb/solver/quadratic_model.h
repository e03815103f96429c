// The second-order model of an objective around a point, for some of its coordinates: 1/2 d'Hd + g'd, which coordinate
// descent minimises beside an L1 penalty (coordinate_descent.h). H comes from the rows, their curvature and the ridge;
// an unpenalised bias is eliminated: it follows every step exactly. docs/sparse_models.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/base/unset.h"
#include "plumb/objective/objective.h"

namespace plumb {

class QuadraticModel {
 public:
  virtual ~QuadraticModel() = default;
  std::size_t size() const noexcept { return d_.size(); }
  In d() const noexcept { return d_; }
  // The diagonal of H; 0 for a coordinate without effect, such as a constant column beside an unpenalised bias.
  double curve(std::size_t i) const noexcept { return curve_[i]; }
  // The derivative along coordinate i at d.
  virtual double slope(std::size_t i) const = 0;
  // d_i = to
  virtual void move(std::size_t i, double to) = 0;
  // product_i = (Hp)_i for the coordinates of `some`, outside which p is 0.
  virtual void times(std::span<const std::uint32_t> some, In p, Out product) = 0;
  // The step of the bias that goes with d; 0 unless it was eliminated.
  virtual double bias_step() const noexcept { return 0.0; }

 protected:
  std::vector<double> d_, curve_;
};

// Some columns of a matrix, each entry times the root of its row's curvature.
struct WeightedColumns {
  bool sparse;
  std::size_t rows;
  std::vector<std::size_t> begin;  // of each column, and the end of the last
  UnsetVector<std::uint32_t> row;  // of sparse ones
  UnsetVector<double> value;       // dense: `rows` numbers for each column
  std::vector<double> root;        // of the curvature of each row

  WeightedColumns(const DesignMatrix& x, std::span<const std::uint32_t> columns, In curvature, const Run& run);
  double dot(std::size_t i, In t) const noexcept;
  void add(std::size_t i, double a, Out t) const noexcept;
  std::size_t entries() const noexcept { return value.size(); }
  // The number of multiplications of gram().
  double gram_cost() const noexcept;
  // The matrix of their products, both triangles.
  std::vector<double> gram(const Run& run) const;
};

// For one output: gradient and ridge of these columns. `free_bias`: it is eliminated, and its gradient is `bias_slope`.
struct ModelSlopes {
  std::vector<double> gradient = {}, ridge = {};
  bool free_bias = false;
  double bias_slope = 0.0;
};

// The matrix H itself if it is small and soon pays, otherwise the columns.
std::unique_ptr<QuadraticModel> quadratic_model(WeightedColumns columns, ModelSlopes slopes, const Run& run);
// For softmax: some weights of some classes. The probabilities of each row are those that the loss keeps as its
// curvature.
struct ModelCoordinate {
  std::uint32_t output, column;
};
std::unique_ptr<QuadraticModel> softmax_model(const DesignMatrix& x, std::span<const ModelCoordinate> coordinates,
                                              In probabilities, std::size_t classes, ModelSlopes slopes,
                                              const Run& run);
// For a matrix that is known; both triangles, with the ridge, and the bias eliminated.
std::unique_ptr<QuadraticModel> quadratic_model(std::vector<double> matrix, std::vector<double> gradient);

}  // namespace plumb
