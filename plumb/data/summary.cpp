// Columns are read as categories: then each piece has every text once, with its rows as codes, and the texts are
// parsed, counted and hashed once per piece instead of once per row. Entries stay entries.
#include "plumb/data/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/data/date_text.h"
#include "plumb/data/entry_counter.h"
#include "plumb/data/examples.h"
#include "plumb/data/text_key.h"
#include "plumb/data/value_counts.h"
#include "plumb/math/exact_sum.h"

namespace plumb {
namespace {

constexpr std::uint64_t kDistinctOfTable = 8'000'000;  // values that all columns of a table may store together
constexpr std::uint64_t kLeastDistinct = 1000;         // ... but each that many
constexpr std::uint64_t kFewValues = 20;               // that do not look like keys

class ColumnCounter {
 public:
  ColumnCounter(const ColumnInfo& column, std::uint64_t limit, std::uint64_t most_features)
      : limit_(limit), texts_(limit), numbers_(limit), entries_(most_features) {
    style_ = column.style;
    found_.name = column.name;
    found_.kind = column.kind;
  }

  // Counts the column of a piece, and returns the hashes of its levels; for entries, those of its rows.
  std::vector<Hash> add(const Table& table, const Column& column) {
    if (column.kind == Kind::sparse) return entries_.add(column.entries);
    std::vector<std::uint64_t> rows(column.levels.size());
    for (const std::uint32_t code : column.codes) ++rows[code];
    std::vector<Hash> hashes(column.levels.size());
    for (std::size_t level = 0; level < column.levels.size(); ++level) {
      const std::string& text = column.levels[level];
      hashes[level] = digest128(text);
      if (text.empty()) {
        found_.missing += rows[level];
        continue;
      }
      if (is_date(text)) dates_ += rows[level];
      if (found_.kind == Kind::number) {
        add_number(text, rows[level], table, column, static_cast<std::uint32_t>(level));
      } else {
        texts_.add(text_key(text, hashes[level]), rows[level]);
      }
    }
    return hashes;
  }

  ColumnSummary finish(std::uint64_t rows, std::size_t most_levels) {
    if (found_.kind == Kind::sparse) {
      entries_.finish(rows, most_levels, found_);
      return std::move(found_);
    }
    if (found_.kind == Kind::number) {
      auto [entries, more] = numbers_.take();
      settle(entries, more, most_levels, [](double value) { return number_text(value); });
      if (count_ > 0) found_.numbers = {least_, sum_.divided_by(count_), largest_};
    } else {
      auto [entries, more] = texts_.take();
      settle(entries, more, most_levels, shown_key);
    }
    found_.look = look(rows);
    return std::move(found_);
  }

 private:
  void add_number(const std::string& text, std::uint64_t rows, const Table& table, const Column& column,
                  std::uint32_t level) {
    const ParsedNumber number = parse_number(text, style_);
    if (number.fault == NumberFault::empty) {
      found_.missing += rows;
      return;
    }
    if (number.fault != NumberFault::none) {
      if (found_.strays.rows == 0) {
        const auto first = std::find(column.codes.begin(), column.codes.end(), level);
        found_.strays.first = text;
        found_.strays.place = table.place(static_cast<std::uint64_t>(first - column.codes.begin()));
      }
      found_.strays.rows += rows;
      return;
    }
    count_ += rows;
    sum_.add(number.value, rows);
    least_ = std::min(least_, number.value);
    largest_ = std::max(largest_, number.value);
    whole_ = whole_ && std::trunc(number.value) == number.value;
    numbers_.add(number.value + 0.0, rows);  // -0 and 0 are one value
  }

  template <class Entry, class Text>
  void settle(std::vector<Entry>& entries, bool more, std::size_t most_levels, const Text& text) {
    found_.more = more;
    found_.distinct = more ? limit_ : entries.size();
    keep_commonest(entries, most_levels);
    for (Entry& entry : entries) found_.commonest.push_back({text(std::move(entry.key)), entry.count});
  }

  Look look(std::uint64_t rows) const {
    const std::uint64_t values = rows - found_.missing;
    if (values == 0) return Look::empty;
    if (dates_ == values) return Look::date;
    if (rows > 1 && found_.distinct == 1 && found_.missing == 0 && found_.strays.rows == 0) return Look::constant;
    // Texts by the rule by which training leaves a column out; numbers only if each row has a different one.
    const std::uint64_t levels = found_.distinct + (found_.missing > 0 ? 1 : 0);
    const bool key = found_.kind == Kind::number ? whole_ && found_.distinct == rows : levels > rows / 2;
    return found_.kind != Kind::text && key && levels > kFewValues ? Look::key : Look::plain;
  }

  ColumnSummary found_;
  NumberStyle style_;
  std::uint64_t limit_;
  ValueCounts<std::string> texts_;
  ValueCounts<double> numbers_;
  std::uint64_t count_ = 0;  // numbers
  math::ExactSum sum_;
  double least_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  bool whole_ = true;
  std::uint64_t dates_ = 0;
  EntryCounter entries_;
};

// The hash of a row is the hash of its fields' hashes, so a comma in a field is not the comma between two. `known` are
// the results of ColumnCounter::add.
std::vector<Hash> row_hashes(const Table& table, const std::vector<std::vector<Hash>>& known, Executor& executor) {
  std::vector<Hash> hashes(table.rows);
  executor.for_each((table.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
    std::vector<Hash> fields(known.size());
    for (std::uint64_t r = block * kBlockRows; r < std::min(table.rows, (block + 1) * kBlockRows); ++r) {
      for (std::size_t c = 0; c < known.size(); ++c) {
        const Column& column = table.columns[c];
        fields[c] = known[c][column.kind == Kind::sparse ? r : column.codes[r]];
      }
      hashes[r] = digest128({reinterpret_cast<const char*>(fields.data()), fields.size() * sizeof(Hash)});
    }
  });
  return hashes;
}

}  // namespace

const char* look_name(Look look) noexcept {
  switch (look) {
    case Look::plain: return "plain";
    case Look::empty: return "empty";
    case Look::constant: return "constant";
    case Look::date: return "date";
    case Look::key: return "key";
  }
  return "plain";
}

const char* values_name(EntriesSummary::Values values) noexcept {
  switch (values) {
    case EntriesSummary::Values::none: return "none";
    case EntriesSummary::Values::ones: return "ones";
    case EntriesSummary::Values::whole: return "whole";
    case EntriesSummary::Values::real: return "real";
  }
  return "none";
}

TableSummary summarise(Source& source, const Run& run, const SummaryOptions& options) {
  const std::vector<ColumnInfo>& columns = source.columns();
  const std::uint64_t share = std::max(kDistinctOfTable / std::max<std::size_t>(columns.size(), 1), kLeastDistinct);
  std::vector<ColumnCounter> counters;
  std::vector<Selected> selected;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counters.emplace_back(columns[c], std::min(options.most_distinct, share), options.most_features);
    selected.push_back({c, columns[c].kind == Kind::sparse ? Kind::sparse : Kind::category});
  }
  source.select(std::move(selected));

  TableSummary summary;
  ValueCounts<Hash> rows(options.most_rows);
  Table table;
  while (source.next(table, run)) {
    std::vector<std::vector<Hash>> known(counters.size());
    run.executor.for_each(counters.size(), [&](std::size_t c) { known[c] = counters[c].add(table, table.columns[c]); });
    for (const Hash& hash : row_hashes(table, known, run.executor)) rows.add(hash, 1);
    summary.rows += table.rows;
  }
  const auto [different, more] = rows.take();
  if (!more) summary.duplicates = summary.rows - different.size();
  for (ColumnCounter& counter : counters) summary.columns.push_back(counter.finish(summary.rows, options.most_levels));
  return summary;
}

}  // namespace plumb
