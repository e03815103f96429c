// The weights are w_j = (1 / ridge_j) sum_i a_i y_i x_ij, one dual variable a_i >= 0 a row. Columns are divided by the
// root of their penalty first, so that all penalties are 1: then v = sum_i a_i y_i x_i, and w_j = v_j / root. An
// unpenalised bias requires e = sum_i a_i y_i = 0. It is b = c + r e, as if it had a penalty 1/r towards c; after every
// pass c becomes b (the proximal point method), and e goes to 0.
//
// Passes work on packed rows, in single precision if the loss has no corner. Errors of 2^-25 in a pass move the duals a
// little; weights, value and gap are always computed from the matrix itself, and the effect of such a move on the gap
// is of second order.
#include "plumb/solver/dual_descent.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/special.h"
#include "plumb/solver/dual_passes.h"
#include "plumb/solver/packed_rows.h"
#include "plumb/solver/softmax_descent.h"

namespace plumb {
namespace {

constexpr double kSinglePrecision = 1e-9;  // least tolerance for single precision
constexpr double kStretch = 1.6;           // see DualDescent::pass
constexpr std::size_t kRoundEntries = 8;   // in a round, for each column: adding up changes costs little beside that
constexpr std::size_t kMostRounds = 8;
constexpr std::size_t kGroupsPerSample = 16, kSampleParts = 4;  // see DualDescent::sampled_gap
constexpr double kNear = 2.0, kSurely = 0.8;                    // times the tolerance

template <class Value, DualLoss L>
class DualDescent : public DualPasses {
 public:
  DualDescent(Objective& f, const SolverOptions& options)
      : DualPasses(f, options),
        share_(shares(f)),
        rows_(x_, share_, f.run()),
        pull_(pull(f, rows_.mean_norm())),
        v_(x_.columns()),
        rows_state_(x_.rows()) {
    if (x_.entries() > rows_.kCheap && x_.sparse()) {
      shards_ = 2;
      stretch_ = kStretch;
    }
    for (std::size_t r = 0; r < rows_state_.size(); ++r) {
      const std::uint64_t i = rows_.source(r);
      rows_state_[r] = {.norm = rows_.norm(r) + pull_,
                        .sign = x_.targets()[i] == 0.0 ? -1.0 : 1.0,
                        .s = x_.weights()[i],
                        .offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i]};
    }
  }

 private:
  std::vector<double> weights() const override {
    std::vector<double> w(v_.size());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = double{v_[rows_.place(j)]} * share_[j];
    if (f_.free_bias()) w.back() = centre_ + pull_ * sum_;
    return w;
  }

  std::vector<double> slopes() const override {
    std::vector<double> u(x_.rows());
    for (std::size_t r = 0; r < u.size(); ++r) u[rows_.source(r)] = -rows_state_[r].sign * rows_state_[r].dual.a;
    return u;
  }

  void begin(In slopes, In scores) override {
    for (std::size_t r = 0; r < rows_state_.size(); ++r) {
      State& row = rows_state_[r];
      const std::uint64_t i = rows_.source(r);
      row.dual.a = std::min(std::max(0.0, -row.sign * slopes[i]), slope_bound_of(L()) * row.s);
      row.dual.u = -row.sign * scores[i];
    }
  }

  void renew(In sums) override {
    for (std::size_t j = 0; j < sums.size(); ++j) v_[rows_.place(j)] = static_cast<Value>(-sums[j] * share_[j]);
    sum_ = 0.0;
    for (const State& row : rows_state_) sum_ += row.sign * row.dual.a;
  }

  void move_biases(In w) override { centre_ = w.back() - pull_ * sum_; }

  // The data of a row for a pass, beside its entries, in one cache line.
  struct alignas(64) State {
    double norm = 0.0;  // A: including the bias's part
    double sign = 1.0;  // y
    double s = 1.0;     // its weight
    double offset = 0.0;
    DualRow dual = {};  // 0 until the row was met
  };
  // The weights of a shard during a round, and its results.
  struct Shard {
    Value* v;
    double sum;  // e
    double off = 0.0, value = 0.0;
    double sure = 1.0;  // product of the rows' probabilities of the more likely class: one logarithm for many
  };

  // Four sums in parallel.
  double score(const Shard& shard, std::size_t i) const {
    const auto x = rows_.row(i);
    const Value* const v = shard.v;
    Value a = 0, b = 0, c = 0, d = 0;  // named, because an array would live in memory
    std::size_t k = 0;
    for (; k + 4 <= x.size(); k += 4) {
      a += x[k].value * v[x[k].column];
      b += x[k + 1].value * v[x[k + 1].column];
      c += x[k + 2].value * v[x[k + 2].column];
      d += x[k + 3].value * v[x[k + 3].column];
    }
    for (; k < x.size(); ++k) a += x[k].value * v[x[k].column];
    return double{(a + b) + (c + d)} + centre_ + pull_ * shard.sum;
  }
  // The weights after the dual variable of row r has grown so much that they move by `step` times the row.
  void add(Shard& shard, std::size_t r, double step) const {
    const auto own = static_cast<Value>(step);
    for (const auto& entry : rows_.row(r)) shard.v[entry.column] += own * entry.value;
    shard.sum += step;
  }

  // Every row once. Two shards run in parallel on their own weights, and the changes of both are added after every
  // round. Rows that share columns push the weights in the same direction, so that both together would overshoot: each
  // treats its rows as kStretch times as long, moves its weights by as much more, and subtracts the part that its duals
  // moved. A stretch of 2 never overshoots, whatever the rows (the bound of CoCoA+); less is enough for texts and saves
  // a pass. The number of shards never depends on that of threads.
  Seen pass(std::uint64_t number) override {
    const std::vector<std::uint64_t> order = rows_.order(f_.run(), number);
    Seen seen{0.0, 0.0};
    const std::size_t rounds =
        shards_ == 1 ? 1 + x_.rows() / kBlockRows
                     : std::clamp<std::size_t>(x_.entries() / (kRoundEntries * x_.columns()), 1, kMostRounds);
    if (shards_ > 1) other_ = start_ = v_;
    for (std::size_t round = 0; round < rounds; ++round) go_round(order, round, rounds, seen);
    for (const Value each : v_) seen.value += double{each} * double{each} / 2;
    // A tenth of the rows' violation, as if all had a curvature of 1/4.
    precision_ = std::clamp(0.1 * std::sqrt(8 * seen.off / f_.total_weight()), 1e-10, precision_);
    if (number >= 2 && seen.off > last_.off) {  // all rows pull in the same direction
      shards_ = 1;
      stretch_ = 1.0;
    } else if constexpr (is_probabilistic<L>()) {
      if (shards_ > 1 && promised(seen, last_) <= kNear) mend(order, rounds, number, seen);
    }
    centre_ += pull_ * sum_;
    return seen;
  }

  // One part of a pass.
  void go_round(std::span<const std::uint64_t> order, std::size_t round, std::size_t rounds, Seen& seen) {
    const auto part = order.subspan(order.size() * round / rounds,
                                    order.size() * (round + 1) / rounds - order.size() * round / rounds);
    std::vector<Shard> shards(shards_, Shard{v_.data(), sum_});
    if (shards_ > 1) shards[1].v = other_.data();
    f_.run().for_each(Phase::fitting, shards_, [&](std::size_t k) {
      rows_.visit(part, k, shards_, [&](std::size_t r) { meet(shards[k], r); });
    });
    for (const Shard& shard : shards) {
      seen.off += shard.off;
      seen.value += shard.value - math::log(shard.sure);
    }
    if (shards_ > 1) add_up(shards);
    sum_ = shards[0].sum;
  }

  // Near the end the gap depends on where the last rows left the weights that all rows share, which no row saw. If a
  // sample of rows shows that only this is missing, some more rounds correct it, for a part of the price of a pass.
  void mend(std::span<const std::uint64_t> order, std::size_t rounds, std::uint64_t number, Seen& seen) {
    const double wanted = options_.tolerance * seen.value;
    for (std::size_t round = 0;; ++round) {
      seen.left = sampled_gap(number);
      if (seen.left <= kSurely * wanted || seen.left > kNear * wanted || 2 * round >= rounds) return;
      Seen unused{0.0, 0.0};
      go_round(order, round, rounds, unused);
      f_.count_passes(2.0 / static_cast<double>(rounds));
    }
  }

  // Estimates the gap from one group of rows in kGroupsPerSample: how far the duals are from the slopes at the current
  // scores.
  double sampled_gap(std::uint64_t number) {
    std::vector<std::uint64_t> groups;
    for (std::uint64_t g = number % kGroupsPerSample; g < rows_.groups(); g += kGroupsPerSample) groups.push_back(g);
    Value* const v = v_.data();
    double total[2] = {};  // violation of the rows, and their weight
    f_.run().reduce(Phase::fitting, kSampleParts, total, [&](std::size_t part, Out out) {
      const Shard now{v, sum_};
      rows_.visit(groups, part, kSampleParts, [&](std::size_t r) {
        const State& row = rows_state_[r];
        out[0] += L::dual_gap(row.dual, row.sign * (score(now, r) + row.offset), row.s);
        out[1] += row.s;
      });
    });
    f_.count_passes(1.0 / kGroupsPerSample);
    return total[1] > 0.0 ? total[0] * (f_.total_weight() / total[1]) : kInfinity;
  }

  // The weights of both shards, and the sum of the first, become the combination of both; so does the start of the next
  // round.
  void add_up(std::vector<Shard>& shards) {
    constexpr std::size_t kRun = 8192, kStep = 8;  // columns of a task; they fit in registers
    const double part = 1.0 / stretch_, before = sum_;
    shards[0].sum = before + part * ((shards[0].sum - before) + (shards[1].sum - before));
    const auto share = static_cast<Value>(part);
    f_.run().executor.for_each((v_.size() + kRun - 1) / kRun, [&](std::size_t run) {
      Value *const v = v_.data(), *const start = start_.data(), *const other = other_.data();
      const auto add = [=](std::size_t j) { return start[j] + share * ((v[j] - start[j]) + (other[j] - start[j])); };
      std::size_t j = run * kRun;
      for (const std::size_t end = std::min(j + kRun, v_.size()); j < end;) {
        const std::size_t count = std::min(kStep, end - j);
        Value sums[kStep];
        if (count == kStep)
          for (std::size_t k = 0; k < kStep; ++k) sums[k] = add(j + k);
        else
          for (std::size_t k = 0; k < count; ++k) sums[k] = add(j + k);
        for (Value* to : {v, start, other}) std::copy_n(sums, count, to + j);
        j += count;
      }
    });
  }

  // Along the way: how far the duals are from the slopes at their margins, and about the value.
  void meet(Shard& shard, std::size_t r) {
    State& row = rows_state_[r];
    const double margin = row.sign * (score(shard, r) + row.offset);
    const DualRow before = row.dual;
    L::dual_step(row.dual, margin, stretch_ * row.norm, row.s, precision_);
    shard.off += L::dual_off(before, row.dual, margin, row.s);
    if constexpr (is_probabilistic<L>())
      note_loss(shard, row);
    else
      shard.value += row.s * L::value(margin, 1.0);
    if (row.dual.a != before.a) add(shard, r, stretch_ * row.sign * (row.dual.a - before.a));
  }

  // log(1 + e^u), the loss at the row's current margin -u, from its probability: no exponential, few logarithms.
  static void note_loss(Shard& shard, const State& row) {
    constexpr double kSmall = 1e-280;
    const double p = row.dual.a / row.s, likely = std::max(p, 1.0 - p);
    shard.value += row.s * std::max(row.dual.u, 0.0);
    if (row.s != 1.0) {
      shard.value -= row.s * math::log(likely);
      return;
    }
    shard.sure *= likely;
    if (shard.sure > kSmall) return;
    shard.value -= math::log(shard.sure);
    shard.sure = 1.0;
  }

  std::vector<double> share_;
  PackedRows<Value> rows_;
  double pull_;          // r
  double centre_ = 0.0;  // c
  double sum_ = 0.0;     // e
  double precision_ = 1e-2;
  std::vector<Value> v_;  // in the order of rows_
  std::size_t shards_ = 1;
  double stretch_ = 1.0;
  std::vector<Value> other_;  // weights of the second shard, if there is one
  std::vector<Value> start_;  // those at the start of a round
  std::vector<State> rows_state_;
};

}  // namespace

Solution minimise_by_dual_descent(Objective& f, std::vector<double> start, const SolverOptions& options) {
  if (f.outputs() > 1) return minimise_by_softmax_descent(f, std::move(start), options);
  return with_loss(*f.loss().kind(), [&]<class L>(const L&) -> Solution {
    if constexpr (DualLoss<L>) {
      if (CurvedLoss<L> && options.tolerance >= kSinglePrecision)
        return DualDescent<float, L>(f, options).solve(std::move(start));
      return DualDescent<double, L>(f, options).solve(std::move(start));
    } else {
      throw Error(ErrorCode::internal, "the loss has no dual step");  // expect_fit() has returned true
    }
  });
}

}  // namespace plumb
