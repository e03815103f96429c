// How much two columns tell of each other within a class, and how likely so much is by chance: from sums of products of
// rows alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plumb::dependence {

enum class Shape { levels, presence, number };

struct Variable {
  Shape shape = Shape::presence;
  std::vector<std::uint32_t> features;
  std::size_t gaussian = 0;  // of a number: which
  std::vector<std::uint32_t> slots = {};
};

double x_log_x(double x);

// The sums of products of one class, lower triangle; slot 0 is 1 in every row.
class ClassSums {
 public:
  ClassSums(const double* gram, std::size_t slots) : gram_(gram), slots_(slots) {}

  double rows() const { return gram_[0]; }
  double sum(std::uint32_t a) const { return gram_[a * slots_]; }
  double product(std::uint32_t a, std::uint32_t b) const { return gram_[std::max(a, b) * slots_ + std::min(a, b)]; }
  double spread(std::uint32_t a, std::uint32_t b) const { return product(a, b) - sum(a) * sum(b) / rows(); }
  // What is left of the squares when rounding is left out of account.
  double variance(std::uint32_t a) const {
    const double spread_of = spread(a, a);
    return spread_of > 1e-12 * product(a, a) ? spread_of : 0.0;
  }

 private:
  const double* gram_;
  std::size_t slots_;
};

struct Told {
  double nats = 0.0;  // times the weight of the rows
  // A statistic that is large where they depend on each other, and its mean and variance where they do not.
  double statistic = 0.0, mean = 0.0, variance = 0.0;

  void add(const Told& other) {
    nats += other.nats;
    statistic += other.statistic;
    mean += other.mean;
    variance += other.variance;
  }
};

// How likely so large a statistic is by chance: of the gamma distribution with that mean and variance, which is
// chi-square where the variance is twice the mean.
double chance_of(double statistic, double mean, double variance);

// In one class.
Told told_by(const ClassSums& sums, const Variable& a, const Variable& b);

// The same over all classes, of one variable and each of those behind it. There may be thousands of pairs of presences:
// the margins of each are looked at once, and logarithms taken together. It borrows what it is given.
class Pairs {
 public:
  Pairs(const std::vector<ClassSums>& sums, const std::vector<Variable>& variables);
  ~Pairs();

  // Of a and a + 1, a and a + 2, ...; for any thread.
  std::vector<Told> told_of(std::size_t a) const;

 private:
  struct Presence;

  const std::vector<ClassSums>& sums_;
  const std::vector<Variable>& variables_;
  bool presences_alone_ = false;
  std::vector<std::vector<Presence>> presences_;  // [class][variable], if there is nothing else
};

// Of two numbers, over all classes.
std::optional<double> pooled_correlation(const std::vector<ClassSums>& sums, const Variable& a, const Variable& b);

}  // namespace plumb::dependence
