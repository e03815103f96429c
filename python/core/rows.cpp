// Rows: data for the engine, from files or from arrays that stay where they are.
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "plumb/base/text.h"
#include "plumb/workflow/data.h"
#include "python/core/core.h"

namespace plumb::python {
namespace {

using Numbers1 = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
using Numbers2 = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

template <class T>
bool holds(const auto& array) {
  return array.dtype() == nb::dtype<T>();
}

template <class... T>
[[noreturn]] void refuse_type() {
  throw Error(ErrorCode::usage, "an array of another type was expected");
}

// The first of the types that the array has, as a pointer.
template <class Pointers, class T, class... Others>
Pointers pointer_to(const auto& array) {
  if (holds<T>(array)) return static_cast<const T*>(array.data());
  if constexpr (sizeof...(Others) > 0) return pointer_to<Pointers, Others...>(array);
  refuse_type<T>();
}

KeptColumn numbers(std::string name, const Numbers1& values, nb::object owner) {
  const auto pointer = pointer_to<std::variant<const double*, const float*>, double, float>(values);
  KeptColumn column{{std::move(name), {}}, keep(std::move(owner))};
  std::visit([&](const auto* first) { column.column.values = std::span(first, values.shape(0)); }, pointer);
  return column;
}

bool is_missing(nb::handle value) {
  if (value.is_none()) return true;
  if (PyFloat_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    return number != number;
  }
  const char* const type = nb::type_name(value.type()).c_str();
  return std::string_view(type).ends_with("NAType") || std::string_view(type).ends_with("NaTType");
}

// UTF-8 inside the str, which must be kept.
std::string_view view_of(nb::handle text, std::size_t row) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw Error(ErrorCode::data, "row " + count_text(row + 1) + ": the text is not valid Unicode",
                "replace lone surrogates: text.encode('utf-8', 'replace').decode()");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

// Texts stay inside their str objects; other values are written as str() has them, a missing value as an empty text.
KeptColumn texts(std::string name, const nb::list& values) {
  auto views = std::make_shared<std::vector<std::string_view>>();
  const std::size_t rows = nb::len(values);
  views->reserve(rows);
  nb::list kept;  // a list of one's own: the caller may change his
  for (std::size_t row = 0; row < rows; ++row) {
    nb::object value = values[row];
    if (PyBytes_Check(value.ptr()))
      throw Error(ErrorCode::data,
                  "row " + count_text(row + 1) + " of " + in_quotes(name) + " is bytes; a str was expected",
                  "decode it: value.decode('utf-8')");
    if (is_missing(value)) {
      views->push_back("");
      continue;
    }
    if (!PyUnicode_Check(value.ptr())) value = nb::str(value);
    views->push_back(view_of(value, row));
    kept.append(value);
  }
  KeptColumn column{{std::move(name), std::span<const std::string_view>(*views)}, {}};
  column.owner = keep_all({views, keep(std::move(kept))});
  return column;
}

// A text for each code; a code below 0 is a missing value.
KeptColumn coded(std::string name,
                 const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>& codes,
                 const nb::list& levels) {
  KeptColumn words = texts(name, levels);
  const auto level = std::get<std::span<const std::string_view>>(words.column.values);
  auto views = std::make_shared<std::vector<std::string_view>>(codes.shape(0));
  for (std::size_t row = 0; row < views->size(); ++row) {
    const std::int64_t code = codes.data()[row];
    if (code >= static_cast<std::int64_t>(level.size()))
      throw Error(ErrorCode::data,
                  "row " + count_text(row + 1) + " of " + in_quotes(name) + " has a code without a category");
    if (code >= 0) (*views)[row] = level[static_cast<std::size_t>(code)];
  }
  KeptColumn column{{std::move(name), std::span<const std::string_view>(*views)}, {}};
  column.owner = keep_all({views, words.owner});
  return column;
}

Data in_memory(MemoryRows rows, std::vector<Owner> owners, const std::optional<KeptColumn>& target,
               const std::optional<KeptColumn>& weight) {
  for (const auto& [from, to] : {std::pair(&target, &rows.target), std::pair(&weight, &rows.weight)})
    if (*from) {
      *to = (*from)->column;
      owners.push_back((*from)->owner);
    }
  rows.owner = keep_all(std::move(owners));
  return {std::move(rows), {}};
}

// A matrix whose rows or columns are contiguous.
Data dense(const Numbers2& values, nb::object owner, std::vector<std::string> names,
           const std::optional<KeptColumn>& target, const std::optional<KeptColumn>& weight) {
  DenseRows rows;
  rows.values = pointer_to<std::variant<const double*, const float*>, double, float>(values);
  rows.rows = values.shape(0);
  rows.columns = values.shape(1);
  rows.row_major = values.stride(1) == 1 || values.shape(1) == 1;
  rows.stride = static_cast<std::uint64_t>(rows.row_major ? values.stride(0) : values.stride(1));
  if (rows.rows <= 1 && rows.row_major) rows.stride = 0;
  rows.names = std::move(names);
  MemoryRows memory;
  memory.values = std::move(rows);
  return in_memory(std::move(memory), {keep(std::move(owner))}, target, weight);
}

Data csr(const Numbers1& values, const Numbers1& indices, const Numbers1& offsets, std::uint64_t columns,
         nb::object owner, std::vector<std::string> names, const std::optional<KeptColumn>& target,
         const std::optional<KeptColumn>& weight) {
  CsrRows rows;
  rows.values = pointer_to<decltype(rows.values), double, float>(values);
  rows.indices = pointer_to<decltype(rows.indices), std::int32_t, std::int64_t, std::uint32_t>(indices);
  rows.offsets = pointer_to<decltype(rows.offsets), std::int32_t, std::int64_t, std::uint64_t>(offsets);
  rows.rows = offsets.shape(0) - 1;
  rows.columns = columns;
  rows.names = std::move(names);
  MemoryRows memory;
  memory.values = std::move(rows);
  return in_memory(std::move(memory), {keep(std::move(owner))}, target, weight);
}

Data of_columns(const std::vector<KeptColumn>& columns, const std::optional<KeptColumn>& target,
                const std::optional<KeptColumn>& weight) {
  std::vector<MemoryColumn> all;
  std::vector<Owner> owners;
  for (const KeptColumn& each : columns) {
    all.push_back(each.column);
    owners.push_back(each.owner);
  }
  MemoryRows memory;
  memory.values = std::move(all);
  return in_memory(std::move(memory), std::move(owners), target, weight);
}

// Where its numbers are, for tests of what is borrowed; 0 for texts.
std::uintptr_t address(const KeptColumn& column) {
  return std::visit(
      []<class T>(std::span<const T> values) {
        return std::is_floating_point_v<T> ? reinterpret_cast<std::uintptr_t>(values.data()) : std::uintptr_t{0};
      },
      column.column.values);
}

std::size_t length(const KeptColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.column.values);
}

}  // namespace

void add_rows(nb::module_& module) {
  nb::class_<KeptColumn>(module, "Column")
      .def_prop_ro("name", [](const KeptColumn& column) { return column.column.name; })
      .def_prop_ro("address", &address)
      .def_prop_ro("is_text", [](const KeptColumn& column) { return column.column.values.index() >= 2; })
      .def("__len__", &length);
  nb::class_<Data>(module, "Rows");
  module.def("numbers", &numbers, nb::arg("name"), nb::arg("values").noconvert(), nb::arg("owner"));
  module.def("texts", &texts, nb::arg("name"), nb::arg("values"));
  module.def("coded", &coded, nb::arg("name"), nb::arg("codes").noconvert(), nb::arg("levels"));
  module.def("arrow_columns", &arrow_columns, nb::arg("table"));
  module.def(
      "files", [](std::vector<std::string> paths) { return Data(std::move(paths), {}); }, nb::arg("paths"));
  module.def("dense", &dense, nb::arg("values").noconvert(), nb::arg("owner"), nb::arg("names"),
             nb::arg("target") = nb::none(), nb::arg("weight") = nb::none());
  module.def("csr", &csr, nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
             nb::arg("columns"), nb::arg("owner"), nb::arg("names"), nb::arg("target") = nb::none(),
             nb::arg("weight") = nb::none());
  module.def("columns", &of_columns, nb::arg("columns"), nb::arg("target") = nb::none(),
             nb::arg("weight") = nb::none());
}

}  // namespace plumb::python
