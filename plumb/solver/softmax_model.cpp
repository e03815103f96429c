// The second-order model of softmax: with p_ic the probability of class c in row i and t_ic the change of its score,
// the derivative along weight j of class c is sum_i x_ij s_i p_ic (t_ic - a_i), where a_i = sum_k p_ik t_ik. A step
// changes one class's t and a, in the rows that have the column.
#include <algorithm>

#include "plumb/solver/quadratic_model.h"

namespace plumb {
namespace {

class SoftmaxModel final : public QuadraticModel {
 public:
  SoftmaxModel(const DesignMatrix& x, std::span<const ModelCoordinate> coordinates, In p, std::size_t classes,
               ModelSlopes slopes, const Run& run)
      : n_(x.rows()),
        columns_(distinct_columns(coordinates, x, run)),
        slopes_(std::move(slopes)),
        place_(coordinates.size()),
        output_(coordinates.size()),
        p_(n_ * classes),
        sp_(n_ * classes),
        t_(n_ * classes),
        a_(n_),
        room_t_(n_ * classes),
        room_a_(n_) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < classes; ++c) {
        p_[c * n_ + i] = p[i * classes + c];
        sp_[c * n_ + i] = x.weights()[i] * p[i * classes + c];
      }
    const std::vector<std::uint32_t> distinct = distinct_of(coordinates);
    d_.resize(coordinates.size());
    curve_.resize(coordinates.size());
    run.executor.for_each(coordinates.size(), [&](std::size_t i) {
      const auto found = std::lower_bound(distinct.begin(), distinct.end(), coordinates[i].column);
      place_[i] = static_cast<std::uint32_t>(found - distinct.begin());
      output_[i] = coordinates[i].output;
      double sum = 0.0;
      const std::size_t own = output_[i] * n_;
      for_each_entry(place_[i], [&](std::size_t row, double value) {
        sum += value * value * sp_[own + row] * (1.0 - p_[own + row]);
      });
      curve_[i] = sum + slopes_.ridge[i];
    });
  }

  double slope(std::size_t i) const override {
    return slopes_.gradient[i] + slopes_.ridge[i] * d_[i] + product(i, t_, a_);
  }
  void move(std::size_t i, double to) override {
    add(i, to - d_[i], t_, a_);
    d_[i] = to;
  }
  void times(std::span<const std::uint32_t> some, In p, Out product_out) override {
    std::fill(room_t_.begin(), room_t_.end(), 0.0);
    std::fill(room_a_.begin(), room_a_.end(), 0.0);
    for (const std::uint32_t i : some) add(i, p[i], room_t_, room_a_);
    for (const std::uint32_t i : some) product_out[i] = product(i, room_t_, room_a_) + slopes_.ridge[i] * p[i];
  }

 private:
  static std::vector<std::uint32_t> distinct_of(std::span<const ModelCoordinate> coordinates) {
    std::vector<std::uint32_t> all;
    for (const ModelCoordinate& each : coordinates) all.push_back(each.column);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  static WeightedColumns distinct_columns(std::span<const ModelCoordinate> coordinates, const DesignMatrix& x,
                                          const Run& run) {
    return {x, distinct_of(coordinates), std::vector<double>(x.rows(), 1.0), run};
  }

  template <class Use>
  void for_each_entry(std::size_t k, Use&& use) const {
    const std::size_t begin = columns_.begin[k], count = columns_.begin[k + 1] - begin;
    const double* const value = columns_.value.data() + begin;
    if (!columns_.sparse) {
      for (std::size_t e = 0; e < count; ++e) use(e, value[e]);
      return;
    }
    const std::uint32_t* const row = columns_.row.data() + begin;
    for (std::size_t e = 0; e < count; ++e) use(row[e], value[e]);
  }
  double product(std::size_t i, const std::vector<double>& t, const std::vector<double>& a) const {
    double sum = 0.0;
    const std::size_t own = output_[i] * n_;
    for_each_entry(place_[i],
                   [&](std::size_t row, double value) { sum += value * sp_[own + row] * (t[own + row] - a[row]); });
    return sum;
  }
  void add(std::size_t i, double step, std::vector<double>& t, std::vector<double>& a) const {
    const std::size_t own = output_[i] * n_;
    for_each_entry(place_[i], [&](std::size_t row, double value) {
      t[own + row] += step * value;
      a[row] += step * value * p_[own + row];
    });
  }

  std::size_t n_;
  WeightedColumns columns_;
  ModelSlopes slopes_;
  std::vector<std::uint32_t> place_, output_;  // of each coordinate: its column among the distinct ones, and its class
  std::vector<double> p_, sp_;                 // class after class: probabilities, and times the weights of the rows
  std::vector<double> t_, a_, room_t_, room_a_;
};

}  // namespace

std::unique_ptr<QuadraticModel> softmax_model(const DesignMatrix& x, std::span<const ModelCoordinate> coordinates,
                                              In probabilities, std::size_t classes, ModelSlopes slopes,
                                              const Run& run) {
  return std::make_unique<SoftmaxModel>(x, coordinates, probabilities, classes, std::move(slopes), run);
}

}  // namespace plumb
