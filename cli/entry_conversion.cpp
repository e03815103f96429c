// From files of entries (LIBSVM, VW). The names of their features are known only at the end of the input, so all rows
// stay in memory: in the narrow form in which they were read, and written a row at a time.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/conversion.h"
#include "plumb/data/entry_names.h"

namespace plumb::cli {
namespace {

constexpr std::size_t kMostColumns = 10'000;  // of features that become columns: most cells would be 0

constexpr std::size_t kBlockCells = std::size_t{1} << 20;  // whose text is made at a time

// Numbers for labels that are words: 1, 2, ... in bytewise order.
class WordLabels {
 public:
  WordLabels(const Tables& tables, std::size_t column) {
    for (const Table& table : tables.pieces)
      for (const std::string& label : table.columns[column].levels) {
        words_.emplace(label, 0.0);
        all_numbers_ = all_numbers_ && parse_number(label).fault == NumberFault::none;
      }
    double next = 1.0;
    for (auto& [label, number] : words_) number = all_numbers_ ? parse_number(label).value : next++;
  }

  // The meaning of the numbers; empty if they were numbers before.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [label, number] : words_)
      if (!all_numbers_) names.push_back(label);
    return names;
  }
  std::vector<double> numbers_of(const std::vector<std::string>& labels) const {
    std::vector<double> numbers;
    numbers.reserve(labels.size());
    for (const std::string& label : labels) numbers.push_back(words_.at(label));
    return numbers;
  }

 private:
  std::map<std::string, double> words_;
  bool all_numbers_ = true;
};

// The entries of a row, in ascending order of their positions among all features.
class PlacedRow {
 public:
  PlacedRow(const EntryNames& names, const Entries& entries) : entries_(entries), places_(names.places(entries)) {}

  Row row(std::uint64_t r) {
    pairs_.clear();
    for (std::uint64_t i = entries_.offsets[r]; i < entries_.offsets[r + 1]; ++i)
      pairs_.emplace_back(places_[entries_.index[i]], entries_.value[i]);
    // Numbers ascend as they are; names ascend as they came.
    if (!std::is_sorted(pairs_.begin(), pairs_.end())) std::sort(pairs_.begin(), pairs_.end());
    index_.clear();
    value_.clear();
    for (const auto& [place, value] : pairs_) {
      index_.push_back(place);
      value_.push_back(value);
    }
    return {index_, value_};
  }

 private:
  const Entries& entries_;
  EntryNames::Places places_;
  std::vector<std::pair<std::uint32_t, double>> pairs_;
  std::vector<std::uint32_t> index_;
  std::vector<double> value_;
};

// The columns of the tables that are written before the features.
struct HeadColumns {
  std::optional<std::size_t> label, query, importance, base, tag;

  std::optional<std::size_t>& named(const std::string& name) {
    return name == "qid" ? query : name == "importance" ? importance : name == "base" ? base : tag;
  }
};

struct HeadPlan {
  HeadColumns columns;
  std::vector<Selected> selected;     // and the entries first
  std::vector<std::string> left_out;  // for lack of a place
};

// The label is the column that --target names, or the one called label.
HeadPlan plan_head(const Conversion& work, std::size_t entries) {
  const AskedColumns asked = asked_columns(work);
  const bool named = !work.asked.target.empty();
  const std::size_t target = named ? column_named(work.source, "target", work.asked.target) : 0;
  if (asked.dropped[entries] || (named && target == entries))
    throw Error(ErrorCode::usage, {work.source.name()},
                "column " + in_quotes(asked.columns[entries].name) + " holds the entries, which " +
                    std::string(work.format.name) + " is made of; another column was expected",
                named && target == entries ? "leave out --target" : "--to csv writes the other columns alone");
  if (named && asked.dropped[target])
    throw Error(ErrorCode::usage,
                "column " + in_quotes(work.asked.target) + " is named by both --target and --drop; one was expected");
  HeadPlan plan{{}, {{entries, Kind::sparse}}, {}};
  for (std::size_t c = 0; c < asked.columns.size(); ++c) {
    const ColumnInfo& column = asked.columns[c];
    if (c == entries || asked.dropped[c]) continue;
    const bool is_label = named ? c == target : column.name == "label";
    const std::vector<std::string_view>& keeps = work.format.keeps;
    const bool needs_label = column.name == "importance" || column.name == "base";
    if (!is_label && (std::find(keeps.begin(), keeps.end(), column.name) == keeps.end() ||
                      (needs_label && !plan.columns.label && !named))) {
      plan.left_out.push_back(column.name);
      continue;
    }
    (is_label ? plan.columns.label : plan.columns.named(column.name)) = plan.selected.size();
    // The columns before the features have fixed kinds, except that the user may set the label's.
    const Kind kind = is_label ? column.kind : column.name == "tag" ? Kind::category : Kind::number;
    plan.selected.push_back({c, kind, is_label});
  }
  return plan;
}

std::string left_out_text(const std::vector<std::string>& names, std::string_view format) {
  const bool one = names.size() == 1;
  return listed(names) + (one ? " was left out: " : " were left out: ") + std::string(format) + " has no place for " +
         (one ? "it" : "them") + " (--drop " + as_typed(list_of(names)) + " says that this is meant)";
}

// The first fields of the rows of one piece.
class Heads {
 public:
  Heads(const HeadColumns& columns, const Table& table, const WordLabels* words)
      : label_(at(table, columns.label)),
        query_(at(table, columns.query)),
        importance_(at(table, columns.importance)),
        base_(at(table, columns.base)),
        tag_(at(table, columns.tag)) {
    if (words != nullptr) label_of_code_ = words->numbers_of(label_->levels);
  }

  RowHead head(std::uint64_t r) const {
    RowHead head;
    if (label_ != nullptr)
      head.label = label_->kind == Kind::number ? label_->numbers[r] : label_of_code_[label_->codes[r]];
    if (query_ != nullptr) head.query = static_cast<std::uint64_t>(query_->numbers[r]);
    if (importance_ != nullptr) head.importance = importance_->numbers[r];
    if (base_ != nullptr) head.base = base_->numbers[r];
    if (tag_ != nullptr) head.tag = tag_->levels[tag_->codes[r]];
    return head;
  }

 private:
  static const Column* at(const Table& table, std::optional<std::size_t> place) {
    return place ? &table.columns[*place] : nullptr;
  }

  const Column* label_;
  const Column* query_;
  const Column* importance_;
  const Column* base_;
  const Column* tag_;
  std::vector<double> label_of_code_;
};

// The names of the features as those of columns.
void add_feature_columns(const Conversion& work, const EntryNames& names, std::vector<ColumnInfo>& columns) {
  if (names.size() > kMostColumns)
    throw Error(ErrorCode::data, {work.source.name()},
                "the rows hold " + counted(names.size(), "different feature") + "; at most " +
                    count_text(kMostColumns) + " become columns of " + std::string(work.format.name),
                "--to libsvm or --to vw keeps them sparse");
  const std::size_t before = columns.size();
  for (const std::string& name : names.names()) {
    for (std::size_t c = 0; c < before; ++c)
      if (columns[c].name == name)
        throw Error(ErrorCode::data, {work.source.name()},
                    "a feature is called " + in_quotes(name) + ", and so is a column; every column needs its own name",
                    "--drop " + as_typed_item(name) + " leaves out the column; --to vw keeps both");
    columns.push_back({name, Kind::number});
  }
}

}  // namespace

Converted entries_to_features(const Conversion& work, std::size_t entries) {
  HeadPlan plan = plan_head(work, entries);
  work.source.select(std::move(plan.selected));
  const Tables tables = read_all(work.source, work.run);
  const EntryNames names(tables, 0);
  Converted done{.rows = tables.rows, .width = names.size()};
  done.features = {names.names(), {}, true};
  done.features.numbers = feature_numbers(done.features.names);
  const bool libsvm = work.format.name == "libsvm";  // which has numeric names, and a label in every row
  done.renamed = libsvm && std::any_of(done.features.names.begin(), done.features.names.end(),
                                       [](const std::string& name) { return !number_in_name(name); });
  if (!plan.left_out.empty()) done.warnings.push_back(left_out_text(plan.left_out, work.format.name));
  if (!plan.columns.label && libsvm)
    done.warnings.push_back("the rows have no label, which libsvm needs; it is written as 0");

  const bool words = plan.columns.label && !tables.pieces.empty() &&
                     tables.pieces.front().columns[*plan.columns.label].kind == Kind::category;
  std::optional<WordLabels> labels;
  if (words) done.labels = labels.emplace(tables, *plan.columns.label).names();
  const std::unique_ptr<SparseWriter> writer = work.format.make_sparse(done.features);
  for (const Table& table : tables.pieces) {
    const Heads heads(plan.columns, table, labels ? &*labels : nullptr);
    write_rows(work, table.rows, [&](std::string& out, std::uint64_t begin, std::uint64_t end) {
      PlacedRow placed(names, table.columns[0].entries);
      for (std::uint64_t r = begin; r < end; ++r) writer->append(out, heads.head(r), placed.row(r));
    });
  }
  return done;
}

Converted entries_to_columns(const Conversion& work, std::size_t entries) {
  AskedColumns asked = asked_columns(work);
  std::vector<ColumnInfo> columns;
  std::vector<Selected> selected;
  for (std::size_t c = 0; c < asked.columns.size(); ++c) {
    if (asked.dropped[c] || c == entries) continue;
    columns.push_back(std::move(asked.columns[c]));
    selected.push_back({c, Kind::category});
  }
  const std::size_t heads = columns.size();
  const bool kept = !asked.dropped[entries];
  if (kept) selected.push_back({entries, Kind::sparse});
  if (selected.empty()) throw Error(ErrorCode::usage, "--drop names every column; at least one must be left");
  work.source.select(std::move(selected));
  const Tables tables = read_all(work.source, work.run);
  const EntryNames names(kept ? tables : Tables{}, heads);
  add_feature_columns(work, names, columns);
  if (columns.empty())
    throw Error(ErrorCode::data, {work.source.name()},
                "the rows have neither a label nor a feature; at least one column was expected");

  const std::unique_ptr<Writer> writer = work.format.make(columns);
  if (work.output != nullptr) work.output->write(writer->start());
  const Entries none;
  const std::uint64_t block_rows = std::max<std::uint64_t>(1, kBlockCells / columns.size());
  for (const Table& table : tables.pieces) {
    const auto append = [&](std::string& out, std::uint64_t begin, std::uint64_t end) {
      PlacedRow placed(names, kept ? table.columns[heads].entries : none);
      std::vector<std::string_view> values(columns.size());
      std::vector<std::string> texts(columns.size());
      for (std::uint64_t r = begin; r < end; ++r) {
        std::fill(values.begin(), values.end(), "0");
        for (std::size_t c = 0; c < heads; ++c) values[c] = table.columns[c].levels[table.columns[c].codes[r]];
        const Row row = kept ? placed.row(r) : Row{};
        for (std::size_t k = 0; k < row.index.size(); ++k)
          values[heads + row.index[k]] = texts[heads + row.index[k]] = number_text(row.value[k]);
        writer->append(out, values, table, r);
      }
    };
    write_rows(work, table.rows, append, block_rows);
  }
  return {.rows = tables.rows, .width = columns.size()};
}

}  // namespace plumb::cli
