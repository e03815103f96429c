// Scaling of numeric features: (x - centre) / unit, learnt on the training rows.
#pragma once

#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

class FeatureMap;
class RowSet;
struct TableLayout;
struct Tables;

// standard: mean 0 and standard deviation 1 (population); sparse entries keep their zeros, so they are not centred.
// max_abs: values up to 1 either way.
enum class Scaling { none, standard, max_abs };
template <>
struct EnumNames<Scaling> {
  static constexpr std::string_view names[] = {"none", "standard", "max-abs"};
};

// Of each feature of a map; both empty where nothing is scaled.
struct Scale {
  std::vector<double> centres;
  std::vector<double> units;
  bool empty() const noexcept { return units.empty(); }
  bool operator==(const Scale&) const = default;
};

// Of columns of numbers, products, formulas and entries; all else has centre 0 and unit 1. A row counts with its
// weight. A feature without spread is centred and keeps its unit.
Scale learn_scale(const Tables& tables, const FeatureMap& map, const TableLayout& layout, const RowSet& rows,
                  Scaling scaling);

}  // namespace plumb
