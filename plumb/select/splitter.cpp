#include "plumb/select/splitter.h"

#include <algorithm>
#include <tuple>

#include "plumb/base/error.h"
#include "plumb/base/text.h"

namespace plumb {

Splitter::Splitter(std::uint64_t rows, SplitKeys keys, std::vector<std::uint32_t> class_of_row)
    : rows_(rows), keys_(std::move(keys)), class_of_row_(std::move(class_of_row)) {}

std::vector<std::uint64_t> Splitter::listed(const RowSet& among) const {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < rows_; ++row)
    if (among.has(row)) rows.push_back(row);
  return rows;
}

// In the order of their draws.
std::vector<Splitter::Group> Splitter::groups_of(const std::vector<std::uint64_t>& rows, RandomKey draws) const {
  std::vector<Group> groups(keys_.group_draw.size());
  for (const std::uint64_t row : rows) groups[keys_.group[row]].rows.push_back(row);
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    groups[g].draw = draws.bits(keys_.group_draw[g]);
    groups[g].code = g;
  }
  std::erase_if(groups, [](const Group& group) { return group.rows.empty(); });
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return std::tie(a.draw, a.code) < std::tie(b.draw, b.code); });
  return groups;
}

std::uint64_t Splitter::most_folds(const RowSet& among) const {
  if (keys_.folds > 0) return keys_.folds;
  return keys_.group.empty() ? among.count() : groups_of(listed(among), {}).size();
}

RowSet Splitter::whole_groups(const std::vector<std::uint64_t>& rows, std::uint64_t count, RandomKey draws,
                              bool nested) const {
  RowSet held(rows_);
  const std::vector<Group> groups = groups_of(rows, draws);
  if (groups.size() < 2)
    throw Error(ErrorCode::data, "all rows are in one group; at least two were expected, because groups are not split",
                keys_.names_repeat ? "leave out --id" : "leave out --group");
  const auto hold = [&](const Group& group) {
    for (const std::uint64_t row : group.rows) held.add(row);
  };
  std::uint64_t taken = 0;
  const std::size_t most = groups.size() - (nested ? 1 : 0);
  for (std::size_t g = 0; g < most && taken < count; ++g) {
    const std::uint64_t size = groups[g].rows.size();
    const bool nearer = taken + size <= count || taken + size - count < count - taken ||
                        (nested && taken + size - count == count - taken);
    if (!nearer && (!nested || taken > 0)) {
      if (nested) break;
      continue;
    }
    if (taken + size == rows.size()) break;  // one group is left
    hold(groups[g]);
    taken += size;
  }
  // Every group is too large: the smallest is the nearest.
  if (taken == 0)
    hold(*std::min_element(groups.begin(), groups.end(),
                           [](const Group& a, const Group& b) { return a.rows.size() < b.rows.size(); }));
  return held;
}

RowSet Splitter::first_drawn(const RowSet& among, std::uint64_t count, RandomKey key) const {
  if (!keys_.group.empty()) return whole_groups(listed(among), count, key.with_stream(Stream::split), true);
  return hold_out(among, {TestChoice::What::rows, 0.0, count, ""}, key, "sizes");
}

RowSet Splitter::hold_out(const RowSet& among, const TestChoice& choice, RandomKey key,
                          const std::string& option) const {
  RowSet held(rows_);
  if (choice.what == TestChoice::What::none || choice.what == TestChoice::What::file) return held;
  const std::vector<std::uint64_t> rows = listed(among);
  const std::uint64_t n = rows.size(), count = held_out_count(n, choice, option);
  const RandomKey draws = key.with_stream(Stream::split);
  if (keys_.in_order) {
    for (std::uint64_t i = n - count; i < n; ++i) held.add(rows[i]);
    return held;
  }
  // Rows with identifiers keep their part whatever other rows there are, so each is drawn by itself.
  if (!keys_.draw.empty() && (keys_.group.empty() || keys_.names_repeat) && choice.what == TestChoice::What::fraction) {
    for (const std::uint64_t row : rows)
      if (static_cast<double>(draw(row, draws)) < choice.fraction * 0x1p64) held.add(row);
    if (held.count() > 0 && held.count() < n) return held;
    held = RowSet(rows_);
  }
  if (!keys_.group.empty()) return whole_groups(rows, count, draws, false);
  // Row r of the n_k of a class, in the order of their draws, has the rank (r + 1/2) / n_k: however many of the
  // smallest ranks are taken, each class gives its share to within a row.
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> drawn(n);  // class, draw, row
  for (std::uint64_t i = 0; i < n; ++i) drawn[i] = {class_of(rows[i]), draw(rows[i], draws), rows[i]};
  std::sort(drawn.begin(), drawn.end());
  std::vector<std::tuple<bool, double, std::uint64_t, std::uint64_t>> ranks(n);  // kept if possible, share, draw, row
  for (std::uint64_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && std::get<0>(drawn[end]) == std::get<0>(drawn[begin])) ++end;
    for (std::uint64_t i = begin; i < end; ++i)
      ranks[i] = {i + 1 == end, (static_cast<double>(i - begin) + 0.5) / static_cast<double>(end - begin),
                  std::get<1>(drawn[i]), std::get<2>(drawn[i])};
  }
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count), ranks.end());
  for (std::uint64_t i = 0; i < count; ++i) held.add(std::get<3>(ranks[i]));
  return held;
}

// The largest group first, each to the fold that has the least of the group's classes: the sum over classes of its rows
// times the share of the class that is already in the fold.
std::vector<std::uint32_t> Splitter::folds_of_groups(std::vector<Group> groups, std::uint64_t count) const {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.rows.size() > b.rows.size(); });
  std::uint32_t classes = 1;
  for (const std::uint32_t each : class_of_row_) classes = std::max(classes, each + 1);
  std::vector<double> of_class(classes);
  for (const Group& group : groups)
    for (const std::uint64_t row : group.rows) ++of_class[class_of(row)];
  std::vector<std::vector<double>> filled(count, std::vector<double>(classes));
  std::vector<std::uint64_t> size(count);
  std::vector<std::uint32_t> fold(rows_, kNoFold);
  for (const Group& group : groups) {
    const auto load = [&](std::uint64_t f) {
      double sum = 0.0;
      for (const std::uint64_t row : group.rows) sum += filled[f][class_of(row)] / of_class[class_of(row)];
      return std::pair{sum, size[f]};
    };
    std::uint64_t least = 0;
    for (std::uint64_t f = 1; f < count; ++f)
      if (load(f) < load(least)) least = f;
    size[least] += group.rows.size();
    for (const std::uint64_t row : group.rows) {
      ++filled[least][class_of(row)];
      fold[row] = static_cast<std::uint32_t>(least);
    }
  }
  return fold;
}

std::vector<std::uint32_t> Splitter::folds(const RowSet& among, std::uint64_t count, RandomKey key) const {
  const std::vector<std::uint64_t> rows = listed(among);
  const std::uint64_t n = rows.size();
  std::vector<std::uint32_t> fold(rows_, kNoFold);
  if (keys_.folds > 0) {
    for (const std::uint64_t row : rows) fold[row] = keys_.fold[row];
    return fold;
  }
  const RandomKey draws = key.with_stream(Stream::split, 1);
  const std::string unit = keys_.group.empty() ? "row" : "group";
  if (const std::uint64_t most = most_folds(among); count > most)
    throw Error(ErrorCode::data,
                "--folds asks for " + counted(count, "fold") + " of " + counted(most, unit) +
                    "; at most one for each " + unit + " was expected",
                most < 2 ? "" : "--folds loo");
  if (!keys_.group.empty()) return folds_of_groups(groups_of(rows, draws), count);
  if (keys_.in_order) {
    for (std::uint64_t i = 0; i < n; ++i) fold[rows[i]] = static_cast<std::uint32_t>(i * count / n);
    return fold;
  }
  // Rows in the order of their class, and at random within each, are dealt to the folds in turn.
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> drawn(n);  // class, draw, row
  for (std::uint64_t i = 0; i < n; ++i) drawn[i] = {class_of(rows[i]), draw(rows[i], draws), rows[i]};
  std::sort(drawn.begin(), drawn.end());
  for (std::uint64_t i = 0; i < n; ++i) fold[std::get<2>(drawn[i])] = static_cast<std::uint32_t>(i % count);
  return fold;
}

}  // namespace plumb
