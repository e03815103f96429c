// The container of a model file: a valid safetensors file with checksums. It has names, types, shapes and bytes, and
// knows nothing of models. Every byte of the format is in docs/model_file.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

enum class TensorType { f64, f32, i64, i32, u64, u32, u8 };

std::size_t size_of(TensorType type) noexcept;       // bytes of one element
std::string_view name_of(TensorType type) noexcept;  // as safetensors writes it: "F64"

struct Tensor {
  std::string name;  // 1 to 1024 bytes of UTF-8, not "__metadata__"
  TensorType type = TensorType::f64;
  std::vector<std::uint64_t> shape = {};  // rows first; empty for one number
  std::span<const std::byte> bytes = {};  // little-endian elements in row order; not owned
};

// The bytes of a file; the same arguments give the same bytes. Tensors are laid out by element size, largest first,
// otherwise in the order given, so each is aligned without gaps. plumb_json is kept as it is and must be valid UTF-8.
// Throws Error(internal) if the arguments cannot make a file that TensorFile::parse accepts.
std::string write_tensor_file(std::string_view plumb_json, std::span<const Tensor> tensors);

// A file in memory, completely checked: after parse, its layout needs no further checks. Immutable, so threads may
// share it.
class TensorFile {
 public:
  // Checks everything before use. The data are not copied; memory beyond the bytes themselves is at most four times the
  // header and 1 MiB. Throws Error(model) with this place.
  static TensorFile parse(std::string bytes, const Place& place);
  // The same for a file, or for standard input ("-"). The header is checked before the data are read, so a file of
  // another kind or with false sizes is refused after its first bytes, however long it is.
  static TensorFile load(const std::string& path);

  // The text given to write_tensor_file: valid UTF-8, otherwise not checked.
  const std::string& plumb() const noexcept { return plumb_; }
  std::span<const Tensor> tensors() const noexcept { return tensors_; }  // in file order; views into this object
  const Tensor* find(std::string_view name) const noexcept;              // nullptr if there is none
  const Place& place() const noexcept { return place_; }

  // The elements of a tensor, aligned. Throw Error(model) if it is missing or of another type.
  std::span<const double> f64(std::string_view name) const { return elements<double>(name, TensorType::f64); }
  std::span<const float> f32(std::string_view name) const { return elements<float>(name, TensorType::f32); }
  std::span<const std::int64_t> i64(std::string_view name) const {
    return elements<std::int64_t>(name, TensorType::i64);
  }
  std::span<const std::int32_t> i32(std::string_view name) const {
    return elements<std::int32_t>(name, TensorType::i32);
  }
  std::span<const std::uint64_t> u64(std::string_view name) const {
    return elements<std::uint64_t>(name, TensorType::u64);
  }
  std::span<const std::uint32_t> u32(std::string_view name) const {
    return elements<std::uint32_t>(name, TensorType::u32);
  }
  std::span<const std::uint8_t> u8(std::string_view name) const { return elements<std::uint8_t>(name, TensorType::u8); }

 private:
  class Loader;
  TensorFile() = default;
  const Tensor& of_type(std::string_view name, TensorType type) const;

  template <class T>
  std::span<const T> elements(std::string_view name, TensorType type) const {
    const std::span<const std::byte> bytes = of_type(name, type).bytes;
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  std::unique_ptr<std::string> bytes_;  // on the heap, so that views survive a move of this object
  std::string plumb_;
  std::vector<Tensor> tensors_;
  std::vector<std::uint32_t> by_name_;  // indices of tensors_, ascending by name
  Place place_;
};

}  // namespace plumb
