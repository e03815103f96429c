// The layout of a tensor file: the parts that reading and writing must agree on. Only tensor_file.cpp includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/model/tensor_file.h"

namespace plumb::tensor_layout {

constexpr std::size_t length_bytes = 8;  // the header's length, before it
constexpr std::size_t alignment = 8;     // of the data, and of the largest element
constexpr std::size_t most_header_bytes = 16u << 20;
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 40;
constexpr std::size_t most_tensors = 65'536;
constexpr std::size_t most_name_bytes = 1024;
constexpr std::size_t most_dimensions = 8;
constexpr std::size_t least_entry_bytes = 50;  // "a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}
constexpr std::string_view metadata_name = "__metadata__";

// Every header begins with this; then come the 16 digits of the digest.
constexpr std::string_view prefix = R"({"__metadata__":{"digest":")";
constexpr std::size_t digest_at = length_bytes + prefix.size();
constexpr std::size_t digest_bytes = 16;

const TensorType* type_called(std::string_view name) noexcept;  // nullptr if there is none

// In double quotes, for a message.
std::string quoted(std::string_view text);

// The fault of a tensor of that many bytes by itself: name, dimensions, and bytes against shape. Empty if it has none.
std::string fault_of(const Tensor& tensor, std::uint64_t bytes);

// Indices of the tensors, ascending by name.
std::vector<std::uint32_t> order_by_name(std::span<const Tensor> tensors);

// A tensor whose name occurs twice; nullptr if there is none.
const Tensor* name_twice(std::span<const Tensor> tensors, std::span<const std::uint32_t> by_name);

// One XXH3-64 per tensor, 16 digits each, separated by spaces.
std::string sums_of(std::span<const Tensor> tensors);

// The header with its padding. Tensors and sums are in file order; digest is the text to put in its place.
std::string header_text(std::string_view digest, std::string_view plumb_json, std::string_view sums,
                        std::span<const Tensor> tensors);

// The digest of a whole file: XXH3-64 with the 16 digits of the digest taken as '0'. The bytes are restored.
std::string digest_of_file(std::string& bytes);

}  // namespace plumb::tensor_layout
