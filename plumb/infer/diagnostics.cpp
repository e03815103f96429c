#include "plumb/infer/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/text.h"
#include "plumb/infer/likelihood_diagnostics.h"
#include "plumb/model/record.h"
#include "plumb/train/row_pass.h"

namespace plumb {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Sums over a block: press, the weight of the rows with a prediction by a fit without them, and how many have none.
struct Sums {
  static constexpr std::size_t kWidth = 3;
  static void add(Out out, const PlacedRow& row) {
    if (row.room <= kLeverageOne) {
      out[2] += 1.0;
      return;
    }
    const double left = row.residual / row.room;
    out[0] += row.weight * left * left;
    out[1] += row.weight;
  }
  static LeaveOneOut read(In total) { return {total[0], total[1], static_cast<std::uint64_t>(total[2])}; }
};

// The parts of all blocks, one after another, each freed once it is copied.
template <class T>
void join(std::vector<RowDiagnostics>& parts, std::vector<T> RowDiagnostics::*column, RowDiagnostics& all) {
  std::size_t size = 0;
  for (const RowDiagnostics& part : parts) size += (part.*column).size();
  (all.*column).reserve(size);
  for (RowDiagnostics& part : parts) {
    (all.*column).insert((all.*column).end(), (part.*column).begin(), (part.*column).end());
    (part.*column) = {};
  }
}

}  // namespace

double LeaveOneOut::rmse() const { return weight > 0 ? std::sqrt(press / weight) : kNone; }

LeaveOneOut leave_one_out(const Trained& fit, const Examples& examples, const Run& run) {
  const Basis& basis = basis_of(fit);
  double total[Sums::kWidth] = {};
  run.reduce(Phase::evaluating, examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    for_each_placed(examples.block(b), fit, basis, examples, [&](std::span<const PlacedRow> rows, EightRows&) {
      for (const PlacedRow& row : rows) Sums::add(out, row);
    });
  });
  return Sums::read(total);
}

// Nine numbers a row, in blocks whose capacity may be twice their size, and one column more while they are joined.
void expect_diagnostics_memory(const Examples& examples, const Run& run) {
  run.memory.expect(examples.bytes() + examples.size() * (2 * 9 + 1) * sizeof(double),
                    "the diagnostics of " + counted(examples.size(), "row") + " need", "leave out --diagnostics");
}

RowDiagnostics row_diagnostics(const Trained& fit, const Examples& examples, const Run& run) {
  if (fit.curvature != nullptr) return likelihood_diagnostics(fit, examples, run);
  const Basis& basis = basis_of(fit);
  expect_diagnostics_memory(examples, run);
  const double* const sd = find_number(fit.record, "residual_sd");
  const auto rank = static_cast<double>(basis.rank());
  const bool known = has_leverages(fit);
  std::vector<RowDiagnostics> parts(examples.blocks());
  double total[Sums::kWidth] = {};
  run.reduce(Phase::evaluating, examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    RowDiagnostics& part = parts[b];
    for_each_placed(examples.block(b), fit, basis, examples, [&](std::span<const PlacedRow> rows, EightRows&) {
      for (const PlacedRow& row : rows) {
        const double h = known ? row.leverage : kNone, room = known ? row.room : 0.0;
        const bool alone = room <= kLeverageOne;
        const bool none = alone || sd == nullptr || *sd == 0;
        const double scaled = none ? kNone : row.residual / *sd;
        const double copy = std::max(row.copy_room, room);  // a weight below 1 is not a whole row
        const double standardised = scaled / std::sqrt(copy);
        part.number.push_back(row.number);
        part.actual.push_back(row.actual);
        part.weight.push_back(row.weight);
        part.fitted.push_back(row.fitted);
        part.residual.push_back(row.residual);
        part.leverage.push_back(h);
        part.standardised.push_back(standardised);
        part.cook.push_back(row.weight * scaled * scaled * h / (room * room * rank));
        part.left_out.push_back(alone ? kNone : row.actual - row.residual / room);
        Sums::add(out, row);
      }
    });
  });
  RowDiagnostics all;
  join(parts, &RowDiagnostics::number, all);
  for (const auto column :
       {&RowDiagnostics::actual, &RowDiagnostics::weight, &RowDiagnostics::fitted, &RowDiagnostics::residual,
        &RowDiagnostics::leverage, &RowDiagnostics::standardised, &RowDiagnostics::cook, &RowDiagnostics::left_out})
    join(parts, column, all);
  all.residual_sd = sd != nullptr ? *sd : 0.0;
  all.press = known ? total[0] : kNone;
  return all;
}

}  // namespace plumb
