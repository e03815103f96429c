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
// max_abs: values between -1 and 1.
enum class Scaling { none, standard, max_abs };
template <>
struct EnumNames<Scaling> {
  static constexpr std::string_view names[] = {"none", "standard", "max-abs"};
};

// For each feature of a map; both empty if nothing is scaled.
struct Scale {
  std::vector<double> centres;
  std::vector<double> units;
  bool empty() const noexcept { return units.empty(); }
  bool operator==(const Scale&) const = default;
};

// For columns of numbers, products, formulas and entries; everything else has centre 0 and unit 1. A row counts with
// its weight. A constant feature is centred and keeps its unit.
Scale learn_scale(const Tables& tables, const FeatureMap& map, const TableLayout& layout, const RowSet& rows,
                  Scaling scaling);

}  // namespace plumb
