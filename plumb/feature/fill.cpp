#include "plumb/feature/fill.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/double_double.h"
#include "plumb/math/exact_sum.h"

namespace plumb {
namespace {

using Weighted = std::pair<double, double>;  // value, weight

// Scaled by powers of two, so that no product or sum overflows or underflows.
double weighted_mean(const std::vector<Weighted>& values) {
  double largest_value = 0.0, largest_weight = 0.0;
  for (const auto& [value, weight] : values) {
    largest_value = std::max(largest_value, std::abs(value));
    largest_weight = std::max(largest_weight, weight);
  }
  if (largest_value == 0.0) return 0.0;
  const int of_values = std::ilogb(largest_value), of_weights = std::ilogb(largest_weight);
  math::DoubleDouble sum, total;
  for (const auto& [value, weight] : values) {
    const double unit_weight = std::scalbn(weight, -of_weights);
    sum = sum + math::two_product(std::scalbn(value, -of_values), unit_weight);
    total = total + unit_weight;
  }
  return std::scalbn(static_cast<double>(sum / total), of_values);
}

double exact_mean(const std::vector<Weighted>& values) {
  math::ExactSum sum;
  for (const Weighted& each : values) sum.add(each.first);
  return sum.divided_by(values.size());
}

// A column that misses nothing gets its median from so many rows: it is for rows yet to come, and not worth a sort.
constexpr std::uint64_t kSampledRows = 1024;

RowSet sample_of(const RowSet& rows) {
  const std::uint64_t count = rows.count(), every = std::max<std::uint64_t>(1, count / kSampledRows);
  if (every == 1) return rows;
  RowSet sample(rows.rows());
  std::uint64_t place = 0;
  for (std::uint64_t row = 0; row < rows.rows(); ++row)
    if (rows.has(row) && place++ % every == 0) sample.add(row);
  return sample;
}

bool misses(const Tables& tables, std::size_t column) {
  return std::any_of(tables.pieces.begin(), tables.pieces.end(),
                     [&](const Table& table) { return table.columns[column].missing > 0; });
}

RowSet complete_rows(const Tables& tables, const std::vector<std::size_t>& columns) {
  RowSet complete(tables.rows);
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row)
      if (std::none_of(columns.begin(), columns.end(),
                       [&](std::size_t c) { return std::isnan(table.columns[c].numbers[row]); }))
        complete.add(table.first_row + row);
  return complete;
}

class Filler {
 public:
  Filler(const Tables& tables, const FeaturePlan& plan, std::optional<std::size_t> weight, const RowSet& rows,
         const Wishes& wishes)
      : tables_(tables), plan_(plan), weight_(weight), rows_(rows), wishes_(wishes) {
    fills_.values.resize(plan.inputs.size());
    fills_.marked.resize(plan.inputs.size());
  }

  Fills fills() {
    if (plan_.missing == Missing::error || plan_.missing == Missing::drop_row) return std::move(fills_);
    const bool automatic = plan_.missing == Missing::automatic;
    std::vector<std::size_t> gaps;  // inputs that miss values
    std::vector<std::string> counts;
    std::optional<RowSet> sample;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const FeaturePlan::Input& input = plan_.inputs[i];
      if (!holds_numbers(input.kind) || input.name == plan_.offset) continue;
      if (automatic && !misses(tables_, i)) {
        if (!wishes_.fill_ahead || wishes_.adds_up) continue;
        if (!sample) sample = sample_of(rows_);
        if (const Fill fill = fill_of(tables_, i, weight_, *sample, Missing::median); fill.values > 0)
          fills_.values[i] = fill.value;
        continue;
      }
      const Fill fill = fill_of(tables_, i, weight_, rows_, automatic ? Missing::median : plan_.missing);
      if (fill.values == 0 && plan_.missing != Missing::zero)
        throw Error(ErrorCode::data,
                    "column " + in_quotes(input.name) + " has no value in the training rows to fill its gaps with",
                    "--drop " + as_typed_item(input.name) + " leaves it out");
      fills_.values[i] = fill.value;
      if (fill.missing == 0 && !(automatic && wishes_.complete_rows)) continue;
      gaps.push_back(i);
      if (fill.missing > 0) counts.push_back(count_text(fill.missing) + " in " + input.name);
      if (automatic && wishes_.complete_rows) continue;
      fills_.marked[i] = automatic && !wishes_.adds_up && 100 * fill.missing >= rows_.count();
      say_filled(input.name, fill);
    }
    if (automatic && wishes_.complete_rows && !gaps.empty()) leave_out(gaps, counts);
    return std::move(fills_);
  }

 private:
  void say_filled(const std::string& name, const Fill& fill) {
    const char* const how = plan_.missing == Missing::zero   ? "0"
                            : plan_.missing == Missing::mean ? "the mean, "
                                                             : "the median, ";
    fills_.said.push_back("filled " + counted(fill.missing, "missing value") + " of " + name + " with " + how +
                          (plan_.missing == Missing::zero ? "" : number_text(fill.value, 4)));
  }

  void leave_out(const std::vector<std::size_t>& gaps, const std::vector<std::string>& counts) {
    fills_.complete = complete_rows(tables_, gaps);
    const std::uint64_t all = rows_.count(), left = rows_.intersection(*fills_.complete).count();
    if (left == 0)
      throw Error(ErrorCode::data,
                  "every training row misses a number (" + listed(counts) + "); some without a gap were expected",
                  "--missing median fills them in");
    if (left < all)
      fills_.said.push_back(
          "left out " + counted(all - left, "training row") + " of " + count_text(all) + " with a missing number (" +
          listed(counts) +
          "); held-out rows and predictions get the median (--missing median fills in training rows too)");
  }

  const Tables& tables_;
  const FeaturePlan& plan_;
  std::optional<std::size_t> weight_;
  const RowSet& rows_;
  const Wishes& wishes_;
  Fills fills_;
};

}  // namespace

double weighted_median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end());
  math::DoubleDouble total, below;
  for (const Weighted& each : values) total = total + each.second;
  const math::DoubleDouble half{total.high / 2, total.low / 2};
  for (std::size_t i = 0; i < values.size(); ++i) {
    below = below + values[i].second;
    if (below == half && i + 1 < values.size()) return values[i].first / 2 + values[i + 1].first / 2;
    if (below > half) return values[i].first;
  }
  return values.empty() ? 0.0 : values.back().first;
}

Fill fill_of(const Tables& tables, std::size_t column, std::optional<std::size_t> weight, const RowSet& rows,
             Missing missing) {
  Fill fill;
  std::vector<Weighted> values;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      if (!rows.has(table.first_row + row)) continue;
      const double value = table.columns[column].numbers[row];
      const double of_row = weight ? table.columns[*weight].numbers[row] : 1.0;
      if (std::isnan(value)) {
        ++fill.missing;
      } else if (of_row > 0.0) {
        ++fill.values;
        if (missing != Missing::zero) values.emplace_back(value, of_row);
      }
    }
  if (values.empty()) return fill;
  if (missing == Missing::median) fill.value = weighted_median(std::move(values));
  if (missing == Missing::mean) fill.value = weight ? weighted_mean(values) : exact_mean(values);
  return fill;
}

Column filled_in(const Column& column, const FeatureMap::Input& input) {
  if (!input.fill)
    throw Error(ErrorCode::internal,
                "values of column " + in_quotes(input.name) + " are missing, and nothing fills in");
  Column copy = column;
  for (double& number : copy.numbers.own())
    if (std::isnan(number)) number = *input.fill;
  copy.missing = 0;
  return copy;
}

Fills learn_fills(const Tables& tables, const FeaturePlan& plan, std::optional<std::size_t> weight, const RowSet& rows,
                  const Wishes& wishes) {
  return Filler(tables, plan, weight, rows, wishes).fills();
}

bool fills_follow_rows(const FeaturePlan& plan, const FeatureMap& map) {
  if (plan.missing != Missing::automatic) return plan.missing == Missing::mean || plan.missing == Missing::median;
  return std::any_of(map.parts().inputs.begin(), map.parts().inputs.end(),
                     [](const FeatureMap::Input& input) { return input.fill.has_value(); });
}

}  // namespace plumb
