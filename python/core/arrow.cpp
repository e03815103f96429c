// Columns of an Arrow stream (__arrow_c_stream__: pyarrow, polars, DuckDB, pandas with pyarrow). The structs are those
// of the Arrow C data interface (arrow.apache.org/docs/format/CDataInterface.html). Doubles and floats of one chunk
// without nulls stay in place, and so do texts; whole numbers, decimals, truth values and dates are converted.
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <string_view>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "python/core/core.h"

extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace plumb::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct Held {
  T value{};
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
};

// One column of one chunk: rows `from` to `from + rows` of its buffers.
struct Chunk {
  const ArrowArray* array;
  std::size_t from, rows;

  template <class T>
  const T* values(std::size_t buffer = 1) const {
    return static_cast<const T*>(array->buffers[buffer]);
  }
  bool bit(std::size_t buffer, std::size_t i) const {
    return (values<std::uint8_t>(buffer)[(from + i) / 8] >> ((from + i) % 8) & 1) != 0;
  }
  bool has_nulls() const { return array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != nullptr; }
  bool missing(std::size_t i) const { return has_nulls() && !bit(0, i); }
};

class ColumnReader {
 public:
  ColumnReader(const ArrowSchema& schema, std::vector<Chunk> chunks, Owner arrays)
      : name_(schema.name == nullptr ? "" : schema.name),
        format_(schema.format),
        schema_(schema),
        chunks_(std::move(chunks)),
        arrays_(std::move(arrays)) {
    for (const Chunk& chunk : chunks_) rows_ += chunk.rows;
  }

  KeptColumn read() {
    if (schema_.dictionary != nullptr) return words([&](const Chunk& chunk) { read_dictionary(chunk); });
    if (format_ == "g") return floats<double>();
    if (format_ == "f") return floats<float>();
    if (format_ == "u") return words([&](const Chunk& chunk) { read_texts<std::int32_t>(chunk); });
    if (format_ == "U") return words([&](const Chunk& chunk) { read_texts<std::int64_t>(chunk); });
    if (format_ == "vu") return words([&](const Chunk& chunk) { read_views(chunk); });
    if (format_ == "b") return words([&](const Chunk& chunk) { read_truths(chunk); });
    if (format_.starts_with("td") || format_.starts_with("ts"))
      return words([&](const Chunk& chunk) { read_times(chunk); });
    auto values = std::make_shared<std::vector<double>>();
    values->reserve(rows_);
    for (const Chunk& chunk : chunks_) read_numbers(chunk, *values);
    return {{name_, std::span<const double>(*values)}, values};
  }

 private:
  template <class T>
  KeptColumn floats() {
    if (chunks_.size() == 1 && !chunks_.front().has_nulls()) {
      const Chunk& chunk = chunks_.front();
      return {{name_, std::span(chunk.values<T>() + chunk.from, chunk.rows)}, arrays_};
    }
    auto values = std::make_shared<std::vector<T>>();
    values->reserve(rows_);
    for (const Chunk& chunk : chunks_)
      for (std::size_t i = 0; i < chunk.rows; ++i)
        values->push_back(chunk.missing(i) ? static_cast<T>(kMissing) : chunk.values<T>()[chunk.from + i]);
    return {{name_, std::span<const T>(*values)}, values};
  }

  template <class Read>
  KeptColumn words(Read read) {
    views_->reserve(rows_);
    for (const Chunk& chunk : chunks_) read(chunk);
    return {{name_, std::span<const std::string_view>(*views_)}, keep_all({arrays_, views_, written_})};
  }

  template <class Offset>
  static std::string_view text_at(const Chunk& chunk, std::size_t i) {
    const Offset* const offsets = chunk.values<Offset>() + chunk.from;
    const auto begin = static_cast<std::size_t>(offsets[i]), end = static_cast<std::size_t>(offsets[i + 1]);
    return begin == end ? std::string_view() : std::string_view(chunk.values<char>(2) + begin, end - begin);
  }
  template <class Offset>
  void read_texts(const Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.rows; ++i)
      views_->push_back(chunk.missing(i) ? std::string_view() : text_at<Offset>(chunk, i));
  }

  // As files have them.
  void read_truths(const Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.rows; ++i)
      views_->push_back(chunk.missing(i) ? "" : chunk.bit(1, i) ? "True" : "False");
  }

  // 16 bytes each: the length, then the text if it has at most 12 bytes; otherwise 4 of its bytes, the number of a
  // buffer and the place there.
  static std::string_view view_at(const Chunk& chunk, std::size_t i) {
    const char* const view = chunk.values<char>() + 16 * (chunk.from + i);
    std::int32_t length = 0, buffer = 0, place = 0;
    std::memcpy(&length, view, 4);
    if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&place, view + 12, 4);
    return {chunk.values<char>(2 + static_cast<std::size_t>(buffer)) + place, static_cast<std::size_t>(length)};
  }
  void read_views(const Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.rows; ++i)
      views_->push_back(chunk.missing(i) ? std::string_view() : view_at(chunk, i));
  }

  // Levels by their codes. A chunk has a dictionary of its own.
  void read_dictionary(const Chunk& chunk) {
    const ArrowArray& values = *chunk.array->dictionary;
    const Chunk all{&values, static_cast<std::size_t>(values.offset), static_cast<std::size_t>(values.length)};
    ColumnReader reader(*schema_.dictionary, {all}, arrays_);
    const KeptColumn levels = reader.read();
    owners_->push_back(levels.owner);
    std::vector<std::string_view> level(all.rows);
    std::visit(
        [&]<class T>(std::span<const T> each) {
          for (std::size_t k = 0; k < all.rows; ++k) {
            if constexpr (std::is_floating_point_v<T>)
              level[k] = write(std::isnan(each[k]) ? "" : number_text(double{each[k]}));
            else
              level[k] = each[k];
          }
        },
        levels.column.values);
    for (std::size_t i = 0; i < chunk.rows; ++i) {
      const double code = chunk.missing(i) ? -1.0 : whole(chunk, format_, i);
      if (code >= static_cast<double>(level.size())) refuse("has a code without a value in its dictionary");
      views_->push_back(code < 0 ? std::string_view() : level[static_cast<std::size_t>(code)]);
    }
  }

  // Days since 1970, or seconds and parts of them, as dates are written.
  void read_times(const Chunk& chunk) {
    using namespace std::chrono;
    const bool days_alone = format_ == "tdD";
    const char unit = format_.size() > 2 ? format_[2] : 's';
    const std::int64_t per_second = unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1'000'000 : 1'000'000'000;
    for (std::size_t i = 0; i < chunk.rows; ++i) {
      if (chunk.missing(i)) {
        views_->push_back({});
        continue;
      }
      std::int64_t day = 0, rest = 0;
      if (days_alone) {
        day = chunk.values<std::int32_t>()[chunk.from + i];
      } else {
        const std::int64_t ticks = chunk.values<std::int64_t>()[chunk.from + i], per_day = 86'400 * per_second;
        day = ticks / per_day - (ticks % per_day < 0 ? 1 : 0);
        rest = ticks - day * per_day;
      }
      const year_month_day date{sys_days{days{day}}};
      char text[64];
      int size = std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                               static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
      if (rest != 0) {
        const std::int64_t second = rest / per_second;
        size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), " %02d:%02d:%02d.%09lld",
                              static_cast<int>(second / 3600), static_cast<int>(second / 60 % 60),
                              static_cast<int>(second % 60),
                              static_cast<long long>(rest % per_second * (1'000'000'000 / per_second)));
      }
      views_->push_back(write({text, static_cast<std::size_t>(size)}));
    }
  }

  void read_numbers(const Chunk& chunk, std::vector<double>& values) {
    if (format_ == "n") return values.insert(values.end(), chunk.rows, kMissing), void();
    for (std::size_t i = 0; i < chunk.rows; ++i) {
      if (chunk.missing(i))
        values.push_back(kMissing);
      else if (format_.starts_with("d:"))
        values.push_back(decimal(chunk, i));
      else
        values.push_back(whole(chunk, format_, i));
    }
  }

  double whole(const Chunk& chunk, const std::string& format, std::size_t i) const {
    const std::size_t row = chunk.from + i;
    if (format == "c") return chunk.values<std::int8_t>()[row];
    if (format == "C") return chunk.values<std::uint8_t>()[row];
    if (format == "s") return chunk.values<std::int16_t>()[row];
    if (format == "S") return chunk.values<std::uint16_t>()[row];
    if (format == "i") return chunk.values<std::int32_t>()[row];
    if (format == "I") return chunk.values<std::uint32_t>()[row];
    if (format == "l") return exact(chunk.values<std::int64_t>()[row], row);
    if (format == "L") return exact(chunk.values<std::uint64_t>()[row], row);
    refuse("has the Arrow type \"" + format + "\"; numbers, texts, booleans, dates or categories were expected");
  }

  template <class T>
  double exact(T value, std::size_t row) const {
    const auto number = static_cast<double>(value);
    if (std::abs(number) > 0x1p53)
      refuse("has the whole number " + std::to_string(value) + " in row " + count_text(row + 1) +
             ", which a double cannot hold; an identifier is a text");
    return number;
  }

  // d:precision,scale with 128 bits.
  double decimal(const Chunk& chunk, std::size_t i) const {
    const std::size_t comma = format_.find(',');
    int scale = 0;
    std::from_chars(format_.data() + comma + 1, format_.data() + format_.size(), scale);
    if (comma == std::string::npos || format_.find(',', comma + 1) != std::string::npos)
      refuse("has decimals of other than 128 bits");
    __int128 value = 0;
    std::memcpy(&value, chunk.values<char>() + 16 * (chunk.from + i), 16);
    // Through its digits, so that it is the double nearest to the decimal.
    const bool negative = value < 0;
    unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    while ((rest /= 10) != 0);
    const std::string text = (negative ? "-" : "") + digits + "e" + std::to_string(-scale);
    return parse_number(text).value;
  }

  // A text that the column keeps.
  std::string_view write(std::string text) { return written_->emplace_back(std::move(text)); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::data, "column " + in_quotes(name_) + " " + what);
  }

  std::string name_, format_;
  const ArrowSchema& schema_;
  std::vector<Chunk> chunks_;
  Owner arrays_;
  std::size_t rows_ = 0;
  std::shared_ptr<std::vector<std::string_view>> views_ = std::make_shared<std::vector<std::string_view>>();
  std::shared_ptr<std::deque<std::string>> written_ = std::make_shared<std::deque<std::string>>();
  std::shared_ptr<std::vector<Owner>> owners_ = std::make_shared<std::vector<Owner>>();
};

}  // namespace

std::vector<KeptColumn> arrow_columns(const nb::object& table) {
  const nb::object capsule = table.attr("__arrow_c_stream__")();
  auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  const auto expect = [&](int failed) {
    if (failed == 0) return;
    const char* const said = stream->get_last_error(stream);
    throw Error(ErrorCode::data,
                std::string("the Arrow stream ends with an error: ") + (said == nullptr ? "no reason given" : said));
  };
  Held<ArrowSchema> schema;
  expect(stream->get_schema(stream, &schema.value));
  if (std::string_view(schema.value.format) != "+s")
    throw Error(ErrorCode::data, "the Arrow stream has one column without a name; a table was expected");
  const auto arrays = std::make_shared<std::deque<Held<ArrowArray>>>();
  for (;;) {
    Held<ArrowArray>& array = arrays->emplace_back();
    expect(stream->get_next(stream, &array.value));
    if (array.value.release == nullptr) break;
  }
  arrays->pop_back();
  std::vector<KeptColumn> columns;
  for (std::int64_t c = 0; c < schema.value.n_children; ++c) {
    std::vector<Chunk> chunks;
    for (const Held<ArrowArray>& each : *arrays) {
      const ArrowArray& child = *each.value.children[c];
      // The rows of a struct array may begin further on than those of its children.
      if (each.value.length > 0)
        chunks.push_back({&child, static_cast<std::size_t>(child.offset + each.value.offset),
                          static_cast<std::size_t>(each.value.length)});
    }
    columns.push_back(ColumnReader(*schema.value.children[c], std::move(chunks), arrays).read());
  }
  return columns;
}

}  // namespace plumb::python
