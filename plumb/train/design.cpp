#include "plumb/train/design.h"

#include <algorithm>
#include <functional>
#include <span>

#include "plumb/math/gram_rows.h"
#include "plumb/math/kernels.h"
#include "plumb/math/pair_sums.h"

namespace plumb {

using math::DoubleDouble;
using math::PairSums;

namespace {

// Up to 64 consecutive rows of a dense piece.
struct Stretch {
  const Piece& piece;
  std::uint64_t begin;
  std::size_t rows;
  In x;  // valid until the next one

  double target(std::size_t i) const { return piece.targets.empty() ? 0.0 : piece.targets[begin + i]; }
  double weight(std::size_t i) const { return piece.weights.empty() ? 1.0 : piece.weights[begin + i]; }
  Row row(std::size_t i) const { return {{}, x.subspan(i * piece.features, piece.features)}; }
};

template <class Use>
void for_each_stretch(const Block& block, Use&& use) {
  ValueWindow window;
  const Piece* piece = nullptr;
  std::uint64_t begin = 0, end = 0;
  const auto finish = [&] {
    if (begin == end) return;
    const std::size_t rows = end - begin, p = piece->features;
    use(Stretch{*piece, begin, rows, window.part(begin * p, rows * p)});
  };
  block.for_each_place([&](const Piece& at, std::uint64_t r) {
    if (&at != piece || r != end || end - begin == math::kGramRows) {
      finish();
      if (&at != piece) window.look_at(at.values);
      piece = &at;
      begin = end = r;
    }
    ++end;
  });
  finish();
}

}  // namespace

Design::Design(const Examples& examples, bool bias, const Offset& offset, const Run& run, Look look, bool penalised)
    : examples_(examples),
      run_(run),
      offset_(offset),
      look_(look),
      p_(examples.features()),
      first_(bias ? 1 : 0),
      moments_(look == Look::all ? find_moments(examples, offset, run) : guess_moments(examples, offset, run)),
      scale_y_(moments_.target_unit.scale),
      scale_s_(moments_.weight_unit.scale),
      c_(p_) {
  for (std::size_t j = 0; j < p_; ++j) {
    scale_.push_back(j == offset.feature() ? 0.0 : moments_.unit[j].scale);
    // Beside a bias a penalty leaves a constant column no weight, so that it counts as 0: c_j is its value.
    if (bias && penalised && look == Look::all && moments_.constant[j]) moments_.zero[j] = true;
    // Only a column that is stored in every row may be shifted: the zeros of others are not stored.
    if (bias && moments_.full[j]) c_[j] = moments_.mean[j];
  }
  if (bias) c_y_ = moments_.target_mean;
}

// A column that is 0, constant or far from its guess cannot be used here: products near 2^-1022 would have lost digits.
// The offset's is 0 by definition.
bool Design::confirm(const std::vector<double>& gram) {
  if (look_ == Look::all) return true;
  const std::size_t m = gram_size();
  const auto n = static_cast<double>(examples_.size());
  for (std::size_t i = first_; i < m; ++i) {
    const double squares = gram[i * (m + 1)] / n;
    if (offset_.feature() && i == first_ + *offset_.feature()) continue;
    if (!(squares > 0x1p-60 && squares < 0x1p60)) return false;
  }
  moments_.all_rows = moments_.rows = examples_.size();
  moments_.weight = n;
  for (std::size_t j = 0; j < p_; ++j) moments_.zero[j] = j == offset_.feature();
  for (std::size_t j = 0; j < p_ && first_ != 0; ++j) moments_.mean[j] = c_[j] + gram[(1 + j) * m] / n;
  if (first_ != 0) moments_.target_mean = c_y_ + gram[(m - 1) * m] / n;
  return true;
}

double Design::exact_gram_cost() const noexcept {
  const auto m = static_cast<double>(gram_size()), n = static_cast<double>(moments_.rows);
  return n * m * m / 2 + 5 * std::min(n, m) * m * m;
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
    if (m <= math::GramRows::kMostColumns) return add_few_columns(examples_.block(b), out);
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

// The columns are in the order (x, 1, y), so that rows need not be moved.
void Design::add_few_columns(const Block& block, Out out) const {
  const std::size_t m = gram_size();
  math::GramRows rows(m, moments_.weighted);
  const std::size_t others = m - p_;
  std::vector<double> more(others * math::kGramRows, 1.0), weights(math::kGramRows);
  for_each_stretch(block, [&](const Stretch& some) {
    for (std::size_t i = 0; i < some.rows; ++i) {
      more[i * others + others - 1] = offset_.target(some.target(i), some.row(i)) * scale_y_ - c_y_;
      weights[i] = some.weight(i) * scale_s_;
    }
    rows.add(some.x.data(), some.rows, scale_.data(), c_.data(), p_, more.data(), weights.data());
  });
  rows.flush();
  const auto place = [&](std::size_t i) { return i == m - 1 || first_ == 0 ? i : i == 0 ? p_ : i - 1; };
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      out[j * m + k] = rows.sum(std::max(place(j), place(k)), std::min(place(j), place(k)));
}

// Blocks return their numbers in double-double, and are combined in it.
void Design::add_pairs(std::vector<double>& total, const std::function<void(std::size_t block, Out out)>& map) const {
  run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), map, PairSums::combine);
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

// One block of a pass: the slopes, padded, then the other sums in their order.
class Design::PassBlock {
 public:
  PassBlock(const Design& design, const Point& point, Out out)
      : design_(design), point_(point), sums_(out), p_(design.p_), lows_of_(design.examples_.lows_of()) {
    for (std::vector<double>* const each : {&point_.high, &point_.low}) each->resize(padded(p_));
  }
  // Whole groups of 8 columns, which kernels process faster.
  static std::size_t padded(std::size_t p) { return (p + 7) / 8 * 8; }

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
      sums_.add(padded(p_), r * s);
      sums_.add(padded(p_) + 1, r * r * s);
      for (std::size_t i = 0; i < entries; ++i) sums_.add(e.x.index[i], r * s * x_[i]);
      add_lows(0, (r * s).high);
      lows_.clear();
    });
  }

  void add_dense(const Block& block) {
    if (lows_of_.empty() && design_.moderate()) return add_as_they_are(block);
    design_.for_each_scaled_batch(
        block, p_,
        [&](const Example& e, Out row) {
          kernels_.scale_shift(e.x.value.data(), design_.scale_.data(), no_shift_.data(), row.data(), p_);
          keep_lows(e);
        },
        [&](const Batch& batch) {
          add_rows(batch, padded(p_));
          lows_.clear();
        });
  }

 private:
  // Units are powers of two: if no product comes near the ends of a double's range, they may be applied to the weights
  // and the slopes instead of the rows, which would need a copy.
  void add_as_they_are(const Block& block) {
    const Point point = point_;
    for (std::vector<double>* const each : {&point_.high, &point_.low})
      for (std::size_t j = 0; j < p_; ++j) (*each)[j] *= design_.scale_[j];
    std::vector<double> y(math::kGramRows), s(math::kGramRows);
    for_each_stretch(block, [&](const Stretch& some) {
      for (std::size_t i = 0; i < some.rows; ++i) {
        y[i] = design_.offset_.target(some.target(i), some.row(i)) * design_.scale_y_;
        s[i] = some.weight(i) * design_.scale_s_;
      }
      add_rows({some.x.data(), some.rows, p_, In(y).first(some.rows), In(s).first(some.rows)}, p_);
    });
    for (std::size_t j = 0; j < p_; ++j) {
      sums_.high[j] *= design_.scale_[j];
      sums_.low[j] *= design_.scale_[j];
    }
    point_ = point;
  }
  void add_rows(const Batch& batch, std::size_t columns) {
    for (std::vector<double>* each : {&r_high_, &r_low_, &sr_high_, &sr_low_}) each->resize(batch.rows);
    kernels_.residuals(batch.x, batch.rows, batch.stride, columns, point_.high.data(), point_.low.data(), point_.bias,
                       batch.targets.data(), r_high_.data(), r_low_.data());
    for (std::size_t i = 0; i < batch.rows; ++i) {
      DoubleDouble r = {r_high_[i], r_low_[i]};
      if (!lows_of_.empty()) r -= score_of_lows(i);
      const DoubleDouble weighted = r * batch.weights[i];
      r_high_[i] = r.high;
      r_low_[i] = r.low;
      sr_high_[i] = weighted.high;
      sr_low_[i] = weighted.low;
      add_lows(i, weighted.high);
    }
    add_sums(batch);
    kernels_.transpose_times_dd_add(batch.x, batch.rows, batch.stride, columns, sr_high_.data(), sr_low_.data(),
                                    sums_.high.data(), sums_.low.data());
  }
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
  // Products of two low parts are negligible.
  void add_sums(const Batch& batch) const {
    const std::size_t n = batch.rows;
    const double* const s = batch.weights.data();
    sums_.add(padded(p_), kernels_.dot2(s, r_high_.data(), n) + kernels_.dot(s, r_low_.data(), n));
    sums_.add(padded(p_) + 1, kernels_.dot2(sr_high_.data(), r_high_.data(), n) +
                                  kernels_.dot(sr_low_.data(), r_high_.data(), n) +
                                  kernels_.dot(sr_high_.data(), r_low_.data(), n));
  }

  const Design& design_;
  Point point_;
  PairSums sums_;
  std::size_t p_;
  std::span<const std::uint32_t> lows_of_;
  const math::Kernels& kernels_ = math::kernels();
  std::vector<double> x_, r_high_, r_low_, sr_high_, sr_low_;
  std::vector<double> no_shift_ = std::vector<double>(p_);
  std::vector<double> lows_;  // of the rows of a batch, in their units
};

Design::Sums Design::pass(const Point& point) const {
  const std::size_t n = PassBlock::padded(p_);
  std::vector<double> total(2 * (n + 2));
  add_pairs(total, [&](std::size_t b, Out out) {
    PassBlock pass(*this, point, out);
    examples_.sparse() ? pass.add_sparse(examples_.block(b)) : pass.add_dense(examples_.block(b));
  });
  const PairSums sums{Out(total)};
  Sums found{{}, sums[n], sums[n + 1]};
  for (std::size_t j = 0; j < p_; ++j) found.slope.push_back(sums[j]);
  return found;
}

Design::TargetSums Design::target_sums() const {
  std::vector<double> total(2 * 2);
  const math::Kernels& kernels = math::kernels();
  add_pairs(total, [&](std::size_t b, Out out) {
    std::vector<double> s, y, y_low, sy, sy_low;
    examples_.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      s.push_back(e.weight * scale_s_);
      const DoubleDouble shifted = math::two_sum(offset_.target(e) * scale_y_, -c_y_);
      const DoubleDouble weighted = math::two_product(s.back(), shifted.high);
      y.push_back(shifted.high);
      y_low.push_back(shifted.low);
      sy.push_back(weighted.high);
      sy_low.push_back(weighted.low);
    });
    const std::size_t n = s.size();
    const PairSums sums(out);
    sums.add(0, kernels.dot2(s.data(), y.data(), n) + kernels.dot(s.data(), y_low.data(), n));
    sums.add(1, kernels.dot2(sy.data(), y.data(), n) + kernels.dot(sy_low.data(), y.data(), n) +
                    2 * kernels.dot(sy.data(), y_low.data(), n));
  });
  const PairSums sums{Out(total)};
  return {sums[0], sums[1]};
}

}  // namespace plumb
