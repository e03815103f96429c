#include "plumb/model/tensor_layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "plumb/base/digest.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

struct TypeEntry {
  TensorType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeEntry, 7> type_list = {{{TensorType::f64, "F64", 8},
                                                 {TensorType::f32, "F32", 4},
                                                 {TensorType::i64, "I64", 8},
                                                 {TensorType::i32, "I32", 4},
                                                 {TensorType::u64, "U64", 8},
                                                 {TensorType::u32, "U32", 4},
                                                 {TensorType::u8, "U8", 1}}};

const TypeEntry& entry_of(TensorType type) noexcept { return type_list[static_cast<std::size_t>(type)]; }

// The bytes of a shape, if 64 bits can count them. Zeros count as ones here, so that no order of the dimensions hides
// an overflow behind an empty tensor.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, TensorType type) noexcept {
  std::uint64_t bytes = size_of(type);
  bool empty = false;
  for (const std::uint64_t size : shape) {
    empty |= size == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::uint64_t>(size, 1), &bytes)) return std::nullopt;
  }
  return empty ? 0 : bytes;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t size : shape) text += (text.size() > 1 ? "," : "") + std::to_string(size);
  return text + "]";
}

}  // namespace

std::size_t size_of(TensorType type) noexcept { return entry_of(type).bytes; }

std::string_view name_of(TensorType type) noexcept { return entry_of(type).name; }

namespace tensor_layout {

const TensorType* type_called(std::string_view name) noexcept {
  const auto found = std::ranges::find(type_list, name, &TypeEntry::name);
  return found == type_list.end() ? nullptr : &found->type;
}

std::string quoted(std::string_view text) { return "\"" + escaped_for_terminal(text) + "\""; }

std::string fault_of(const Tensor& tensor, std::uint64_t bytes) {
  if (tensor.name.empty() || tensor.name.size() > most_name_bytes) {
    return "a tensor has a name of " + std::to_string(tensor.name.size()) + " bytes, expected 1 to " +
           std::to_string(most_name_bytes);
  }
  if (tensor.name == metadata_name || !valid_utf8(tensor.name)) {
    return "a tensor is called " + quoted(tensor.name) + ", expected another name in UTF-8";
  }
  if (tensor.shape.size() > most_dimensions) {
    return "tensor " + quoted(tensor.name) + " has " + std::to_string(tensor.shape.size()) +
           " dimensions, expected at most " + std::to_string(most_dimensions);
  }
  const std::optional<std::uint64_t> needed = bytes_of(tensor.shape, tensor.type);
  if (needed == bytes) return {};
  return "tensor " + quoted(tensor.name) + " holds " + std::to_string(bytes) + " bytes, expected " +
         (needed ? std::to_string(*needed) : "more than 64 bits can count") + " for " +
         std::string(name_of(tensor.type)) + " of shape " + shape_text(tensor.shape);
}

std::vector<std::uint32_t> order_by_name(std::span<const Tensor> tensors) {
  std::vector<std::uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) -> const std::string& { return tensors[i].name; });
  return order;
}

const Tensor* name_twice(std::span<const Tensor> tensors, std::span<const std::uint32_t> by_name) {
  const auto name = [&](std::uint32_t i) -> const std::string& { return tensors[i].name; };
  const auto found = std::ranges::adjacent_find(by_name, {}, name);
  return found == by_name.end() ? nullptr : &tensors[*found];
}

std::string sums_of(std::span<const Tensor> tensors) {
  std::string sums;
  sums.reserve(17 * tensors.size());
  for (const Tensor& tensor : tensors) {
    if (!sums.empty()) sums += ' ';
    sums += hex16(digest64(tensor.bytes));
  }
  return sums;
}

std::string header_text(std::string_view digest, std::string_view plumb_json, std::string_view sums,
                        std::span<const Tensor> tensors) {
  constexpr std::size_t usual_entry_bytes = 80;
  std::string text(prefix);
  text.reserve(plumb_json.size() + sums.size() + usual_entry_bytes * (1 + tensors.size()));
  text += digest;
  text += R"(","plumb":)";
  append_json_string(text, plumb_json);
  text += R"(,"xxh3":)";
  append_json_string(text, sums);
  text += '}';
  std::uint64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    const std::uint64_t end = begin + tensor.bytes.size();
    text += ',';
    append_json_string(text, tensor.name);
    text += R"(:{"dtype":")";
    text += name_of(tensor.type);
    text += R"(","shape":)" + shape_text(tensor.shape) + R"(,"data_offsets":[)" + std::to_string(begin) + "," +
            std::to_string(end) + "]}";
    begin = end;
  }
  text += '}';
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  return text;
}

std::string digest_of_file(std::string& bytes) {
  const std::string kept = bytes.substr(digest_at, digest_bytes);
  bytes.replace(digest_at, digest_bytes, digest_bytes, '0');
  std::string digest = hex16(digest64(bytes));
  bytes.replace(digest_at, digest_bytes, kept);
  return digest;
}

}  // namespace tensor_layout
}  // namespace plumb
