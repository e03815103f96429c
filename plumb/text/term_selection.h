// Which terms become features.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// The ranking of --max-terms, best first. chi2: of presence against class, the largest over classes, one against the
// rest. mutual_information: of presence and class, in nats.
enum class TermRanking { count, chi2, mutual_information };

template <>
struct EnumNames<TermRanking> {
  static constexpr std::string_view names[] = {"count", "chi2", "mutual-information"};
};

// Applied in this order. Limits of documents are counts, not shares, and may be fractional: 0.01 of 250 rows is 2.5.
struct TermSelection {
  double min_documents = 1;
  double max_documents = std::numeric_limits<double>::infinity();
  std::uint64_t min_count = 1;
  std::uint64_t drop_top = 0;   // number of terms with the largest counts to drop
  std::uint64_t max_terms = 0;  // 0: no limit
  TermRanking ranking = TermRanking::count;
};

}  // namespace plumb
