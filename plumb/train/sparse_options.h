// Options of an L1 penalty and of its path, common to all models that take one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/options.h"
#include "plumb/train/strength.h"

namespace plumb {

// Which penalty of a path: the one with the least cross-validated loss, or the largest whose loss is within a standard
// error of that.
enum class PathRule { min, one_se };
template <>
struct EnumNames<PathRule> {
  static constexpr std::string_view names[] = {"min", "1se"};
};

struct SparseOptions {
  Strength l1 = {};
  std::vector<std::string> l1_ratio = {};  // empty: not given
  bool path = false;
  PathRule path_rule = PathRule::min;
  std::uint32_t path_points = 100;
  std::uint32_t path_folds = 10;
  bool refit_selected = false;
  double usual_ratio = 1.0;  // without --l1-ratio

  bool none() const noexcept { return l1.none() && !path; }
  bool chooses() const noexcept { return l1.automatic || path; }
  // The ratios as numbers above 0, at most 1. Throws Error(usage).
  std::vector<double> ratios() const;
  // The l2 of an elastic net beside a given l1.
  double l2_beside() const;

  static OptionTable table();
};

// These options as those of a struct that has them as a member.
template <class O>
void add_sparse_options(OptionTable& table, SparseOptions O::*member) {
  const OptionTable own = SparseOptions::table();
  for (Option each : own.options()) {
    each.place += option_detail::place_of(member);
    table.add(each);
  }
}

}  // namespace plumb
