#include "plumb/workflow/data.h"

#include <utility>

#include "plumb/data/first_rows.h"
#include "plumb/data/memory_source.h"
#include "plumb/data/source.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

MemoryColumn numbers(const double* values, std::uint64_t rows) { return {.values = std::span(values, rows)}; }

Data in_memory(std::variant<DenseRows, CsrRows, std::vector<MemoryColumn>> values, std::optional<MemoryColumn> target,
               DataOptions options, std::shared_ptr<const void> owner = {}) {
  MemoryRows rows;
  rows.owner = std::move(owner);
  rows.values = std::move(values);
  rows.target = std::move(target);
  return Data(std::move(rows), std::move(options));
}

}  // namespace

Data::Data(std::vector<std::string> files, DataOptions options)
    : files_(std::move(files)), options_(std::move(options)) {}

Data::Data(MemoryRows rows, DataOptions options)
    : rows_(std::make_shared<const MemoryRows>(std::move(rows))), options_(std::move(options)) {
  const auto name_of = [](const std::optional<MemoryColumn>& column, const char* otherwise, std::string& option) {
    if (column && option.empty()) option = column->name.empty() ? otherwise : column->name;
  };
  name_of(rows_->target, "y", options_.target);
  name_of(rows_->weight, "weight", options_.columns.weight);
}

std::unique_ptr<Source> Data::open(const SavedModel* model) const {
  std::unique_ptr<Source> source = rows_              ? open_memory(*rows_)
                                   : model != nullptr ? open_for(*model, files_, options_.reading)
                                                      : open_source(files_, options_.reading);
  return options_.rows > 0 ? first_rows(std::move(source), options_.rows) : std::move(source);
}

Data Data::with(DataOptions options) const {
  Data other = *this;
  other.options_ = std::move(options);
  return other;
}

Data read(std::string file, DataOptions options) { return Data({std::move(file)}, std::move(options)); }
Data read(std::vector<std::string> files, DataOptions options) { return Data(std::move(files), std::move(options)); }

Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, const double* target, Order order,
           DataOptions options) {
  return in_memory(DenseRows{values, rows, columns, order == Order::row_major},
                   target == nullptr ? std::nullopt : std::optional(numbers(target, rows)), std::move(options));
}

Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, const std::vector<std::string>& labels,
           Order order, DataOptions options) {
  return in_memory(DenseRows{values, rows, columns, order == Order::row_major},
                   MemoryColumn{.values = std::span(labels)}, std::move(options));
}

Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, std::vector<std::string>&& labels,
           Order order, DataOptions options) {
  const auto kept = std::make_shared<const std::vector<std::string>>(std::move(labels));
  return in_memory(DenseRows{values, rows, columns, order == Order::row_major},
                   MemoryColumn{.values = std::span(*kept)}, std::move(options), kept);
}

Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, const double* target, DataOptions options) {
  return in_memory(CsrRows{values, indices, offsets, rows, columns},
                   target == nullptr ? std::nullopt : std::optional(numbers(target, rows)), std::move(options));
}

Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, const std::vector<std::string>& labels, DataOptions options) {
  return in_memory(CsrRows{values, indices, offsets, rows, columns}, MemoryColumn{.values = std::span(labels)},
                   std::move(options));
}

Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, std::vector<std::string>&& labels, DataOptions options) {
  const auto kept = std::make_shared<const std::vector<std::string>>(std::move(labels));
  return in_memory(CsrRows{values, indices, offsets, rows, columns}, MemoryColumn{.values = std::span(*kept)},
                   std::move(options), kept);
}

Data columns(std::vector<MemoryColumn> columns, DataOptions options) {
  return in_memory(std::move(columns), std::nullopt, std::move(options));
}

}  // namespace plumb
