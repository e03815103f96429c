#include "plumb/train/design.h"

#include <algorithm>
#include <functional>
#include <span>

#include "plumb/math/kernels.h"

namespace plumb {

using math::DoubleDouble;

namespace {

// Numbers in double-double, kept as the high parts of all and then their low parts.
class PairSums {
 public:
  PairSums(Out numbers) : high(numbers.first(numbers.size() / 2)), low(numbers.last(numbers.size() / 2)) {}
  void add(std::size_t i, DoubleDouble value) const {
    const DoubleDouble sum = DoubleDouble(high[i], low[i]) + value;
    high[i] = sum.high;
    low[i] = sum.low;
  }
  DoubleDouble operator[](std::size_t i) const { return {high[i], low[i]}; }

  Out high, low;
};

}  // namespace

Design::Design(const Examples& examples, bool bias, const Offset& offset, const Run& run)
    : examples_(examples),
      run_(run),
      offset_(offset),
      p_(examples.features()),
      first_(bias ? 1 : 0),
      moments_(find_moments(examples, offset, run)),
      scale_y_(moments_.target_unit.scale),
      scale_s_(moments_.weight_unit.scale),
      c_(p_) {
  for (std::size_t j = 0; j < p_; ++j) {
    scale_.push_back(j == offset.feature() ? 0.0 : moments_.unit[j].scale);
    // Only a column that is stored in every row may be shifted: the others' zeros are not written down.
    if (bias && moments_.full[j]) c_[j] = moments_.mean[j];
  }
  if (bias) c_y_ = moments_.target_mean;
}

double Design::exact_gram_cost() const noexcept {
  const auto m = static_cast<double>(gram_size());
  return static_cast<double>(moments_.rows) * m * m / 2;
}

// fill(example, row) writes a row of numbers; use(batch) takes up to 64 of them, with target and weight in their units.
template <class Fill, class Use>
void Design::for_each_scaled_batch(const Block& block, std::size_t width, Fill&& fill, Use&& use) const {
  std::vector<double> y, s;
  for_each_batch(
      block, width,
      [&](const Example& e, Out row) {
        fill(e, row);
        y.push_back(offset_.target(e) * scale_y_);
      },
      [&](const Batch& batch) {
        s.assign(batch.weights.begin(), batch.weights.end());
        for (double& each : s) each *= scale_s_;
        use(Batch{batch.x, batch.rows, batch.stride, In(y), In(s)});
        y.clear();
      });
}

std::vector<double> Design::gram() const {
  const std::size_t m = gram_size();
  std::vector<double> total(m * m);
  const math::Kernels& kernels = math::kernels();
  run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    if (examples_.sparse()) {
      std::vector<std::uint32_t> index(m);
      std::vector<double> value(m);
      examples_.block(b).for_each([&](const Example& e) {
        if (!(e.weight > 0)) return;
        std::size_t n = 0;
        each_z(e, [&](std::size_t place, double z) {
          index[n] = static_cast<std::uint32_t>(place);
          value[n++] = z;
        });
        kernels.sparse_gram_add(index.data(), value.data(), n, e.weight * scale_s_, out.data(), m);
      });
      return;
    }
    for_each_scaled_batch(
        examples_.block(b), m,
        [&](const Example& e, Out row) {
          if (first_ != 0) row[0] = 1.0;
          kernels.scale_shift(e.x.value.data(), scale_.data(), c_.data(), row.data() + first_, p_);
          row[first_ + p_] = offset_.target(e) * scale_y_ - c_y_;
        },
        [&](const Batch& batch) {
          kernels.gram_add(batch.x, batch.rows, batch.stride, m, moments_.weighted ? batch.weights.data() : nullptr,
                           out.data(), m);
        });
  });
  return total;
}

// Blocks give their numbers in double-double, and are combined so.
void Design::add_pairs(std::vector<double>& total, const std::function<void(std::size_t block, Out out)>& map) const {
  run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), map,
              [](std::span<double> left, std::span<const double> right) {
                const PairSums sums(left);
                const std::size_t n = left.size() / 2;
                for (std::size_t i = 0; i < n; ++i) sums.add(i, {right[i], right[n + i]});
              });
}

// Row j of the triangle is sum_i (s_i z_ij) z_i, up to place j: a product of the transposed rows with a column.
Design::ExactGram Design::exact_gram() const {
  const std::size_t m = gram_size();
  std::vector<double> total(2 * m * m);
  const math::Kernels& kernels = math::kernels();
  const std::span<const std::uint32_t> lows_of = examples_.lows_of();
  add_pairs(total, [&](std::size_t b, Out out) {
    const PairSums sums(out);
    std::vector<double> lows, r_high, r_low;
    for_each_scaled_batch(
        examples_.block(b), m,
        [&](const Example& e, Out row) {
          const std::size_t stride = (m + 7) / 8 * 8, at = lows.size();
          lows.resize(at + stride);
          const auto put = [&](std::size_t place, DoubleDouble z) {
            row[place] = z.high;
            lows[at + place] = z.low;
          };
          if (first_ != 0) put(0, 1.0);
          for (std::size_t i = 0; i < e.x.value.size(); ++i) {
            const std::size_t j = e.x.dense() ? i : e.x.index[i];
            put(first_ + j, math::two_sum(e.x.value[i] * scale_[j], -c_[j]));
          }
          put(first_ + p_, math::two_sum(offset_.target(e) * scale_y_, -c_y_));
          for (std::size_t k = 0; k < lows_of.size(); ++k) {
            const std::size_t place = first_ + lows_of[k];
            put(place, DoubleDouble(row[place], lows[at + place]) + e.lows[k] * scale_[lows_of[k]]);
          }
        },
        [&](const Batch& batch) {
          r_high.resize(batch.rows);
          r_low.resize(batch.rows);
          for (std::size_t j = 0; j < m; ++j) {
            for (std::size_t i = 0; i < batch.rows; ++i) {
              const std::size_t at = i * batch.stride + j;
              const DoubleDouble r = DoubleDouble(batch.x[at], lows[at]) * batch.weights[i];
              r_high[i] = r.high;
              r_low[i] = r.low;
            }
            double* const low = sums.low.data() + j * m;
            kernels.transpose_times_dd_add(batch.x, batch.rows, batch.stride, j + 1, r_high.data(), r_low.data(),
                                           sums.high.data() + j * m, low);
            kernels.transpose_times_add(lows.data(), batch.rows, batch.stride, j + 1, r_high.data(), low);
          }
          lows.clear();
        });
  });
  ExactGram gram{std::vector<double>(m * m), std::vector<double>(m * m)};
  const PairSums sums{Out(total)};
  for (std::size_t i = 0; i < m * m; ++i) {
    const DoubleDouble each = math::two_sum(sums.high[i], sums.low[i]);
    gram.high[i] = each.high;
    gram.low[i] = each.low;
  }
  return gram;
}

// One block of a pass: 0..p-1 the slopes, then the other sums in their order.
class Design::PassBlock {
 public:
  PassBlock(const Design& design, const Point& point, Out out)
      : design_(design), point_(point), sums_(out), p_(design.p_), lows_of_(design.examples_.lows_of()) {}

  void add_sparse(const Block& block) {
    block.for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      const std::size_t entries = e.x.index.size();
      x_.resize(entries);
      for (std::size_t i = 0; i < entries; ++i) x_[i] = e.x.value[i] * design_.scale_[e.x.index[i]];
      const double y = design_.offset_.target(e) * design_.scale_y_, s = e.weight * design_.scale_s_;
      const DoubleDouble score = kernels_.sparse_dot2(e.x.index.data(), x_.data(), entries, point_.high.data());
      const double low_score = kernels_.sparse_dot(e.x.index.data(), x_.data(), entries, point_.low.data());
      keep_lows(e);
      const DoubleDouble r = DoubleDouble(y) - score - low_score - score_of_lows(0) - point_.bias;
      add_row(y, s, r);
      for (std::size_t i = 0; i < entries; ++i) sums_.add(e.x.index[i], r * s * x_[i]);
      add_lows(0, (r * s).high);
      lows_.clear();
    });
  }

  void add_dense(const Block& block) {
    design_.for_each_scaled_batch(
        block, p_,
        [&](const Example& e, Out row) {
          write_row(e.x, row);
          for (std::size_t j = 0; j < p_; ++j) row[j] *= design_.scale_[j];
          keep_lows(e);
        },
        [&](const Batch& batch) {
          r_high_.resize(batch.rows);
          r_low_.resize(batch.rows);
          kernels_.residuals(batch.x, batch.rows, batch.stride, p_, point_.high.data(), batch.targets.data(),
                             r_high_.data(), r_low_.data());
          for (std::size_t i = 0; i < batch.rows; ++i) {
            const double low_score = kernels_.dot(batch.x + i * batch.stride, point_.low.data(), p_) + score_of_lows(i);
            const DoubleDouble r = DoubleDouble(r_high_[i], r_low_[i]) - low_score - point_.bias;
            const double s = batch.weights[i];
            if (s > 0) add_row(batch.targets[i], s, r);
            const DoubleDouble weighted = r * s;
            r_high_[i] = weighted.high;
            r_low_[i] = weighted.low;
            add_lows(i, weighted.high);
          }
          kernels_.transpose_times_dd_add(batch.x, batch.rows, batch.stride, p_, r_high_.data(), r_low_.data(),
                                          sums_.high.data(), sums_.low.data());
          lows_.clear();
        });
  }

 private:
  void keep_lows(const Example& e) {
    for (std::size_t k = 0; k < lows_of_.size(); ++k) lows_.push_back(e.lows[k] * design_.scale_[lows_of_[k]]);
  }
  double score_of_lows(std::size_t row) const {
    double score = 0.0;
    for (std::size_t k = 0; k < lows_of_.size(); ++k)
      score += lows_[row * lows_of_.size() + k] * point_.high[lows_of_[k]];
    return score;
  }
  void add_lows(std::size_t row, double weighted) const {
    for (std::size_t k = 0; k < lows_of_.size(); ++k)
      sums_.add(lows_of_[k], lows_[row * lows_of_.size() + k] * weighted);
  }
  void add_row(double y, double s, DoubleDouble r) const {
    const DoubleDouble shifted = math::two_sum(y, -design_.c_y_);
    sums_.add(p_, r * s);
    sums_.add(p_ + 1, r * r * s);
    sums_.add(p_ + 2, shifted * s);
    sums_.add(p_ + 3, shifted * shifted * s);
  }

  const Design& design_;
  const Point& point_;
  PairSums sums_;
  std::size_t p_;
  std::span<const std::uint32_t> lows_of_;
  const math::Kernels& kernels_ = math::kernels();
  std::vector<double> x_, r_high_, r_low_;
  std::vector<double> lows_;  // of the rows of a batch, in their units
};

Design::Sums Design::pass(const Point& point) const {
  std::vector<double> total(2 * (p_ + 4));
  add_pairs(total, [&](std::size_t b, Out out) {
    PassBlock pass(*this, point, out);
    examples_.sparse() ? pass.add_sparse(examples_.block(b)) : pass.add_dense(examples_.block(b));
  });
  const PairSums sums{Out(total)};
  Sums found{{}, sums[p_], sums[p_ + 1], sums[p_ + 2], sums[p_ + 3]};
  for (std::size_t j = 0; j < p_; ++j) found.slope.push_back(sums[j]);
  return found;
}

}  // namespace plumb
