// The weights are w_j = (1 / ridge_j) sum_i a_i y_i x_ij, one dual number a_i >= 0 a row. Columns are divided by the
// root of their penalty first, so that all penalties are 1: then v = sum_i a_i y_i x_i, and w_j = v_j / root. A bias
// without penalty asks for e = sum_i a_i y_i = 0. It is b = c + r e, as if it had a penalty 1/r towards c; after every
// pass c becomes b (the proximal point method), and e goes to 0.
//
// Passes work on a copy of the matrix: its columns by how many rows have them, so that what is used most lies together
// in the first cache, and entries of 8 bytes, in single precision where the loss has no corner. That the numbers of a
// pass are off by 2^-25 moves the duals a little; weights, value and gap are always computed from the matrix itself,
// and the gap that such a move leaves is of second order. Rows are laid down in random order once; a pass then draws
// the order of groups of them, so that it reads memory in runs and not a row here and a row there.
#include "plumb/solver/dual_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/dense.h"
#include "plumb/math/special.h"
#include "plumb/solver/newton.h"

namespace plumb {
namespace {

constexpr std::uint64_t kPatience = 12;  // passes, in which the gap should ...
constexpr double kSlow = 0.1;            // ... fall to this share at least

constexpr std::size_t kMostFactored = 2048;  // columns

constexpr std::size_t kCheap = 1'000'000;  // entries of a matrix whose passes cost next to nothing
constexpr double kSinglePrecision = 1e-9;  // least tolerance that single precision serves
constexpr std::size_t kShards = 2;
constexpr std::size_t kRoundEntries = 8;  // of a round, for each column: adding up changes costs little beside that
constexpr std::size_t kMostRounds = 64;
constexpr std::size_t kAhead = 2;   // rows that are asked for before they are needed
constexpr std::size_t kGroup = 16;  // rows of a large matrix that stay together in every pass: some pages of memory
constexpr std::uint64_t kLayout = std::uint64_t{1} << 40;  // the draw of Stream::order that no pass comes to

enum class Form { logistic, hinge, squared_hinge };

// Told by their slopes at a score of 0 and far above: the solver sees no names.
Form form_of(const RowLoss& loss) {
  const double z[] = {0.0}, y[] = {1.0}, s[] = {1.0};
  double slope[1], curve[1];
  loss.value(z, y, s, slope, curve);
  return slope[0] == -0.5 ? Form::logistic : slope[0] == -1.0 ? Form::hinge : Form::squared_hinge;
}

// Rows one after the other, rows and columns in another order.
template <class Value>
struct PackedRows {
  struct Entry {
    std::uint32_t column;
    Value value;
  };
  std::vector<Entry> entries;
  std::vector<std::size_t> begin;
  std::vector<std::uint64_t> source;  // which row of the matrix each one is
  std::vector<std::uint32_t> place;   // of each column of the matrix
  std::vector<double> norm;           // the squared length of each row

  PackedRows(const DesignMatrix& x, In share, const Run& run)
      : source(run.random.with_stream(Stream::order, kLayout).shuffled(x.rows())),
        place(x.columns()),
        norm(x.rows()) {
    std::vector<std::uint32_t> rows(x.columns());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const Row row = x.row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) ++rows[row.index.empty() ? k : row.index[k]];
    }
    std::vector<std::uint32_t> order(x.columns());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a] > rows[b]; });
    for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    begin.reserve(x.rows() + 1);
    begin.push_back(0);
    const std::size_t left_out = x.bias() && share[x.columns() - 1] == 0.0 ? 1 : 0;  // the last of every row
    for (const std::uint64_t i : source) begin.push_back(begin.back() + x.row(i).value.size() - left_out);
    entries.resize(begin.back());
    run.for_each(Phase::fitting, x.blocks(), [&](std::size_t b) {
      for (std::size_t r = x.block_begin(b), end = r + x.block_size(b); r < end; ++r) {
        if (r + kAhead < end) {
          const Row next = x.row(source[r + kAhead]);
          for (std::size_t k = 0; k < next.value.size(); k += 8) __builtin_prefetch(next.value.data() + k);
          for (std::size_t k = 0; k < next.index.size(); k += 16) __builtin_prefetch(next.index.data() + k);
        }
        const Row row = x.row(source[r]);
        double sum = 0.0;
        for (std::size_t k = 0; k < row.value.size() - left_out; ++k) {
          const std::size_t j = row.index.empty() ? k : row.index[k];
          const auto value = static_cast<Value>(row.value[k] * share[j]);
          entries[begin[r] + k] = {place[j], value};
          sum += static_cast<double>(value) * value;
        }
        norm[r] = sum;
      }
    });
  }

  std::span<const Entry> row(std::size_t r) const {
    return std::span(entries).subspan(begin[r], begin[r + 1] - begin[r]);
  }
  // Its first lines; those behind them follow by themselves.
  void expect(std::size_t r) const {
    constexpr std::size_t kLines = 24;
    const char* const from = reinterpret_cast<const char*>(entries.data() + begin[r]);
    const std::size_t bytes = std::min((begin[r + 1] - begin[r]) * sizeof(Entry), 64 * kLines);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
  }
};

template <class Value>
class DualDescent {
 public:
  DualDescent(Objective& f, const SolverOptions& options)
      : f_(f),
        options_(options),
        x_(f.matrix()),
        form_(form_of(f.loss())),
        share_(shares(f)),
        rows_(x_, share_, f.run()),
        v_(x_.columns()),
        rows_state_(x_.rows()) {
    if (x_.entries() > kCheap) group_ = kGroup;
    if (x_.entries() > kCheap && x_.sparse()) shards_ = kShards;
    others_.resize(shards_ - 1);
    double mean = 0.0;
    for (const double norm : rows_.norm) mean += norm / static_cast<double>(x_.rows());
    if (f.free_bias()) pull_ = std::max(mean, 1e-3);
    for (std::size_t r = 0; r < rows_state_.size(); ++r) {
      const std::uint64_t i = rows_.source[r];
      rows_state_[r] = {.norm = rows_.norm[r] + pull_,
                        .sign = x_.targets()[i] == 0.0 ? -1.0 : 1.0,
                        .s = x_.weights()[i],
                        .offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i]};
    }
  }

  Solution solve() {
    Solution result;
    result.gap = kInfinity;
    double before = kInfinity;  // the gap kPatience passes ago
    for (;; advance(result)) {
      if (!worth_a_check(result.iterations)) {
        tell(result.iterations);
        continue;
      }
      check(result);
      if (result.gap <= options_.tolerance * result.point.value) return result;
      if (result.iterations >= options_.iterations) {
        result.why = StopReason::iteration_limit;
        return result;
      }
      if (result.iterations % kPatience == 0 && result.iterations > 0) {
        if (newton_ends_it() && !(result.gap < kSlow * before)) return finish_by_newton(std::move(result));
        before = result.gap;
      }
    }
  }

 private:
  static std::vector<double> shares(const Objective& f) {
    std::vector<double> share;
    for (const double ridge : f.ridge()) share.push_back(ridge > 0.0 ? 1.0 / std::sqrt(ridge) : 0.0);
    return share;
  }

  void advance(Solution& result) {
    epoch(result.iterations++);
    f_.count_passes(2);
    centre_ += pull_ * sum_;
  }

  // A check takes two passes over the data, with a bias three. Where these are dear it waits until the
  // rows, as the last pass met them, and how much less they were off than in the pass before, promise that it succeeds.
  bool worth_a_check(std::uint64_t passes) const {
    if (passes >= options_.iterations || (passes > 0 && passes % kPatience == 0)) return true;
    if (x_.entries() <= kCheap) return passes < 3 || passes % 3 == 0;
    return off_before_ < kInfinity && off_ * std::min(1.0, off_ / off_before_) <= options_.tolerance / 2 * value_;
  }

  // Of a pass without a check: the weights, and about their value.
  void tell(std::uint64_t passes) const {
    if (!options_.on_step || passes == 0) return;
    Solution so_far;
    so_far.point.w = weights();
    so_far.point.value = value_;
    so_far.iterations = passes;
    so_far.gap = kInfinity;
    so_far.trace.push_back({passes, value_, 0.0, 1.0, f_.passes(), kInfinity});
    options_.on_step(so_far);
  }

  std::vector<double> weights() const {
    std::vector<double> w(v_.size());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = v_[rows_.place[j]] * share_[j];
    if (f_.free_bias()) w.back() = centre_ + pull_ * sum_;
    return w;
  }

  // The interior point method of a hinge is at its best where it can factor its matrix.
  bool newton_ends_it() const { return f_.loss().curved() || x_.columns() <= kMostFactored; }

  // Few columns in unlike units, or a weak penalty, couple all rows; from here second-order steps end sooner.
  Solution finish_by_newton(Solution result) {
    SolverOptions options = options_;
    if (options_.on_step)
      options.on_step = [this, before = result.iterations](const Solution& so_far) {
        Solution counted = so_far;
        counted.iterations += before;
        counted.trace.back().iteration += before;
        options_.on_step(counted);
      };
    Solution end = minimise_by_newton(f_, std::move(result.point.w), options);
    end.iterations += result.iterations;
    for (SolverStep& step : end.trace) step.iteration += result.iterations;
    end.trace.insert(end.trace.begin(), result.trace.begin(), result.trace.end());
    return end;
  }

  // What a pass needs of a row beside its entries, in a line of its own.
  struct alignas(64) State {
    double norm = 0.0;    // A: with what the bias adds
    double sign = 1.0;    // y
    double s = 1.0;       // its weight
    double offset = 0.0;
    double a = 0.0;       // the dual number; 0 until the row was met
    double u = -1.0;      // logit of a / s, of a logistic loss
  };
  // What a share of the rows sees of the weights during a round, and what it found.
  struct Shard {
    double* v;
    double sum;  // e
    double off = 0.0, value = 0.0;
  };

  // Four sums side by side.
  double score(const Shard& shard, std::size_t i) const {
    const std::span<const typename PackedRows<Value>::Entry> x = rows_.row(i);
    const double* const v = shard.v;
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;  // named, as an array would live in memory
    std::size_t k = 0;
    for (; k + 4 <= x.size(); k += 4) {
      a += static_cast<double>(x[k].value) * v[x[k].column];
      b += static_cast<double>(x[k + 1].value) * v[x[k + 1].column];
      c += static_cast<double>(x[k + 2].value) * v[x[k + 2].column];
      d += static_cast<double>(x[k + 3].value) * v[x[k + 3].column];
    }
    for (; k < x.size(); ++k) a += static_cast<double>(x[k].value) * v[x[k].column];
    return (a + b) + (c + d) + centre_ + pull_ * shard.sum;
  }
  // The weights after the dual number of row r has grown so much that they move by `step` times the row.
  void add(Shard& shard, std::size_t r, double step) const {
    for (const auto& entry : rows_.row(r)) shard.v[entry.column] += step * static_cast<double>(entry.value);
    shard.sum += step;
  }

  // Every row once. Two shards go side by side on weights of their own, and what they changed is added up after every
  // round: as rounds are short beside the pass, next to nothing is lost against one row after the other. The number of
  // shards never depends on that of threads.
  void epoch(std::uint64_t number) {
    const std::vector<std::uint64_t> order =
        f_.run().random.with_stream(Stream::order, number).shuffled((x_.rows() + group_ - 1) / group_);
    off_before_ = off_;
    off_ = value_ = 0.0;
    const std::size_t rounds =
        shards_ == 1 ? 1 + x_.rows() / kBlockRows
                     : std::clamp<std::size_t>(x_.entries() / (kRoundEntries * x_.columns()), 2, kMostRounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto part = std::span(order).subspan(order.size() * round / rounds,
                                                 order.size() * (round + 1) / rounds - order.size() * round / rounds);
      std::vector<Shard> shards(shards_, Shard{v_.data(), sum_});
      for (std::size_t k = 1; k < shards_; ++k) {
        others_[k - 1] = v_;
        shards[k].v = others_[k - 1].data();
      }
      if (shards_ > 1) start_ = v_;
      f_.run().for_each(Phase::fitting, shards_, [&](std::size_t k) { visit(shards[k], part, k, number % 2 == 1); });
      for (const Shard& shard : shards) {
        off_ += shard.off;
        value_ += shard.value;
      }
      const double before = sum_;
      sum_ = shards[0].sum;
      for (std::size_t k = 1; k < shards_; ++k) {
        for (std::size_t j = 0; j < v_.size(); ++j) v_[j] += others_[k - 1][j] - start_[j];
        sum_ += shards[k].sum - before;
      }
    }
    value_ += math::dot(v_, v_) / 2;
    // A tenth of what rows are off by, as if all had a curvature of 1/4.
    precision_ = std::clamp(0.1 * std::sqrt(8 * off_ / f_.total_weight()), 1e-10, precision_);
    if (number >= 2 && off_ > off_before_) shards_ = 1;  // rows that pull alike: together they go too far
  }

  // Every second pass goes through a group backwards, so that its rows do not always meet in the same order.
  void visit(Shard& shard, std::span<const std::uint64_t> part, std::size_t first, bool backwards) {
    for (std::size_t t = first; t < part.size(); t += shards_) {
      const std::size_t begin = part[t] * group_, end = std::min(begin + group_, x_.rows());
      const std::size_t next = t + shards_ < part.size() ? part[t + shards_] * group_ : begin;
      for (std::size_t k = 0; k < end - begin; ++k) {
        const std::size_t left = end - begin - k;
        if (left > kAhead)
          rows_.expect(backwards ? end - 1 - k - kAhead : begin + k + kAhead);
        else  // of the next group, whose last row is the one there is for certain only if it is no short one
          rows_.expect(std::min(next + (backwards ? group_ - 1 - (kAhead - left) : kAhead - left), x_.rows() - 1));
        meet(shard, backwards ? end - 1 - k : begin + k);
      }
    }
  }

  // On the way: how far the duals are from the slopes at the margins they meet, and the value there.
  void meet(Shard& shard, std::size_t r) {
    State& row = rows_state_[r];
    const double margin = row.sign * (score(shard, r) + row.offset), before = row.a, s = row.s;
    if (form_ == Form::logistic) {
      const double off = margin + row.u;
      shard.off += std::min(before * (1.0 - before / s) * off * off / 2, s * std::abs(off));
      shard.value += s * math::log1p_exp(-margin);
      logistic_step(row, margin);
    } else {
      const double lack = std::fmax(0.0, 1.0 - margin);
      shard.value += s * (form_ == Form::hinge ? lack : lack * lack);
      hinge_step(row, margin);
      shard.off += std::abs(row.a - before) * std::abs(1.0 - margin);
    }
    if (row.a != before) add(shard, r, row.sign * (row.a - before));
  }

  // The root u of A (a(u) - a) + margin + u = 0 with a(u) = s / (1 + e^-u): Newton's method in a bracket.
  void logistic_step(State& row, double margin) const {
    if (std::abs(margin + row.u) <= precision_ && row.a > 0.0) return;
    const double s = row.s, start = row.a;
    double low = -margin - row.norm * (s - start), high = -margin + row.norm * start, u = row.u, a = start;
    for (int trial = 0;; ++trial) {
      if (!(u > low && u < high)) u = (low + high) / 2;
      const double e = math::exp(-std::abs(u));
      a = s * ((u >= 0.0 ? 1.0 : e) / (1.0 + e));
      const double residual = row.norm * (a - start) + margin + u;
      if (std::abs(residual) <= precision_ / 10 || low == high || trial == 49) break;
      (residual > 0.0 ? high : low) = u;
      u -= residual / (1.0 + row.norm * s * e / ((1.0 + e) * (1.0 + e)));
    }
    row.a = a;
    row.u = u;
  }

  // The gradient of the dual is margin - 1, plus a / (2 s) for the squared hinge, which has no upper end.
  void hinge_step(State& row, double margin) const {
    const double extra = form_ == Form::hinge ? 0.0 : 1.0 / (2.0 * row.s);
    const double slope = margin - 1.0 + extra * row.a, curve = row.norm + extra;
    if (curve <= 0.0) {  // a row of zeros
      row.a = form_ == Form::hinge ? row.s : row.a;
      return;
    }
    row.a = std::max(0.0, row.a - slope / curve);
    if (form_ == Form::hinge) row.a = std::min(row.a, row.s);
  }

  // The weights of the duals as they are, without what rounding added up.
  void check(Solution& result) {
    std::vector<double> slopes(x_.rows());
    sum_ = 0.0;
    for (std::size_t r = 0; r < slopes.size(); ++r) {
      slopes[rows_.source[r]] = -rows_state_[r].sign * rows_state_[r].a;
      sum_ += rows_state_[r].sign * rows_state_[r].a;
    }
    std::vector<double> sums(v_.size());
    x_.transpose_times(slopes, 1, sums, f_.run());
    for (std::size_t j = 0; j < sums.size(); ++j) v_[rows_.place[j]] = -sums[j] * share_[j];
    // Of a large matrix no gradient is made, which has no use here; without a bias the sums are those of the gap too.
    result.point = x_.entries() <= kCheap ? f_.at(weights()) : f_.valued(weights());
    result.gap = f_.free_bias() ? f_.gap(result.point, std::move(slopes), {}) : f_.gap(result.point, slopes, sums, {});
    note_step(f_, result, 1.0, options_);
  }

  Objective& f_;
  const SolverOptions& options_;
  const DesignMatrix& x_;
  Form form_;
  double pull_ = 0.0;    // r
  double centre_ = 0.0;  // c
  double sum_ = 0.0;     // e
  double precision_ = 1e-2;
  double off_ = kInfinity, off_before_ = kInfinity;  // about the gap, as the last pass met it, and the one before
  double value_ = 0.0;                               // about the objective, the same
  std::vector<double> share_;                        // 1 / root of the penalty of each column; 0 without one
  PackedRows<Value> rows_;
  std::vector<double> v_;  // in the order of rows_
  std::size_t group_ = 1;
  std::size_t shards_ = 1;
  std::vector<std::vector<double>> others_;  // weights of the shards but the first
  std::vector<double> start_;                // those that a round began with
  std::vector<State> rows_state_;
};

}  // namespace

Solution minimise_by_dual_descent(Objective& f, std::vector<double>, const SolverOptions& options) {
  if (f.loss().curved() && options.tolerance >= kSinglePrecision) return DualDescent<float>(f, options).solve();
  return DualDescent<double>(f, options).solve();
}

}  // namespace plumb
