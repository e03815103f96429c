#include "plumb/infer/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/infer/row_pass.h"
#include "plumb/model/record.h"

namespace plumb {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Sums over a block: press, the weight of the rows that have a prediction without them, and how many have none.
struct Sums {
  static constexpr std::size_t kWidth = 3;
  static void add(Out out, const PlacedRow& row, double room) {
    if (room <= kLeverageOne) {
      out[2] += 1.0;
      return;
    }
    const double left = row.residual / room;
    out[0] += row.weight * left * left;
    out[1] += row.weight;
  }
  static LeaveOneOut read(In total) { return {total[0], total[1], static_cast<std::uint64_t>(total[2])}; }
};

double leverage_of(const PlacedRow& row) { return std::min(1.0, row.weight * row.distance); }

// How one block's part is joined to those before it.
template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

double LeaveOneOut::rmse() const { return weight > 0 ? std::sqrt(press / weight) : kNone; }

LeaveOneOut leave_one_out(const Fit& fit, const Examples& examples, const Run& run) {
  const Basis& basis = basis_of(fit);
  double total[Sums::kWidth] = {};
  run.reduce(Phase::evaluating, examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    for_each_placed(examples.block(b), fit.model, basis, [&](std::span<const PlacedRow> rows, Out) {
      for (const PlacedRow& row : rows) Sums::add(out, row, 1.0 - leverage_of(row));
    });
  });
  return Sums::read(total);
}

RowDiagnostics row_diagnostics(const Fit& fit, const Examples& examples, const Run& run) {
  const Basis& basis = basis_of(fit);
  const double* const sd = find_number(fit.record, "residual_sd");
  const auto rank = static_cast<double>(basis.rank());
  std::vector<RowDiagnostics> parts(examples.blocks());
  double total[Sums::kWidth] = {};
  run.reduce(Phase::evaluating, examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    RowDiagnostics& part = parts[b];
    for_each_placed(examples.block(b), fit.model, basis, [&](std::span<const PlacedRow> rows, Out) {
      for (const PlacedRow& row : rows) {
        const double h = leverage_of(row), room = 1.0 - h;
        const bool alone = room <= kLeverageOne;
        const double standardised =
            alone || sd == nullptr || *sd == 0 ? kNone : row.residual * std::sqrt(row.weight) / (*sd * std::sqrt(room));
        part.number.push_back(row.number);
        part.actual.push_back(row.actual);
        part.weight.push_back(row.weight);
        part.fitted.push_back(row.fitted);
        part.residual.push_back(row.residual);
        part.leverage.push_back(h);
        part.standardised.push_back(standardised);
        part.cook.push_back(standardised * standardised * h / (room * rank));
        part.left_out.push_back(alone ? kNone : row.actual - row.residual / room);
        Sums::add(out, row, room);
      }
    });
  });
  RowDiagnostics all;
  for (const RowDiagnostics& part : parts) {
    append(all.number, part.number);
    append(all.actual, part.actual);
    append(all.weight, part.weight);
    append(all.fitted, part.fitted);
    append(all.residual, part.residual);
    append(all.leverage, part.leverage);
    append(all.standardised, part.standardised);
    append(all.cook, part.cook);
    append(all.left_out, part.left_out);
  }
  all.residual_sd = sd != nullptr ? *sd : 0.0;
  all.press = total[0];
  return all;
}

}  // namespace plumb
