// One number made of the bits of every kernel's results on fixed inputs: machines and tables that keep the promise of
// equal bits have equal fingerprints. Included by tests alone.
#pragma once

#include "plumb/math/column_sums.h"
#include "plumb/math/gram_rows.h"
#include "plumb/math/kernels.h"
#include "plumb/math/tally.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb::math::testing {

class Fingerprint {
 public:
  void add(double value) {
    state_ = (state_ ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;  // FNV-1a, by words
    state_ ^= state_ >> 29;
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// Integers alone decide these numbers, so they too are the same everywhere (splitmix64).
class FixedNumbers {
 public:
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double within(double radius) { return radius * (static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0); }
  std::vector<double> vector(std::size_t n, double radius) {
    std::vector<double> result(n);
    for (double& each : result) each = within(radius);
    return result;
  }

 private:
  std::uint64_t state_ = 1;
};

inline std::uint64_t fingerprint(const Kernels& k) {
  // Every entry of the table by name: a kernel that is added does not compile until it is here, and then used below.
  const auto& [simd, exp, expm1, log, log1p, sigmoid, log_sigmoid, log1p_exp, log_sum_exp, odds_losses, softmax, sum,
               dot, dot2, axpy, scale, scale_shift, gram_add, gram_pack, gram_panels_add, transpose_times_add,
               transpose_times_dd_add, residuals, moments_about_add, weighted_moments_add, dots, times8, sparse_dot,
               sparse_dot_float, sparse_dot_byte, sparse_sum, sparse_sums, index_range, sparse_dot2, sparse_axpy,
               sparse_axpy_float, sparse_dots, sparse_axpys, sparse_gram_add, lockstep_dots, lockstep_dots_exact,
               lockstep_axpys_exact, lockstep_logistic, eliminate8, eliminate8_dd, sparse_dot_ahead, left_out8,
               add_planes, planes_to_numbers, count_dot, count_axpy, sort_keys, tally_score, tally_move] = k;
  Fingerprint print;
  FixedNumbers numbers;

  std::vector<double> x = numbers.vector(5000, 750.0);
  const std::vector<double> small = numbers.vector(5000, 2.0);
  x.insert(x.end(), small.begin(), small.end());
  for (int i = 0; i < 10003; ++i) x.push_back(std::bit_cast<double>(numbers.bits()));
  std::vector<double> y(x.size());
  for (const Kernels::Function& f : {exp, expm1, log, log1p, sigmoid, log_sigmoid, log1p_exp}) {
    f.many(x.data(), y.data(), x.size());
    print.add(y);
    for (std::size_t i = 0; i < 1000; ++i) print.add(f.one(x[i * 20]));
  }

  for (std::size_t n = 0; n < 40; ++n) {
    const std::vector<double> a = numbers.vector(n, 5.0);
    std::vector<double> b = numbers.vector(n, 5.0);
    const DoubleDouble d = dot2(a.data(), b.data(), n);
    print.add({log_sum_exp(a.data(), n), sum(a.data(), n), dot(a.data(), b.data(), n), d.high, d.low});
    axpy(0.3, a.data(), b.data(), n);
    scale(0.7, b.data(), n);
    print.add(b);
    scale_shift(a.data(), b.data(), a.data(), b.data(), n);
    print.add(b);
    softmax(a.data(), b.data(), n);
    print.add(b);
  }

  for (const std::size_t p : {1u, 7u, 8u, 50u, 83u}) {
    const std::size_t rows = 150;
    const std::size_t stride = p + 3;
    const std::vector<double> rows_of_x = numbers.vector(rows * stride, 1.0);
    const std::vector<double> weight = numbers.vector(rows, 1.0);
    const std::vector<double> low = numbers.vector(rows, 0x1p-54);
    const std::vector<double> w = numbers.vector(p, 1.0);
    std::vector<double> gram(p * p), out(p), out_low(p), r(rows), r_low(rows);
    gram_add(rows_of_x.data(), rows, stride, p, weight.data(), gram.data(), p);
    print.add(gram);
    std::vector<double> panels((p / 8 + 2) * kGramPanel), tiles((p + 16) * (p + 16));
    for (std::size_t i = 0; i < kGramRows; ++i)
      gram_pack(&rows_of_x[i * stride], 1, w.data(), rows_of_x.data(), p, panels.data(), i);
    std::vector<double> weighted(panels.size());
    for (const double* const s : {static_cast<const double*>(nullptr), weight.data()})
      gram_panels_add(panels.data(), kGramRows, p, s, weighted.data(), tiles.data(), p + 16, nullptr, 0);
    for (std::size_t j = 0; j < p; ++j) print.add(std::vector<double>(&tiles[j * (p + 16)], &tiles[j * (p + 17)]));
    transpose_times_add(rows_of_x.data(), rows, stride, p, weight.data(), out.data());
    print.add(out);
    transpose_times_dd_add(rows_of_x.data(), rows, stride, p, weight.data(), low.data(), out.data(), out_low.data());
    print.add(out);
    print.add(out_low);
    residuals(rows_of_x.data(), rows, stride, p, w.data(), low.data(), {0.5, 0x1p-55}, weight.data(), r.data(),
              r_low.data());
    print.add(r);
    print.add(r_low);

    const double* const two_rows[] = {rows_of_x.data(), rows_of_x.data() + stride};
    std::vector<double> times(8 * 5);
    const std::size_t width = (p + 7) / 8 * 8;
    std::vector<double> about(3 * width), moments(4 * width), plain(4 * width), counted(width / 8);
    for (std::size_t j = 0; j < p; ++j) {
      const MomentGrid grid = MomentGrid::around(w[j], j == 17 ? 0.0 : 0.5);
      about[j] = grid.shift();
      about[width + j] = grid.back();
      about[2 * width + j] = grid.most();
    }
    moments_about_add(two_rows, 1, 2, p, about.data(), moments.data(), plain.data(), counted.data(), two_rows[0], p);
    moments_about_add(two_rows, 2, 2, p, about.data(), moments.data(), plain.data(), counted.data(), two_rows[0], p);
    print.add(moments);
    for (std::size_t step = 1; step <= 2; ++step)
      weighted_moments_add(two_rows[0], step, p, 0.3, plain.data(), moments.data());
    print.add(moments);
    print.add(plain);
    print.add(counted);
    dots(rows_of_x.data(), 7, stride, p, w.data(), r.data());
    print.add(r);
    times8(rows_of_x.data(), 5, p / 2, rows_of_x.data() + stride, times.data());
    print.add(times);
    std::vector<std::uint32_t> index;
    for (std::uint32_t j = 0; j < p; ++j) {
      if (numbers.bits() % 3 != 0) index.push_back(j);
    }
    const DoubleDouble d = sparse_dot2(index.data(), rows_of_x.data(), index.size(), w.data());
    print.add({sparse_dot(index.data(), rows_of_x.data(), index.size(), w.data()), d.high, d.low,
               sparse_sum(index.data(), index.size(), w.data())});
    sparse_axpy(0.3, index.data(), rows_of_x.data(), index.size(), out.data());
    print.add(out);
    const std::vector<float> narrow(rows_of_x.begin(), rows_of_x.end());
    print.add({sparse_dot_float(index.data(), narrow.data(), index.size(), w.data())});
    sparse_axpy_float(0.3, index.data(), narrow.data(), index.size(), out.data());
    print.add(out);
    std::vector<SparseEntry> entries;
    for (const std::uint32_t j : index) entries.push_back({j, narrow[j]});
    std::vector<float> sums(40), many(p * 40);
    for (float& each : many) each = static_cast<float>(numbers.within(1.0));
    sparse_dots(entries.data(), entries.size(), many.data(), 40, sums.data());
    sparse_axpys(sums.data(), entries.data(), entries.size(), 40, many.data());
    for (const float each : sums) print.add(double{each});
    for (const float each : many) print.add(double{each});
    sparse_gram_add(index.data(), rows_of_x.data(), index.size(), 0.7, gram.data(), p);
    print.add(gram);
    std::vector<double> b = numbers.vector(8 * p, 1.0);
    std::vector<double> lanes(8), u = numbers.vector(8, 3.0), a(8), off(8), change(8);
    lockstep_dots(entries.data(), entries.size(), many.data(), sums.data());
    for (std::size_t t = 0; t < 8; ++t) print.add(double{sums[t]});
    lockstep_dots_exact(index.data(), rows_of_x.data(), index.size(), b.data(), lanes.data());
    print.add(lanes);
    lockstep_axpys_exact(lanes.data(), index.data(), rows_of_x.data(), index.size(), b.data());
    print.add(b);
    for (std::size_t t = 0; t < 8; ++t) a[t] = 2.0 * sigmoid.one(u[t]);
    const std::vector<double> precision(8, 1e-9), wanted = {1, 1, 0, 1, 1, 1, 0, 1};
    for (const double norm : {0.1, 30.0})
      lockstep_logistic(lanes.data(), norm, 2.0, precision.data(), wanted.data(), a.data(), u.data(), change.data(),
                        off.data());
    print.add(a);
    print.add(u);
    print.add(change);
    print.add(off);
    eliminate8(w.data(), p, rows_of_x.data(), b.data());
    print.add(b);
    std::vector<double> b_low(8 * p);
    eliminate8_dd(w.data(), low.data(), p, rows_of_x.data(), low.data(), b.data(), b_low.data());
    print.add(b);
    print.add(b_low);
    const std::uint32_t* const at = index.data();
    print.add({sparse_dot_ahead(at, narrow.data(), index.size(), w.data(), at, narrow.data(), 1)});
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t j : index) counts.push_back(256 * j + static_cast<std::uint32_t>(numbers.bits() % 256));
    const std::size_t eights = counts.size() / 8 * 8;
    std::vector<double> kept(eights);
    print.add({count_dot(counts.data(), eights, w.data(), kept.data())});
    print.add(kept);
    count_axpy(0.3, counts.data(), eights, kept.data(), out.data());
    print.add(out);
    std::vector<double> left_out(4 * 8 * 5);
    const double* const some = rows_of_x.data();
    left_out8(some, some + 1, some + 2, some + 3, some + 4, 5, left_out.data());
    print.add(left_out);
  }

  std::vector<std::uint64_t> planes(9 * 17 + 1), slots(3 * kPlaneWords + 1);  // nine of 16 words, and a word between
  for (std::uint64_t& each : planes) each = numbers.bits();
  const PlaneStep steps[] = {{7, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2}}, {3, {7, 8, ~0, 0, 0, 0, 0}, {0, 1, 0}}};
  add_planes(steps, 2, planes.data(), 17, slots.data(), 16);
  const std::uint64_t* const digits[] = {slots.data(), &slots[kPlaneWords], &slots[2 * kPlaneWords], planes.data()};
  std::vector<std::int32_t> start(1024), found(1024);
  for (std::int32_t& each : start) each = static_cast<std::int32_t>(numbers.bits() % 2001) - 1000;
  planes_to_numbers(digits, 4, &planes[17], start.data(), 1024, found.data());
  for (const std::int32_t each : found) print.add(double{static_cast<double>(each)});

  std::vector<std::uint32_t> keys(1000), room(1000);
  for (std::uint32_t& each : keys) each = static_cast<std::uint32_t>(numbers.bits());
  const std::uint32_t* const sorted = sort_keys(keys.data(), keys.size(), room.data());
  if (!std::is_sorted(sorted, sorted + keys.size())) print.add(0.0);  // there is but one way to be sorted

  std::vector<double> target(x.size()), squares(x.size()), sure(x.size());
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<double>(i % 3);
  odds_losses(x.data(), target.data(), y.data(), squares.data(), sure.data(), x.size());
  print.add(y);
  print.add(squares);
  print.add(sure);
  std::vector<std::uint32_t> columns(200);
  std::vector<std::uint8_t> bytes(columns.size());
  for (std::uint32_t& each : columns) each = static_cast<std::uint32_t>(numbers.bits() % small.size());
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(numbers.bits());
  const std::vector<std::uint64_t> offsets = {0, 7, 7, 21, 100, 200};
  std::vector<double> sums_of_rows(offsets.size() - 1);
  sparse_sums(columns.data(), offsets.data(), sums_of_rows.size(), small.data(), sums_of_rows.data());
  print.add(sums_of_rows);
  for (const std::size_t n : {0u, 5u, 31u, 200u}) {
    print.add(sparse_dot_byte(columns.data(), bytes.data(), n, small.data()));
    const IndexRange range = index_range(columns.data(), n);
    print.add({static_cast<double>(range.least), static_cast<double>(range.most)});
  }

  std::vector<std::int16_t> whole(tally_places(70'000));
  for (std::int16_t& each : whole) each = static_cast<std::int16_t>(numbers.bits() % 2001 - 1000);
  whole[kFarPlaces - 1] = whole.back() = 0;
  std::vector<std::uint8_t> tally(kTallied + 24 * 2 + 6 * 4);
  for (std::uint8_t& each : tally) each = static_cast<std::uint8_t>(numbers.bits());
  for (std::size_t t = 0; t < 6; ++t)  // far names: 0 to 255
    for (std::size_t byte = 1; byte < 4; ++byte) tally[kTallied + 24 * 2 + 4 * t + byte] = 0;
  for (const int sign : {1, -1}) {
    const TallyRow row{tally.data(), 24, 6};
    print.add(double{static_cast<double>(tally_score(row, whole.data()))});
    tally_move(row, sign, whole.data());
    for (std::size_t i = 0; i < whole.size(); i += 97) print.add(double{static_cast<double>(whole[i])});
    for (std::size_t k = 0; k < kTallied; ++k) print.add(double{static_cast<double>(whole[k])});
  }
  return print.value();
}

}  // namespace plumb::math::testing
