#include "plumb/solver/exact_margin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "plumb/math/big_integer.h"
#include "plumb/math/double_double.h"
#include "plumb/math/norm.h"
#include "plumb/solver/exact_simplex.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

using math::BigInteger;
using math::DoubleDouble;
using Numbers = std::vector<BigInteger>;

constexpr double kUnit = 0x1p-53;
constexpr std::uint64_t kWorkOfEntry = 16;  // of a score, in products of words

// sqrt(a / b) 2^shift, off by some units in the last place.
double root_of_quotient(const BigInteger& a, const BigInteger& b, int shift) {
  const BigInteger::Approximate top = a.approximate(), bottom = b.approximate();
  const std::int64_t exponent = top.exponent - bottom.exponent, odd = exponent % 2;
  const double root = std::sqrt(std::ldexp(top.mantissa / bottom.mantissa, static_cast<int>(odd)));
  const std::int64_t half = std::clamp<std::int64_t>((exponent - odd) / 2 + shift, -5000, 5000);
  return std::ldexp(root, static_cast<int>(half));
}

// The dual of the hard-margin problem, min |sum s_i z_i|^2 / 2 - sum s over s >= 0 with z_i = y_i x_i (and the bias as
// a feature, or sum s y = 0), by the method of Lawson and Hanson: rows with a share are the support, their shares solve
// a linear system, and the row that the plane has least on its right side comes in next. Kept are the determinant of
// that system and its adjugate: whole numbers, as each is a determinant, so that divisions leave nothing over.
class SupportSearch {
 public:
  SupportSearch(const RowTable& rows, std::vector<std::uint64_t> all, BiasKind kind, std::uint64_t most_work,
                const Run& run)
      : rows_(rows),
        reader_(rows),
        all_(std::move(all)),
        kind_(kind),
        p_(rows.examples().features()),
        dimensions_(p_ + (kind == BiasKind::augmented ? 1 : 0)),
        most_work_(most_work),
        run_(run) {
    unit_ = kind == BiasKind::augmented ? 0 : std::numeric_limits<int>::max();
    for (const std::uint64_t i : all_)
      for_each_entry(reader_.row(i), [&](std::size_t, double x) {
        ++entries_;
        if (x == 0.0) return;
        unit_ = std::min(unit_, lowest_bit(x));
        highest_ = std::max(highest_, std::ilogb(x) + 1);
      });
    if (unit_ == std::numeric_limits<int>::max()) unit_ = 0;
  }

  // Of a support as large as can be, added row by row: k^2 / 2 updates of numbers of up to k squares, three products
  // each.
  double foreseen_work() const {
    return foreseen_work(all_.size(), p_, 2.0 * static_cast<double>(std::max(highest_, 1) - unit_));
  }
  static double foreseen_work(std::uint64_t rows, std::size_t features, double bits_of_square) {
    const double words = (bits_of_square + 8.0) / 32.0;
    const auto k = static_cast<double>(std::min<std::uint64_t>(rows, features + 2));
    return 0.3 * words * words * std::pow(k, 5.0);
  }

  std::optional<ExactMargin> find(In start, double tolerance) {
    if (!begin(start) && !begin({})) return result();
    const std::size_t most = 20 * dimensions_ + 100;
    for (std::size_t round = 0; round < most && work_ < most_work_; ++round) {
      const std::uint64_t next = look();
      if (found_.bounds.width() <= tolerance / 2.0 || has(next)) break;
      if (!enter(next, 0.0) || !settle(next)) break;
    }
    return result();
  }

 private:
  struct Member {
    std::uint64_t row;
    double sign;
    Numbers z;
    DoubleDouble share;
  };

  double sign(std::uint64_t i) const { return rows_.target(i) > 0.5 ? 1.0 : -1.0; }
  bool free() const { return kind_ == BiasKind::free; }
  std::size_t place(std::size_t member) const { return member + (free() ? 1 : 0); }  // in the system
  bool has(std::uint64_t row) const {
    return std::any_of(members_.begin(), members_.end(), [&](const Member& each) { return each.row == row; });
  }
  BigInteger product(const BigInteger& a, const BigInteger& b) {
    work_ += a.words() * b.words() + 1;
    return a * b;
  }
  BigInteger part(const BigInteger& a, const BigInteger& b) {
    work_ += a.words() * b.words() + 1;
    return exact_quotient(a, b);
  }

  // The rows with the largest shares; without any the shortest row, or with a free bias one of each class.
  bool begin(In start) {
    members_.clear();
    adjugate_.clear();
    std::vector<std::uint64_t> order;
    for (std::uint64_t i = 0; i < start.size(); ++i)
      if (start[i] > 0.0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return start[a] > start[b]; });
    order.resize(std::min(order.size(), dimensions_ + (free() ? 1 : 0)));
    if (order.empty()) {
      std::uint64_t best[2] = {rows_.size(), rows_.size()};
      double least[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
      for (const std::uint64_t i : all_) {
        const std::size_t k = free() && sign(i) > 0.0 ? 1 : 0;
        const double norm = math::norm(reader_.row(i).value);
        if (norm < least[k]) least[k] = norm, best[k] = i;
      }
      for (const std::uint64_t i : best)
        if (i < rows_.size()) order.push_back(i);
    }
    for (const std::uint64_t i : order) {
      Member next = member(i, start.empty() ? 1.0 : start[i]);
      Numbers sum;
      if (take(next, sum)) members_.push_back(std::move(next));
    }
    return settle(rows_.size());
  }

  Member member(std::uint64_t i, double share) {
    Member next{i, sign(i), Numbers(dimensions_), share};
    for_each_entry(reader_.row(i), [&](std::size_t j, double x) {
      if (x != 0.0) next.z[j] = BigInteger::of(next.sign * x, -unit_);
    });
    if (kind_ == BiasKind::augmented) next.z[p_] = BigInteger::of(next.sign, -unit_);
    return next;
  }

  BigInteger product(const Numbers& a, const Numbers& b) {
    BigInteger sum;
    for (std::size_t j = 0; j < a.size(); ++j)
      if (a[j].sign() != 0 && b[j].sign() != 0) sum += product(a[j], b[j]);
    return sum;
  }

  // The system with one more row; false if that depends on the others, with `sum` (over the determinant) their shares
  // in it.
  bool take(const Member& next, Numbers& sum) {
    const BigInteger own = product(next.z, next.z), y(next.sign > 0.0 ? 1 : -1);
    sum.clear();
    if (members_.empty()) {
      determinant_ = free() ? BigInteger(-1) : own;
      adjugate_ = free() ? std::vector<Numbers>{{own, -y}, {-y, BigInteger()}} : std::vector<Numbers>{{BigInteger(1)}};
      if (determinant_.sign() != 0) return true;
      determinant_ = BigInteger(1);
      return false;
    }
    Numbers column;
    if (free()) column.push_back(y);
    for (const Member& each : members_) column.push_back(product(each.z, next.z));
    const std::size_t size = column.size();
    for (std::size_t r = 0; r < size; ++r) sum.push_back(product(adjugate_[r], column));
    const BigInteger larger = product(own, determinant_) - product(sum, column);
    if (larger.sign() == 0) return false;
    for (std::size_t r = 0; r < size; ++r) {
      run_.report(Phase::fitting, 0, 0);
      for (std::size_t c = 0; c <= r; ++c)
        adjugate_[r][c] = adjugate_[c][r] =
            part(product(larger, adjugate_[r][c]) + product(sum[r], sum[c]), determinant_);
      adjugate_[r].push_back(-sum[r]);
    }
    adjugate_.emplace_back();
    for (std::size_t c = 0; c < size; ++c) adjugate_.back().push_back(-sum[c]);
    adjugate_.back().push_back(determinant_);
    determinant_ = larger;
    return true;
  }

  // The system without a member; false if there is then none that can be solved.
  bool drop(std::size_t k) {
    const std::size_t at = place(k), size = adjugate_.size();
    const BigInteger smaller = adjugate_[at][at];
    if (smaller.sign() == 0 || members_.size() == 1) return false;
    const Numbers gone = adjugate_[at];
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c)
        if (r != at && c != at)
          adjugate_[r][c] = adjugate_[c][r] =
              part(product(smaller, adjugate_[r][c]) - product(gone[r], gone[c]), determinant_);
    adjugate_.erase(adjugate_.begin() + static_cast<std::ptrdiff_t>(at));
    for (Numbers& row : adjugate_) row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    determinant_ = smaller;
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  }

  // A row that is a sum of the others takes their place as far as shares stay above 0. If no share falls, all of them
  // may grow for ever: the row less that sum is a proof that no plane has the rows apart.
  bool enter(std::uint64_t row, double share) {
    Member next = member(row, share);
    Numbers sum;
    while (!take(next, sum)) {
      if (free()) sum.erase(sum.begin());
      const std::vector<DoubleDouble> falls = quotients(sum, determinant_);
      std::size_t leaving = members_.size();
      DoubleDouble step(0.0);
      for (std::size_t k = 0; k < members_.size(); ++k) {
        if (sum[k].sign() * determinant_.sign() <= 0) continue;
        const DoubleDouble room = members_[k].share / falls[k];
        if (leaving < members_.size() && !(room < step)) continue;
        step = room;
        leaving = k;
      }
      if (leaving == members_.size()) {
        prove(next, sum);
        return false;
      }
      for (std::size_t k = 0; k < members_.size(); ++k) members_[k].share -= step * falls[k];
      next.share += step;
      if (!drop(leaving)) return false;
    }
    members_.push_back(std::move(next));
    return true;
  }

  void prove(const Member& newest, const Numbers& sum) {
    BigInteger total = determinant_;
    for (const BigInteger& share : sum) total -= share;
    Combination& zero = found_.zero.emplace();
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (sum[k].sign() != 0)
        zero.shares.push_back({members_[k].row, math::quotient(-sum[k], total), members_[k].sign});
    zero.shares.push_back({newest.row, math::quotient(determinant_, total), newest.sign});
    std::sort(zero.shares.begin(), zero.shares.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    zero.exact = true;
    zero.residual = residual_of(rows_, kind_ != BiasKind::none, zero.shares);
  }

  // Shares of the support that solve its system and are all above 0; rows that reach 0 on the way there leave. False if
  // that cannot be, is too much work, or it is the newest that would leave: then rounding has the last word.
  bool settle(std::uint64_t newest) {
    while (!members_.empty() && work_ < most_work_) {
      Numbers solved;
      for (std::size_t k = 0; k < members_.size(); ++k) {
        BigInteger share;
        for (std::size_t other = 0; other < members_.size(); ++other) share += adjugate_[place(k)][place(other)];
        solved.push_back(determinant_.sign() < 0 ? -share : share);
      }
      const std::vector<DoubleDouble> wanted =
          quotients(solved, determinant_.sign() < 0 ? -determinant_ : determinant_);
      std::size_t leaving = members_.size();
      DoubleDouble step(1.0);
      for (std::size_t k = 0; k < members_.size(); ++k) {
        if (solved[k].sign() > 0) continue;
        const DoubleDouble own = members_[k].share, way = own - wanted[k];
        const DoubleDouble room = way > DoubleDouble(0.0) ? own / way : DoubleDouble(0.0);
        if (leaving < members_.size() && !(room < step)) continue;
        step = room;
        leaving = k;
      }
      if (leaving == members_.size()) {
        for (std::size_t k = 0; k < members_.size(); ++k) members_[k].share = wanted[k];
        shares_ = std::move(solved);
        return true;
      }
      for (std::size_t k = 0; k < members_.size(); ++k) members_[k].share += step * (wanted[k] - members_[k].share);
      if (members_[leaving].row == newest || !drop(leaving)) return false;
    }
    return false;
  }

  static std::vector<DoubleDouble> quotients(const Numbers& tops, const BigInteger& bottom) {
    Numbers all = tops;
    all.push_back(bottom);
    std::vector<DoubleDouble> found = as_weights(all, std::vector<int>(all.size()));
    const DoubleDouble last = found.back();
    found.pop_back();
    for (DoubleDouble& each : found) each /= last;
    return found;
  }

  // With shares s the plane sum s z has the support at exactly 1, and a squared length of sum s: no plane is further
  // away from all of these rows, let alone from all others. The row that it has at least; bounds from that.
  std::uint64_t look() {
    run_.report(Phase::fitting, 0, 0);
    const BigInteger determinant = determinant_.sign() < 0 ? -determinant_ : determinant_;
    BigInteger total;
    for (const BigInteger& share : shares_) total += share;
    const double high = root_of_quotient(determinant, total, unit_);
    found_.bounds.high = std::min(found_.bounds.high, high * (1.0 + 16.0 * kUnit));

    Numbers plane(dimensions_);
    for (std::size_t k = 0; k < members_.size(); ++k)
      for (std::size_t j = 0; j < dimensions_; ++j) plane[j] += product(shares_[k], members_[k].z[j]);
    std::vector<int> unit(dimensions_, unit_);
    if (free()) {
      BigInteger bias;
      for (std::size_t k = 0; k < members_.size(); ++k) bias += adjugate_[0][place(k)];
      plane.push_back(determinant_.sign() < 0 ? -bias : bias);
      unit.push_back(0);
    }
    plane.push_back(determinant);
    unit.push_back(0);
    std::vector<DoubleDouble> w = as_weights(plane, unit);
    const DoubleDouble one = w.back();
    w.pop_back();
    const DoubleDouble bias = kind_ == BiasKind::none ? DoubleDouble(0.0) : w.back();
    w.resize(p_);
    std::vector<double> weights;
    for (const DoubleDouble& each : w) weights.push_back(each.high);
    const double norm = math::norm(weights);

    std::uint64_t nearest = rows_.size();
    DoubleDouble least(std::numeric_limits<double>::infinity());
    for (const std::uint64_t i : all_) {
      const Row x = reader_.row(i);
      DoubleDouble score = bias;
      for_each_entry(x, [&](std::size_t j, double value) {
        math::accumulate(score, value, w[j].high);
        math::accumulate(score, value, w[j].low);
      });
      const double slack =
          (static_cast<double>(x.value.size()) + 8.0) * 0x1p-98 * (norm * math::norm(x.value) + std::abs(bias.high));
      const DoubleDouble score_of_side = sign(i) * score - slack;
      if (!(score_of_side < least)) continue;
      least = score_of_side;
      nearest = i;
    }
    work_ += entries_ * kWorkOfEntry;
    const double low = static_cast<double>(least / one) * high * (1.0 - 16.0 * kUnit);
    if (low > found_.bounds.low || found_.weights.empty()) {
      found_.bounds.low = std::max(found_.bounds.low, low);
      found_.weights = std::move(weights);
      found_.bias = bias.high;
    }
    return nearest;
  }

  std::optional<ExactMargin> result() {
    if (found_.weights.empty() && !found_.zero) return {};
    return std::move(found_);
  }

  const RowTable& rows_;
  RowReader reader_;
  std::vector<std::uint64_t> all_;
  BiasKind kind_;
  std::size_t p_, dimensions_;
  std::uint64_t most_work_;
  const Run& run_;
  int unit_ = 0;     // 2^unit divides every value
  int highest_ = 0;  // which is below 2^this
  std::uint64_t entries_ = 0, work_ = 0;
  std::vector<Member> members_;
  std::vector<Numbers> adjugate_;
  BigInteger determinant_;
  Numbers shares_;  // of the members, over the determinant
  ExactMargin found_;
};

}  // namespace

std::optional<ExactMargin> exact_margin(const RowTable& rows, BiasKind kind, In shares, double tolerance,
                                        std::uint64_t most_work, const Run& run, bool only_these) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    if (!only_these || shares[i] > 0.0) all.push_back(i);
  const auto most = static_cast<double>(most_work);
  const auto looks = only_these ? 0.0 : static_cast<double>(rows.examples().entries() * kWorkOfEntry);
  if (looks > most || SupportSearch::foreseen_work(all.size(), rows.examples().features(), 1.0) > 2.0 * most) return {};
  SupportSearch search(rows, std::move(all), kind, most_work, run);
  if (search.foreseen_work() > 2.0 * most) return {};
  return search.find(shares, tolerance);
}

std::optional<Combination> zero_among_heaviest(const RowTable& rows, BiasKind kind, In shares, const Run& run) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0.0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return shares[a] > shares[b]; });
  constexpr double kRoughly = 0.5;  // of rows that a plane has apart it is enough to know that
  for (std::size_t most = 8, last = 0; last < order.size(); last = most, most *= 2) {
    std::vector<double> some(shares.size());
    for (std::size_t k = 0; k < std::min(most, order.size()); ++k) some[order[k]] = shares[order[k]];
    std::optional<ExactMargin> exact = exact_margin(rows, kind, some, kRoughly, kPassingMarginWork, run, true);
    if (!exact) return {};  // and more rows would be more work
    if (exact->zero) return std::move(exact->zero);
  }
  return {};
}

}  // namespace plumb
