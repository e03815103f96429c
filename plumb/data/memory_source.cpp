#include "plumb/data/memory_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/date_text.h"
#include "plumb/data/entry_names.h"
#include "plumb/data/entry_sorter.h"
#include "plumb/data/kind_guess.h"
#include "plumb/data/name_codes.h"
#include "plumb/data/text_source.h"

namespace plumb {
namespace {
constexpr std::uint64_t kPieceRows = 65'536;
constexpr std::uint64_t kSampleRows = 4096;  // rows that decide the kind of a column of texts
constexpr const char* kMend = "correct the value, or leave out the row";

// Runs of that many numbers are short enough for the compiler to use its widest registers.
template <class T>
bool all_finite(const T* values, std::size_t size) noexcept {
  constexpr std::size_t kRun = 16;
  constexpr T kLargest = std::numeric_limits<T>::max();
  unsigned others = 0;
  std::size_t i = 0;
  for (; i + kRun <= size && others == 0; i += kRun)
    for (std::size_t k = 0; k < kRun; ++k) others += std::abs(values[i + k]) <= kLargest ? 0u : 1u;
  for (; i < size; ++i) others += std::abs(values[i]) <= kLargest ? 0u : 1u;
  return others == 0;
}

struct BorrowedTexts {
  std::span<const std::string_view> views;
  std::span<const std::string> strings;
  std::string_view operator[](std::uint64_t row) const {
    return views.empty() ? std::string_view(strings[row]) : views[row];
  }
};

struct MemoryField {
  bool is_text = false;
  Numbers numbers;
  BorrowedTexts texts;
};

// The rows of a piece: all from `begin` on, or those listed.
struct PieceOf {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> kept = {};  // empty if all are
  std::uint64_t row(std::uint64_t i) const { return kept.empty() ? begin + i : kept[i]; }
};

// The fault of the first row and there of the first column.
struct RowFault {
  std::uint64_t row = std::numeric_limits<std::uint64_t>::max();
  std::string message = {};
};

template <class T>
std::string_view raw_bytes(const T* values, std::size_t size) {
  return {reinterpret_cast<const char*>(values), size * sizeof(T)};
}

class MemorySource final : public Source {
 public:
  explicit MemorySource(MemoryRows rows) : given_(std::move(rows)) {
    if (const DenseRows* const dense = std::get_if<DenseRows>(&given_.values)) {
      std::visit([&](const auto* values) { add_dense(*dense, values); }, dense->values);
    } else if (const CsrRows* const csr = std::get_if<CsrRows>(&given_.values)) {
      add_csr(*csr);
    } else {
      const auto& columns = std::get<std::vector<MemoryColumn>>(given_.values);
      const MemoryColumn* const first = !columns.empty() ? &columns.front() : given_.target ? &*given_.target : nullptr;
      if (first != nullptr) rows_ = std::visit([](const auto& values) { return values.size(); }, first->values);
      for (const MemoryColumn& column : columns) add(column, "");
    }
    if (given_.target) add(*given_.target, "y");
    if (given_.weight) add(*given_.weight, "weight");
    if (columns_.empty()) refuse("the rows in memory have no columns");
    std::unordered_set<std::string_view> names;
    for (const ColumnInfo& column : columns_)
      if (!names.insert(column.name).second)
        throw Error(ErrorCode::data, {name_},
                    "two columns are called " + in_quotes(column.name) + "; every column needs a name of its own",
                    "rename one of them");
  }

  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return none_; }
  const Skipped& skipped() const noexcept override { return skipped_; }
  const std::vector<std::string>& na() const noexcept override { return none_; }
  std::string_view form() const noexcept override {
    constexpr std::string_view kForms[] = {"dense matrix", "sparse matrix", "named columns"};
    return kForms[given_.values.index()];
  }
  const std::string& name() const noexcept override { return name_; }
  std::string digest() const override;

  void select(std::vector<Selected> wanted) override {
    for (const Selected& each : wanted) {
      const ColumnInfo& column = columns_[each.column];
      if ((each.kind == Kind::sparse) != (column.kind == Kind::sparse))
        throw Error(ErrorCode::data, {name_},
                    "column " + in_quotes(column.name) + " is of kind " + kind_name(column.kind) + "; " +
                        kind_name(each.kind) + " was expected",
                    each.needed ? "give rows of the form that the model was trained on" : "leave out the column");
    }
    selected_ = std::move(wanted);
  }

  bool next(Table& piece, const Run& run) override {
    if (!selected_) {
      std::vector<Selected> every;
      for (std::size_t c = 0; c < columns_.size(); ++c) every.push_back({c, columns_[c].kind});
      select(std::move(every));
    }
    while (ready_.empty() && read_ < rows_) read_wave(run);
    if (ready_.empty()) return false;
    piece = std::move(ready_.front());
    ready_.pop_front();
    piece.first_row = std::exchange(handed_out_, handed_out_ + piece.rows);
    return true;
  }

 private:
  [[noreturn]] static void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

  static void expect_names(const std::vector<std::string>& names, std::uint64_t columns) {
    if (!names.empty() && names.size() != columns)
      refuse("the matrix has " + counted(columns, "column") + " and " + counted(names.size(), "name") +
             "; a name for each column, or none, was expected");
  }

  template <class T>
  std::shared_ptr<const T> lend(const T* first) const {
    return {given_.owner, first};
  }

  template <class T>
  void add_dense(const DenseRows& dense, const T* values) {
    rows_ = dense.rows;
    expect_names(dense.names, dense.columns);
    const std::uint64_t least = dense.row_major ? dense.columns : dense.rows;
    stride_ = dense.stride == 0 ? least : dense.stride;
    if (stride_ < least)
      refuse("the stride of the matrix is " + count_text(stride_) + "; at least " + count_text(least) +
             " was expected");
    if (values == nullptr && dense.rows * dense.columns > 0) refuse("the matrix has a size and no values");
    for (std::uint64_t c = 0; c < dense.columns; ++c) {
      const T* const first = values == nullptr ? nullptr : values + c * (dense.row_major ? 1 : stride_);
      fields_.push_back({false, Numbers(lend(first), dense.rows, dense.row_major ? stride_ : 1), {}});
      columns_.push_back({dense.names.empty() ? "x" + std::to_string(c + 1) : dense.names[c], Kind::number});
    }
  }

  void add_csr(const CsrRows& csr) {
    rows_ = csr.rows;
    expect_names(csr.names, csr.columns);
    if (csr.columns > kLargestFeatureNumber)
      refuse("the matrix has " + count_text(csr.columns) + " columns; at most " + count_text(kLargestFeatureNumber) +
             " were expected");
    const bool no_offsets = std::visit([](const auto* first) { return first == nullptr; }, csr.offsets);
    if (no_offsets && rows_ > 0) refuse("the sparse matrix has rows and no offsets");
    const bool entries =
        rows_ > 0 && std::visit([&](const auto* first) { return first[rows_] != first[0]; }, csr.offsets);
    if (entries && (std::visit([](const auto* first) { return first == nullptr; }, csr.indices) ||
                    std::visit([](const auto* first) { return first == nullptr; }, csr.values)))
      refuse("the sparse matrix has entries, by its offsets, and no indices or no values");
    fields_.emplace_back();
    columns_.push_back({"features", Kind::sparse});
  }

  void add(const MemoryColumn& column, const char* otherwise) {
    ColumnInfo info{column.name.empty() ? otherwise : column.name};
    MemoryField field;
    const auto take = [&]<class T>(std::span<const T> values) {
      if constexpr (std::is_same_v<T, std::string>)
        field.texts.strings = values;
      else if constexpr (std::is_same_v<T, std::string_view>)
        field.texts.views = values;
      else
        field.numbers = Numbers(lend(values.data()), values.size());
    };
    std::visit(take, column.values);
    field.is_text = column.values.index() >= 2;
    const std::uint64_t size = std::visit([](const auto& values) { return values.size(); }, column.values);
    if (size != rows_)
      refuse("column " + in_quotes(info.name) + " has " + counted(size, "value") + "; one for each of the " +
             counted(rows_, "row") + " was expected");
    if (field.is_text) {
      KindGuess guess;
      for (std::uint64_t row = 0; row < std::min(size, kSampleRows); ++row) guess.see_text(field.texts[row]);
      for (std::uint64_t row = 0; row < std::min(size, kSampleRows) && info.first_text.empty(); ++row)
        info.first_text = field.texts[row];
      info.kind = guess.kind(info.name);
    } else {  // few different numbers may be labels, as in a file
      const auto begin = field.numbers.begin(),
                 end = std::next(begin, static_cast<std::ptrdiff_t>(std::min(size, kSampleRows)));
      info.sampled = SampledNumbers::of(std::vector<double>(begin, end), kMostEntryLabels);
    }
    fields_.push_back(std::move(field));
    columns_.push_back(std::move(info));
  }

  void read_wave(const Run& run) {
    run.report(Phase::reading, read_, rows_);
    const CsrRows* const csr = std::get_if<CsrRows>(&given_.values);
    const std::uint64_t most = csr != nullptr && !csr->names.empty() ? rows_ : kPieceRows;  // every piece has the names
    const std::uint64_t pieces = std::min<std::uint64_t>(2 * run.executor.threads(), (rows_ - read_ + most - 1) / most);
    std::vector<Table> tables(pieces);
    std::vector<Skipped> dropped(pieces);
    run.executor.for_each(pieces, [&](std::size_t i) {
      const std::uint64_t begin = read_ + i * most;
      tables[i] = read({begin, std::min(most, rows_ - begin)}, dropped[i]);
    });
    read_ = std::min(rows_, read_ + pieces * most);
    for (std::size_t i = 0; i < pieces; ++i) {
      skipped_.with_missing += dropped[i].with_missing;
      skipped_.without_target += dropped[i].without_target;
      if (tables[i].rows > 0) ready_.push_back(std::move(tables[i]));
    }
  }

  Table read(PieceOf rows, Skipped& dropped) const {
    const bool finite = matrix_is_finite(rows);
    drop_missing(rows, finite, dropped);
    Table table{.rows = rows.count};
    for (std::uint64_t i = 0; i < rows.count; ++i)
      if (i == 0 || rows.row(i) != rows.row(i - 1) + 1) table.lines.push_back({i, rows.row(i) + 1});
    RowFault fault;
    for (const Selected& wanted : *selected_) {
      const MemoryField& field = fields_[wanted.column];
      if (wanted.kind == Kind::sparse)
        table.columns.push_back(entries(rows, fault));
      else if (field.is_text)
        table.columns.push_back(of_texts(wanted, field.texts, rows, fault));
      else
        table.columns.push_back(of_numbers(wanted, field.numbers, rows, finite && is_of_matrix(wanted), fault));
    }
    if (!fault.message.empty()) throw Error(ErrorCode::data, fault.message, kMend);
    extract_from(table, *selected_);
    return table;
  }

  // The columns of a matrix come first.
  bool is_of_matrix(const Selected& wanted) const {
    const DenseRows* const dense = std::get_if<DenseRows>(&given_.values);
    return dense != nullptr && wanted.column < dense->columns;
  }

  // Checks whole rows if they are contiguous; otherwise each column is checked by itself.
  bool matrix_is_finite(const PieceOf& rows) const {
    const DenseRows* const dense = std::get_if<DenseRows>(&given_.values);
    if (dense == nullptr || !dense->row_major) return false;
    return std::visit(
        [&](const auto* values) {
          if (stride_ == dense->columns) return all_finite(values + rows.begin * stride_, rows.count * stride_);
          for (std::uint64_t row = rows.begin; row < rows.begin + rows.count; ++row)
            if (!all_finite(values + row * stride_, dense->columns)) return false;
          return true;
        },
        dense->values);
  }

  static bool is_missing(std::string_view text, Kind kind) {
    return kind == Kind::category ? text.empty() : trimmed(text).empty();
  }

  void drop_missing(PieceOf& rows, bool finite, Skipped& dropped) const {
    enum : unsigned char { keep, with_missing, without_target };
    std::vector<unsigned char> drop;
    for (const Selected& wanted : *selected_) {
      const MemoryField& field = fields_[wanted.column];
      if (wanted.if_missing != IfMissing::drop_row || wanted.kind == Kind::text || wanted.kind == Kind::sparse)
        continue;
      if (finite && is_of_matrix(wanted)) continue;
      drop.resize(rows.count);
      const unsigned char why = wanted.role == Role::target ? without_target : with_missing;
      for (std::uint64_t i = 0; i < rows.count; ++i)
        if (field.is_text ? is_missing(field.texts[rows.row(i)], wanted.kind) : std::isnan(field.numbers[rows.row(i)]))
          drop[i] = std::max(drop[i], why);
    }
    dropped.with_missing = static_cast<std::uint64_t>(std::count(drop.begin(), drop.end(), with_missing));
    dropped.without_target = static_cast<std::uint64_t>(std::count(drop.begin(), drop.end(), without_target));
    if (dropped.with_missing + dropped.without_target == 0) return;
    for (std::uint64_t i = 0; i < rows.count; ++i)
      if (drop[i] == keep) rows.kept.push_back(rows.begin + i);
    rows.count = rows.kept.size();
  }

  void fail(RowFault& fault, std::uint64_t row, const Selected& wanted, const std::string& message) const {
    if (row >= fault.row) return;
    fault = {row, "row " + count_text(row + 1) + ": column " + in_quotes(columns_[wanted.column].name) + " " + message};
  }

  Column of_numbers(const Selected& wanted, const Numbers& numbers, const PieceOf& rows, bool finite,
                    RowFault& fault) const {
    Column column{.kind = wanted.kind};
    if (rows.kept.empty())
      column.numbers = numbers.part(rows.begin, rows.count);
    else
      for (const std::uint64_t row : rows.kept) column.numbers.push_back(numbers[row]);
    finite = finite || (column.numbers.data() != nullptr && all_finite(column.numbers.data(), rows.count));
    for (std::uint64_t i = 0; i < rows.count && !finite; ++i) {
      const double number = column.numbers[i];
      if (std::isfinite(number)) continue;
      if (std::isinf(number))
        fail(fault, rows.row(i), wanted, "is " + number_text(number) + " here; a finite number was expected");
      else if (wanted.if_missing == IfMissing::error && holds_numbers(wanted.kind))
        fail(fault, rows.row(i), wanted, "is missing here; a number was expected");
      ++column.missing;
    }
    return holds_numbers(wanted.kind) ? column : numbers_as(wanted.kind, column.numbers);
  }

  Column of_texts(const Selected& wanted, const BorrowedTexts& texts, const PieceOf& rows, RowFault& fault) const {
    Column column{.kind = wanted.kind};
    NameCodes codes;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      const std::string_view text = texts[rows.row(i)];
      if (holds_numbers(wanted.kind)) {
        column.numbers.push_back(number_in(wanted, text, rows.row(i), fault));
        column.missing += std::isnan(column.numbers.back()) ? 1 : 0;
        continue;
      }
      const std::size_t known = column.levels.size();
      if (wanted.kind == Kind::text)
        column.documents.add(text);
      else
        column.codes.push_back(codes.code(text, column.levels));
      if (wanted.kind == Kind::category && column.levels.size() == known) continue;
      if (!valid_utf8(text) || text.find('\0') != text.npos)
        fail(fault, rows.row(i), wanted, "holds " + in_quotes(text) + "; text in UTF-8 was expected");
    }
    return column;
  }

  double number_in(const Selected& wanted, std::string_view text, std::uint64_t row, RowFault& fault) const {
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    if (is_missing(text, wanted.kind)) {
      if (wanted.if_missing == IfMissing::error)
        fail(fault, row, wanted, "is missing here; a " + std::string(kind_name(wanted.kind)) + " was expected");
      return kMissing;
    }
    if (wanted.kind == Kind::date) {
      if (const std::optional<double> days = date_days(trimmed(text))) return *days;
      fail(fault, row, wanted, "holds " + in_quotes(text) + ", " + std::string(why_no_days(trimmed(text))));
      return kMissing;
    }
    const ParsedNumber number = parse_number(text);
    if (number.fault == NumberFault::none) return number.value;
    fail(fault, row, wanted, "holds " + in_quotes(text) + ", which " + std::string(describe(number.fault)));
    return kMissing;
  }

  Column entries(const PieceOf& rows, RowFault& fault) const {
    const CsrRows& csr = std::get<CsrRows>(given_.values);
    std::vector<std::uint64_t> begins, ends;  // of each row
    std::visit(
        [&](const auto* offsets) {
          for (std::uint64_t i = 0; i < rows.count; ++i) {
            const auto begin = offsets[rows.row(i)], end = offsets[rows.row(i) + 1];
            if (begin > end || std::cmp_less(begin, 0))
              throw Error(ErrorCode::data, "row " + count_text(rows.row(i) + 1) + ": its entries are " +
                                               std::to_string(begin) + " to " + std::to_string(end) +
                                               "; offsets that ascend from 0 were expected");
            begins.push_back(static_cast<std::uint64_t>(begin));
            ends.push_back(static_cast<std::uint64_t>(end));
          }
        },
        csr.offsets);
    Column column{.kind = Kind::sparse};
    column.entries.names = csr.names;
    column.entries.first = 1;
    std::visit([&](const auto* index,
                   const auto* value) { fill_entries(rows, begins, ends, index, value, column.entries, fault); },
               csr.indices, csr.values);
    return column;
  }

  template <class Index, class Value>
  void fill_entries(const PieceOf& rows, const std::vector<std::uint64_t>& begins,
                    const std::vector<std::uint64_t>& ends, const Index* index, const Value* value, Entries& out,
                    RowFault& fault) const {
    const std::uint64_t columns = std::get<CsrRows>(given_.values).columns;
    bool ascend = true;
    out.seen.least = std::numeric_limits<std::uint32_t>::max();
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      const auto fail = [&](std::uint64_t k, const std::string& message) {
        if (rows.row(i) < fault.row)
          fault = {rows.row(i),
                   "row " + count_text(rows.row(i) + 1) + ": entry " + count_text(k - begins[i] + 1) + " " + message};
      };
      for (std::uint64_t k = begins[i]; k < ends[i]; ++k) {
        if (std::cmp_less(index[k], 0) || std::cmp_greater_equal(index[k], columns))
          fail(k, "has the column index " + std::to_string(index[k]) + "; 0 or more and less than " +
                      count_text(columns) + " was expected");
        ascend = ascend && (k == begins[i] || index[k - 1] < index[k]);
        out.seen.least = std::min(out.seen.least, static_cast<std::uint32_t>(index[k]));
        out.seen.most = std::max(out.seen.most, static_cast<std::uint32_t>(index[k]));
      }
      if (!all_finite(value + begins[i], ends[i] - begins[i]))
        for (std::uint64_t k = begins[i]; k < ends[i]; ++k)
          if (!std::isfinite(value[k]))
            fail(k, "is " + number_text(double{value[k]}) + "; a finite number was expected");
      out.offsets.push_back(out.offsets.back() + (ends[i] - begins[i]));
    }
    if (!fault.message.empty() || rows.count == 0) return;
    const std::size_t size = out.offsets.back();
    if (ascend && rows.kept.empty()) {
      out.value = Values::of(Array(lend(value + begins.front()), size));
      if constexpr (std::is_same_v<Index, std::uint32_t>)
        out.index = Array(lend(index + begins.front()), size);
      else
        out.index = std::vector<std::uint32_t>(index + begins.front(), index + begins.front() + size);
    } else {
      EntrySorter sorter;
      for (std::uint64_t i = 0; i < rows.count; ++i) {
        const std::size_t from = out.index.size();
        for (std::uint64_t k = begins[i]; k < ends[i]; ++k) {
          out.index.push_back(static_cast<std::uint32_t>(index[k]));
          out.value.push(double{value[k]});
        }
        if (!ascend) sorter.sort_and_add(out, from);
        out.offsets[i + 1] = out.index.size();
      }
    }
    out.seen.entries = out.index.size();
  }

  MemoryRows given_;
  std::string name_ = "rows in memory";
  std::uint64_t rows_ = 0;
  std::uint64_t stride_ = 0;  // of the dense matrix
  std::vector<ColumnInfo> columns_;
  std::vector<MemoryField> fields_;  // of each column; that of a sparse matrix is empty
  std::vector<std::string> none_;
  std::optional<std::vector<Selected>> selected_;
  std::uint64_t read_ = 0;
  std::uint64_t handed_out_ = 0;
  std::deque<Table> ready_;
  Skipped skipped_;
};

// All rows: names, then the memory as it is.
std::string MemorySource::digest() const {
  Digest128 digest;
  const auto add_size = [&](std::uint64_t size) { digest.add(raw_bytes(&size, 1)); };
  const auto add_text = [&](std::string_view text) {
    add_size(text.size());
    digest.add(text);
  };
  add_size(rows_);
  for (const ColumnInfo& column : columns_) add_text(column.name);
  std::size_t c = 0;
  if (const DenseRows* const dense = std::get_if<DenseRows>(&given_.values)) {
    const std::uint64_t runs = dense->row_major ? dense->rows : dense->columns;
    const std::uint64_t size = dense->row_major ? dense->columns : dense->rows;
    std::visit(
        [&](const auto* values) {
          for (std::uint64_t run = 0; run < runs; ++run) digest.add(raw_bytes(values + run * stride_, size));
        },
        dense->values);
    c = dense->columns;
  } else if (const CsrRows* const csr = std::get_if<CsrRows>(&given_.values)) {
    for (const std::string& name : csr->names) add_text(name);
    if (rows_ > 0)
      std::visit(
          [&](const auto* offsets, const auto* index, const auto* value) {
            digest.add(raw_bytes(offsets, rows_ + 1));
            const auto size = static_cast<std::size_t>(offsets[rows_] - offsets[0]);
            digest.add(raw_bytes(index + offsets[0], size));
            digest.add(raw_bytes(value + offsets[0], size));
          },
          csr->offsets, csr->indices, csr->values);
    c = 1;
  }
  for (; c < fields_.size(); ++c) {
    const MemoryField& field = fields_[c];
    for (std::uint64_t row = 0; row < rows_ && field.is_text; ++row) add_text(field.texts[row]);
    for (const double number : field.numbers) digest.add(raw_bytes(&number, 1));
  }
  return digest.hex();
}

}  // namespace

std::unique_ptr<Source> open_memory(MemoryRows rows) { return std::make_unique<MemorySource>(std::move(rows)); }

}  // namespace plumb
