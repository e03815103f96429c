#include "plumb/select/classes.h"

#include <algorithm>
#include <set>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/feature/levels.h"

namespace plumb {
namespace {

std::uint32_t place_of(const std::vector<std::string>& labels, const std::string& label, const std::string& option) {
  if (const auto found = LabelCodes(labels).find(label)) return *found;
  throw unknown_choice("label", label, labels, "--" + option + " ");
}

}  // namespace

std::vector<std::string> Classes::among(const RowSet& rows, const std::string& positive) const {
  std::vector<bool> used(labels.size() + 1);
  std::size_t unused = labels.size();
  for (std::uint64_t row = 0; row < of_row.size() && unused > 0; ++row) {
    if (used[of_row[row]] || !rows.has(row) || !counted.has(row)) continue;
    used[of_row[row]] = true;
    if (of_row[row] < labels.size()) --unused;  // others have no label
  }
  std::vector<std::string> found;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (used[i]) found.push_back(labels[i]);
  if (found.size() < 2)
    throw Error(
        ErrorCode::data,
        found.empty()
            ? std::string(counted.count() == 0 ? "every row has weight 0" : "no training row has a label") +
                  "; two classes or more were expected"
            : "every training row has the label " + in_quotes(found.front()) + "; two classes or more were expected",
        found.empty()                ? ""
        : have_others(counted, rows) ? "hold out fewer rows: only those that are held out have other labels"
                                     : "give rows of another class, or name another column with --target");
  if (positive.empty()) return found;
  if (found.size() > 2)
    throw Error(ErrorCode::usage, "--positive needs two classes; there are " + std::to_string(found.size()),
                "leave out --positive, or choose two with --classes");
  if (place_of(found, positive, "positive") == 0) std::swap(found[0], found[1]);
  return found;
}

bool Classes::have_others(const RowSet& rows, const RowSet& than) const {
  std::vector<bool> here(labels.size() + 1), there(labels.size() + 1);
  for (std::uint64_t row = 0; row < of_row.size(); ++row) {
    if (!counted.has(row) || of_row[row] == labels.size()) continue;
    if (rows.has(row)) here[of_row[row]] = true;
    if (than.has(row)) there[of_row[row]] = true;
  }
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (here[k] && !there[k]) return true;
  return false;
}

void Classes::expect_two_without_each(const RowSet& rows, std::span<const std::uint32_t> fold) const {
  struct Of {
    std::uint64_t rows = 0, first = 0;
    bool together = true;  // in one fold
  };
  std::vector<Of> of(labels.size());
  const auto fold_of = [&](std::uint64_t row) { return fold.empty() ? row : std::uint64_t{fold[row]}; };
  for (std::uint64_t row = 0; row < of_row.size(); ++row) {
    if (!rows.has(row) || !counted.has(row) || of_row[row] == labels.size()) continue;
    Of& own = of[of_row[row]];
    if (own.rows++ == 0) own.first = row;
    own.together = own.together && fold_of(row) == fold_of(own.first);
  }
  for (std::size_t alone = 0; alone < of.size(); ++alone) {
    if (of[alone].rows == 0 || !of[alone].together) continue;
    // The classes outside this fold.
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < of.size(); ++k)
      if (of[k].rows > 0 && !(of[k].together && fold_of(of[k].first) == fold_of(of[alone].first))) left.push_back(k);
    if (left.size() != 1) continue;
    const std::string label = in_quotes(labels[alone]), row = "row " + count_text(of[alone].first + 1);
    const bool one = of[alone].rows == 1;
    throw Error(ErrorCode::data,
                (one ? row + " is the only one with the label " + label
                     : "all " + plumb::counted(of[alone].rows, "row") + " with the label " + label + ", from " + row +
                           " on, are in one fold") +
                    "; without " + (one ? "it" : "them") + " every training row has the label " +
                    in_quotes(labels[left.front()]) + ", and two classes or more were expected",
                one ? "give more rows with the label " + label + ", or name another column with --target"
                    : "--folds loo, without --fold and --group, leaves out one row at a time");
  }
}

RowSet Classes::rows_of(const std::vector<std::string>& chosen) const {
  std::vector<bool> wanted(labels.size() + 1);
  for (const std::string& label : chosen) wanted[place_of(labels, label, "classes")] = true;
  RowSet rows(of_row.size());
  for (std::uint64_t row = 0; row < of_row.size(); ++row)
    if (wanted[of_row[row]]) rows.add(row);
  return rows;
}

Classes classes_of(const Tables& tables, std::size_t column, std::optional<std::size_t> weight,
                   const std::vector<std::string>& known) {
  std::set<std::string> levels(known.begin(), known.end());
  for (const Table& table : tables.pieces) {
    const Column& target = table.columns[column];
    levels.insert(target.levels.begin(), target.levels.end());
  }
  Classes classes;
  classes.labels = labels_among({levels.begin(), levels.end()});
  const LabelCodes codes(classes.labels);
  classes.of_row.resize(tables.rows);
  std::ptrdiff_t begin = 0;
  classes.counted = RowSet(tables.rows, !weight);
  for (const Table& table : tables.pieces) {
    const Column& target = table.columns[column];
    std::vector<std::uint32_t> code_of_level;
    for (const std::string& level : target.levels)
      code_of_level.push_back(codes.find(level).value_or(static_cast<std::uint32_t>(classes.labels.size())));
    std::transform(target.codes.begin(), target.codes.end(), classes.of_row.begin() + begin,
                   [&](std::uint32_t code) { return code_of_level[code]; });
    begin += static_cast<std::ptrdiff_t>(target.codes.size());
    for (std::uint64_t row = 0; weight && row < table.rows; ++row)
      if (table.columns[*weight].numbers[row] != 0.0) classes.counted.add(table.first_row + row);
  }
  return classes;
}

OptionTable ClassOptions::table() {
  using O = ClassOptions;
  return {
      option("classes", &O::classes, "labels: keep only the rows of these classes, after the split").value("LABEL,..."),
      option("positive", &O::positive, "two classes: the positive label, which scores and probabilities refer to")
          .value("LABEL")
          .otherwise("the last label")};
}

}  // namespace plumb
