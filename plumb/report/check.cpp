#include "plumb/report/check.h"

#include <algorithm>
#include <string_view>

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/json_parts.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestValue = 24;  // of a value between others on a line
constexpr std::uint64_t kRareShare = 100;  // a label with less than one row in that many is rare

// Cut after that many characters.
std::string short_value(const std::string& value) {
  std::string text = escaped_for_terminal(value);
  if (display_width(text) <= kLongestValue) return text;
  std::size_t cut = 0, width = 0;
  for (; cut < text.size(); ++cut)
    if ((static_cast<unsigned char>(text[cut]) & 0xC0) != 0x80 && ++width > kLongestValue - 3) break;
  return text.substr(0, cut) + "...";
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return number_text(100.0 * static_cast<double>(part) / static_cast<double>(whole), 3) + " %";
}

std::string distinct_text(const ColumnSummary& column) {
  return (column.more ? "> " : "") + count_text(column.distinct);
}

// "Oslo (3), Rome (2), ... (4 more)"
std::string commonest_text(const ColumnSummary& column, std::uint64_t top) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(top, column.commonest.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : ", ") + short_value(column.commonest[i].value) + " (" +
            count_text(column.commonest[i].rows) + ")";
  if (shown > 0 && shown < column.distinct) text += ", ... (" + count_text(column.distinct - shown) + " more)";
  return text;
}

std::string look_text(const ColumnSummary& column, const TableSummary& table, std::uint64_t top) {
  switch (column.look) {
    case Look::empty: return table.rows == 0 ? "" : "empty";
    case Look::constant: return "one value: " + short_value(column.commonest.front().value);
    case Look::date: return "dates";
    case Look::key:
      return std::string(column.distinct == table.rows && !column.more ? "all" : "most") +
             (column.kind == Kind::number ? " distinct: a key?" : " distinct: a name or key; train leaves it out");
    case Look::plain: break;
  }
  if (column.kind == Kind::sparse) return "";  // they have lines of their own
  if (column.kind == Kind::text) return "text: train counts its words";
  // For numbers only those that repeat often, as codes do.
  const bool codes = column.distinct <= top && column.distinct * 4 <= table.rows;
  return column.kind == Kind::category || codes ? commonest_text(column, top) : "";
}

std::string notes_of(const ColumnSummary& column, const TableSummary& table, std::uint64_t top) {
  std::string text = look_text(column, table, top);
  if (column.strays.rows > 0)
    text += (text.empty() ? "" : "; ") + count_text(column.strays.rows) + " not numbers, first \"" +
            short_value(column.strays.first) + "\"";
  return text;
}

std::string columns_text(const CheckReport& report, const Style& style) {
  const TableSummary& summary = report.summary;
  TextTable table;
  constexpr std::size_t kKind = 1, kNotes = 7;
  table.set_left(kKind);
  table.set_left(kNotes);
  const bool any = std::any_of(summary.columns.begin(), summary.columns.end(), [&](const ColumnSummary& column) {
    return !notes_of(column, summary, report.top).empty();
  });
  table.add({"column", "kind", "missing", "different", "min", "mean", "max", any ? "notes" : ""});
  for (const ColumnSummary& column : summary.columns) {
    std::vector<std::string> cells = {escaped_for_terminal(column.name), std::string(kind_name(column.kind)),
                                      count_text(column.missing), distinct_text(column)};
    for (double ColumnSummary::Numbers::*each :
         {&ColumnSummary::Numbers::min, &ColumnSummary::Numbers::mean, &ColumnSummary::Numbers::max})
      cells.push_back(column.numbers ? four_digits((*column.numbers).*each) : "");
    cells.push_back(notes_of(column, summary, report.top));
    table.add(std::move(cells));
  }
  return table.text(style);
}

std::string values_text(const EntriesSummary& entries) {
  const std::string range = " from " + four_digits(entries.smallest) + " to " + four_digits(entries.largest);
  switch (entries.values) {
    case EntriesSummary::Values::none: return "none";
    case EntriesSummary::Values::ones: return "all 1";
    case EntriesSummary::Values::whole: return "whole numbers" + range;
    case EntriesSummary::Values::real: return "numbers" + range;
  }
  return "";
}

std::string entries_text(const ColumnSummary& column, std::uint64_t top, const Style& style) {
  const EntriesSummary& entries = *column.entries;
  std::string text = style.bold("entries of " + escaped_for_terminal(column.name)) + ": " + count_text(entries.count) +
                     " of " + (column.more ? "more than " : "") + counted(column.distinct, "feature") + "\n";
  text += "in a row     " + count_text(entries.least) + " to " + count_text(entries.most) + ", mean " +
          four_digits(entries.mean) + "\n";
  if (!column.more) text += "density      " + number_text(100.0 * entries.density, 3) + " %\n";
  text += "values       " + values_text(entries) + "\n";
  if (entries.zeros > 0) text += "zeros        " + count_text(entries.zeros) + " more, written as 0\n";
  if (column.more) return text;
  text += "commonest    " + commonest_text(column, top) + "\n";
  return text + "in one row   " + counted(entries.single, "feature") + "\n";
}

// Whether the values of a target deserve a line each: labels, or numbers that could be labels.
bool has_labels(const ColumnSummary& column) { return column.kind == Kind::category || column.distinct == 2; }

std::string target_text(const CheckReport& report, const Style& style) {
  const ColumnSummary& column = report.summary.columns[*report.target];
  std::string text = style.bold("target " + escaped_for_terminal(column.name)) + ": ";
  if (!has_labels(column)) {
    text += column.numbers
                ? counted(column.distinct, "different number") + " from " + four_digits(column.numbers->min) + " to " +
                      four_digits(column.numbers->max) + ", mean " + four_digits(column.numbers->mean)
                : "no number";
    return text + "\n";
  }
  text += (column.more ? "more than " : "") + counted(column.distinct, "label") + "\n";
  TextTable table;
  table.add({"label", "rows", "share"});
  const std::size_t shown = std::min<std::size_t>(report.top, column.commonest.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.add({short_value(column.commonest[i].value), count_text(column.commonest[i].rows),
               share_text(column.commonest[i].rows, report.summary.rows)});
  if (column.missing > 0)
    table.add({"(empty)", count_text(column.missing), share_text(column.missing, report.summary.rows)});
  if (shown > 0) text += table.text(style);
  if (shown > 0 && shown < column.distinct)
    text +=
        style.faint("... " + count_text(column.distinct - shown) + " more: --top " + std::to_string(column.distinct)) +
        "\n";
  return text;
}

void rare_labels(const ColumnSummary& column, std::uint64_t rows, std::vector<std::string>& warnings) {
  const auto rare = [&](const ValueCount& each) { return each.rows < (rows + kRareShare - 1) / kRareShare; };
  const auto first = std::find_if(column.commonest.begin(), column.commonest.end(), rare);
  const auto count = static_cast<std::size_t>(column.commonest.end() - first);
  if (count == 0) return;
  const ValueCount& rarest = column.commonest.back();
  const std::string share = counted(rarest.rows, "row") + " of " + count_text(rows);
  warnings.push_back(count == 1 ? "label " + in_quotes(rarest.value) + " is rare: " + share
                                : counted(count, "label") + " have less than 1 row in 100 each; the rarest, " +
                                      in_quotes(rarest.value) + ", has " + share);
}

void target_warnings(const ColumnSummary& column, std::uint64_t rows, std::vector<std::string>& warnings) {
  const std::string called = "the target " + in_quotes(column.name);
  if (column.missing > 0)
    warnings.push_back(called + " is empty in " + counted(column.missing, "row") + " of " + count_text(rows));
  if (column.distinct == 1)
    warnings.push_back(called + " has only one value, " + in_quotes(column.commonest.front().value) +
                       "; there is nothing to predict");
  if (column.kind == Kind::category && column.look == Look::key)
    warnings.push_back(called + " looks like a name or key: " + distinct_text(column) + " different in " +
                       counted(rows, "row"));
  // Without the rarest, the last one shown is not the rarest.
  else if (has_labels(column) && column.distinct > 1 && column.distinct == column.commonest.size())
    rare_labels(column, rows, warnings);
}

void values(JsonWriter& json, const ColumnSummary& column, std::size_t most, std::optional<std::uint64_t> rows) {
  json.key("levels").begin_array();
  for (std::size_t i = 0; i < std::min(most, column.commonest.size()); ++i) {
    const ValueCount& each = column.commonest[i];
    json.begin_object().key("level");
    if (column.kind == Kind::number) {
      json.value(parse_number(each.value).value);
    } else {
      json.value(each.value);
    }
    json.member("rows", each.rows);
    if (rows) json.member("share", static_cast<double>(each.rows) / static_cast<double>(*rows));
    json.end_object();
  }
  json.end_array();
}

void entries_object(JsonWriter& json, const ColumnSummary& column) {
  const EntriesSummary& entries = *column.entries;
  json.key("entries").begin_object().member("count", entries.count).member("zeros", entries.zeros);
  json.key("in_a_row").begin_object().member("min", entries.least).member("mean", entries.mean);
  json.member("max", entries.most).end_object();
  json.key("density");
  column.more ? json.null() : json.value(entries.density);
  json.key("in_one_row");
  column.more ? json.null() : json.value(entries.single);
  json.member("values", values_name(entries.values));
  json.member("min", entries.smallest).member("max", entries.largest).end_object();
}

void column_object(JsonWriter& json, const ColumnSummary& column, std::size_t top) {
  json.begin_object().member("name", column.name).member("kind", kind_name(column.kind));
  json.member("missing", column.missing).member("distinct", column.distinct).member("distinct_exact", !column.more);
  json.member("looks", look_name(column.look));
  if (column.kind == Kind::number) {
    for (const auto& [name, field] :
         {std::pair{"min", &ColumnSummary::Numbers::min}, std::pair{"mean", &ColumnSummary::Numbers::mean},
          std::pair{"max", &ColumnSummary::Numbers::max}}) {
      json.key(name);
      if (column.numbers) {
        json.value((*column.numbers).*field);
      } else {
        json.null();
      }
    }
    json.member("not_numbers", column.strays.rows);
  }
  if (column.entries) entries_object(json, column);
  values(json, column, top, std::nullopt);
  json.end_object();
}

}  // namespace

std::vector<std::string> warnings_of(const CheckReport& report) {
  const TableSummary& summary = report.summary;
  std::vector<std::string> warnings = report.left_out;
  const bool has_header = std::none_of(summary.columns.begin(), summary.columns.end(),
                                       [](const ColumnSummary& column) { return column.kind == Kind::sparse; });
  if (summary.rows == 0) warnings.push_back(has_header ? "there are no rows under the header" : "there are no rows");
  for (const ColumnSummary& column : summary.columns) {
    if (column.strays.rows == 0) continue;
    const std::string place = column.strays.place.text();
    warnings.push_back(
        (place.empty() ? "" : place + ": ") + "column " + in_quotes(column.name) + " holds " +
        in_quotes(column.strays.first) + ", which is not a number" +
        (column.strays.rows == 1 ? "" : ", and " + counted(column.strays.rows - 1, "further row") + " without one"));
  }
  if (report.target && summary.rows > 0) target_warnings(summary.columns[*report.target], summary.rows, warnings);
  return warnings;
}

std::string to_text(const CheckReport& report, const Style& style) {
  const TableSummary& summary = report.summary;
  std::string text = style.bold(escaped_for_terminal(report.source)) + ": " + counted(summary.rows, "row") + ", " +
                     counted(summary.columns.size(), "column") + ", ";
  text += !summary.duplicates       ? "too many rows to check for duplicates"
          : *summary.duplicates > 0 ? counted(*summary.duplicates, "duplicate row")
                                    : "no duplicate rows";
  text += "\n\n" + columns_text(report, style);
  for (const ColumnSummary& column : summary.columns)
    if (column.entries && column.entries->count > 0) text += "\n" + entries_text(column, report.top, style);
  if (report.target) text += "\n" + target_text(report, style);
  if (!report.next.empty()) text += "\n" + style.faint("next: " + escaped_for_terminal(report.next)) + "\n";
  return text;
}

std::string to_json(const CheckReport& report) {
  const TableSummary& summary = report.summary;
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("schema", 1).member("command", "check").member("rows", summary.rows).key("duplicates");
  if (summary.duplicates) {
    json.value(*summary.duplicates);
  } else {
    json.null();
  }
  json.key("columns").begin_array();
  for (const ColumnSummary& column : summary.columns) column_object(json, column, report.top);
  json.end_array();
  if (report.target) {
    const ColumnSummary& column = summary.columns[*report.target];
    json.key("target").begin_object().member("name", column.name).member("kind", kind_name(column.kind));
    values(json, column, column.commonest.size(), summary.rows);
    json.end_object();
  }
  report_detail::texts(json, "notes", report.notes);
  report_detail::texts(json, "warnings", warnings_of(report));
  return json.end_object().take();
}

}  // namespace plumb
