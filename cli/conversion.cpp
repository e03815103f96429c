// Columns are written as they are read, piece by piece, so memory stays small; for a format of features the levels of
// all rows must be known first.
#include "cli/conversion.h"

#include <optional>
#include <utility>

#include "cli/command.h"

namespace plumb::cli {
namespace {

// The labels of a format with only numbers: those of the target if all are numbers, otherwise 1, 2, ... in label order.
struct NumberedLabels {
  std::vector<double> numbers;
  bool counted = false;

  explicit NumberedLabels(const std::vector<std::string>& labels) {
    counted = std::any_of(labels.begin(), labels.end(),
                          [](const std::string& label) { return parse_number(label).fault != NumberFault::none; });
    for (const std::string& label : labels)
      numbers.push_back(counted ? static_cast<double>(numbers.size() + 1) : parse_number(label).value);
  }
};

Converted columns_to_columns(const Conversion& work) {
  AskedColumns asked = asked_columns(work);
  std::vector<ColumnInfo> columns;
  std::vector<Selected> selected;
  for (std::size_t c = 0; c < asked.columns.size(); ++c) {
    if (asked.dropped[c]) continue;
    columns.push_back(std::move(asked.columns[c]));
    selected.push_back({c, Kind::category});
  }
  if (columns.empty()) throw Error(ErrorCode::usage, "--drop names every column; at least one must be left");
  work.source.select(std::move(selected));

  const std::unique_ptr<Writer> writer = work.format.make(columns);
  Converted done{.width = columns.size()};
  if (work.output != nullptr) work.output->write(writer->start());
  std::vector<std::string> losses(columns.size());  // of each column, the first value that loses its leading zeros
  Table table;
  while (work.source.next(table, work.run)) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (const std::string& value : table.columns[c].levels)
        if (losses[c].empty() && writer->loses_zeros(value, c)) losses[c] = value;
    write_rows(work, table.rows, [&](std::string& out, std::uint64_t begin, std::uint64_t end) {
      std::vector<std::string_view> values;
      for (std::uint64_t r = begin; r < end; ++r) {
        row_values(table, r, values);
        writer->append(out, values, table, r);
      }
    });
    done.rows += table.rows;
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!losses[c].empty())
      done.warnings.push_back("column " + in_quotes(columns[c].name) + " holds numbers such as " +
                              in_quotes(losses[c]) + ", written without the zeros in front (--categorical " +
                              as_typed_item(columns[c].name) + " keeps them)");
  return done;
}

// 1, 2, ...; but features that are all called f1, f5, ... were numbered before, and keep their numbers.
std::vector<std::uint32_t> numbers_of_columns(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return number_in_name(name) > 0u; }))
    return feature_numbers(names);
  std::vector<std::uint32_t> numbers(names.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i + 1;
  return numbers;
}

Converted columns_to_features(const Conversion& work) {
  FeatureOptions options;
  options.target = work.asked.target;
  options.drop = work.asked.drop;
  options.categorical = work.asked.categorical;
  options.numeric = work.asked.numeric;
  options.text = work.asked.text;
  options.missing = work.asked.missing;
  const FeaturePlan plan = plan_features(work.source, options, work.text);
  work.source.select(plan.selected);
  const Tables tables = read_all(work.source, work.run);
  const Learnt learnt =
      learn_features(tables, plan, RowSet(tables.rows, true), {.bias = true, .full_coding = true}, work.run);
  const NumberedLabels labels(learnt.layout.labels);
  Converted done{.rows = tables.rows, .renamed = true, .warnings = learnt.warnings};
  for (const ColumnInfo& column : plan.left_out)
    if (column.kind == Kind::date &&
        std::find(options.drop.begin(), options.drop.end(), column.name) == options.drop.end())
      done.warnings.push_back("column " + in_quotes(column.name) + " was left out: it holds dates (--categorical " +
                              as_typed_item(column.name) + " keeps it)");
  done.features.names = learnt.map.names();
  done.features.numbers = numbers_of_columns(done.features.names);
  done.width = done.features.names.size();
  if (labels.counted) done.labels = learnt.layout.labels;

  const std::unique_ptr<SparseWriter> writer = work.format.make_sparse(done.features);
  const bool is_label = plan.target_kind == Kind::category;
  FeatureMap::Unseen unseen;  // empty: all rows were used for learning
  for (const Table& table : tables.pieces) {
    const Piece piece = learnt.map.apply(table, learnt.layout, unseen);
    write_rows(work, piece.rows, [&](std::string& out, std::uint64_t begin, std::uint64_t end) {
      PieceRows rows(piece);
      for (std::uint64_t r = begin; r < end; ++r) {
        const double target = piece.targets[r];
        const double label = is_label ? labels.numbers[static_cast<std::size_t>(target)] : target;
        writer->append(out, {.label = label}, rows.row(r));
      }
    });
  }
  return done;
}

}  // namespace

AskedColumns asked_columns(const Conversion& work) {
  AskedColumns asked{work.source.columns(), std::vector<bool>(work.source.columns().size())};
  const auto force = [&](const char* option, const std::vector<std::string>& names, Kind kind) {
    for (const std::string& name : names) {
      ColumnInfo& column = asked.columns[column_named(work.source, option, name)];
      if (column.kind == Kind::sparse)
        throw Error(ErrorCode::usage, {work.source.name()},
                    "--" + std::string(option) + " names column " + in_quotes(name) +
                        ", which holds entries like 3:0.5; numbers or categories were expected",
                    "leave out --" + std::string(option));
      column.kind = kind;
    }
  };
  force("categorical", work.asked.categorical, Kind::category);
  force("numeric", work.asked.numeric, Kind::number);
  force("text", work.asked.text, Kind::text);
  for (const std::string& name : work.asked.drop) asked.dropped[column_named(work.source, "drop", name)] = true;
  return asked;
}

Converted convert(const Conversion& work) {
  const std::vector<ColumnInfo>& columns = work.source.columns();
  const auto entries = std::find_if(columns.begin(), columns.end(),
                                    [](const ColumnInfo& column) { return column.kind == Kind::sparse; });
  const auto place = static_cast<std::size_t>(entries - columns.begin());
  const bool to_columns = work.format.make != nullptr;
  if (entries == columns.end()) return to_columns ? columns_to_columns(work) : columns_to_features(work);
  return to_columns ? entries_to_columns(work, place) : entries_to_features(work, place);
}

}  // namespace plumb::cli
