#include "plumb/feature/scale.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/data/row_set.h"
#include "plumb/feature/feature_map.h"
#include "plumb/math/double_double.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// Sums over rows in their order, in twice the precision: the same however the rows were cut, and the variance keeps its
// digits until the mean is 1e8 standard deviations away from 0.
struct Moments {
  DoubleDouble sum, squares;
  double largest = 0.0;
};

bool is_numeric(const Term& term) {
  return std::holds_alternative<ProductTerm>(term) || std::holds_alternative<FormulaTerm>(term) ||
         std::holds_alternative<EntriesTerm>(term);
}

}  // namespace

Scale learn_scale(const Tables& tables, const FeatureMap& map, const TableLayout& layout, const RowSet& rows,
                  Scaling scaling) {
  FeatureMap::Parts parts{map.parts().inputs, {}};
  std::vector<std::uint32_t> place;  // in the whole map, for each feature of the numeric part
  std::vector<bool> centred;
  for (std::size_t t = 0; t < map.parts().terms.size(); ++t) {
    const Term& term = map.parts().terms[t];
    if (!is_numeric(term)) continue;
    parts.terms.push_back(term);
    for (std::uint32_t feature = map.first_feature(t); feature < map.first_feature(t + 1); ++feature) {
      place.push_back(feature);
      centred.push_back(scaling == Scaling::standard && !std::holds_alternative<EntriesTerm>(term));
    }
  }
  const FeatureMap numeric(std::move(parts));
  TableLayout only_inputs{.inputs = layout.inputs, .weight = layout.weight};
  std::vector<Moments> moments(place.size());
  DoubleDouble total;
  for (const Table& table : tables.pieces) {
    FeatureMap::Unseen unseen;
    const Piece piece = numeric.apply(table, only_inputs, unseen);
    for (std::uint64_t row = 0; row < piece.rows; ++row) {
      const double weight = piece.weights.empty() ? 1.0 : piece.weights[row];
      if (!rows.has(table.first_row + row) || weight == 0.0) continue;
      total += weight;
      const bool dense = piece.offsets.empty();
      const std::uint64_t begin = dense ? row * piece.features : piece.offsets[row];
      const std::uint64_t end = dense ? begin + piece.features : piece.offsets[row + 1];
      for (std::uint64_t k = begin; k < end; ++k) {
        const double x = piece.values[k];
        Moments& of = moments[dense ? k - begin : piece.index[k]];
        const DoubleDouble weighted = math::two_product(weight, x);
        of.sum += weighted;
        of.squares += weighted * x;
        of.largest = std::max(of.largest, std::abs(x));
      }
    }
  }
  Scale scale{std::vector<double>(map.features(), 0.0), std::vector<double>(map.features(), 1.0)};
  for (std::size_t j = 0; j < place.size(); ++j) {
    const Moments& of = moments[j];
    double unit = of.largest;
    if (scaling == Scaling::standard) {
      const DoubleDouble mean = of.sum / total;
      const DoubleDouble variance = of.squares / total - mean * mean;
      if (!std::isfinite(variance.high))
        throw Error(ErrorCode::data,
                    "the values of " + in_quotes(map.name(place[j])) +
                        " are so large that their standard deviation is beyond 1.8e308, where numbers end",
                    "--scale max-abs");
      // A spread below the rounding error of the squares counts as 0.
      unit = variance.high > 0x1p-90 * of.largest * of.largest ? std::sqrt(variance.high) : 0.0;
      if (centred[j]) scale.centres[place[j]] = mean.high;
    }
    if (unit > 0.0) scale.units[place[j]] = unit;
  }
  return scale;
}

}  // namespace plumb
