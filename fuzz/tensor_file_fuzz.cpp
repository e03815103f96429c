// Any bytes as a model file: as they are, with valid checksums (so that the checks of structure are reached), and as a
// recipe for a valid file. Accepted input must be exactly what writing its content gives.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/tensor_file_forgery.h"
#include "plumb/base/error.h"
#include "plumb/model/tensor_file.h"

namespace {

using namespace plumb;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const std::string& bytes) {
  try {
    const TensorFile file = TensorFile::parse(bytes, {.file = "fuzz"});
    require(write_tensor_file(file.plumb(), file.tensors()) == bytes);
    for (const Tensor& tensor : file.tensors()) {
      require(file.find(tensor.name) == &tensor);
      require(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % size_of(tensor.type) == 0);
    }
  } catch (const Error& error) {
    require(error.code() == ErrorCode::model && error.place().file == "fuzz" && !error.message().empty());
  }
}

// Two bytes make a tensor: its type, the length of its name, one dimension. A tensor that cannot be written must give
// an error.
void check_recipe(std::string_view recipe) {
  const std::string zeros(8 * 15, '\0');
  std::vector<Tensor> tensors;
  std::string plumb;
  while (recipe.size() >= 2) {
    const auto first = static_cast<unsigned char>(recipe[0]), second = static_cast<unsigned char>(recipe[1]);
    recipe.remove_prefix(2);
    Tensor tensor{.name = std::string(recipe.substr(0, first >> 3)), .type = TensorType{(first & 7) % 7}};
    recipe.remove_prefix(tensor.name.size());
    plumb += tensor.name;
    const std::size_t count = second & 15;
    if (second & 16) tensor.shape.push_back(1);
    tensor.shape.push_back(count);
    tensor.bytes = std::as_bytes(std::span(zeros)).first(count * size_of(tensor.type));
    tensors.push_back(tensor);
  }
  std::string bytes;
  try {
    bytes = write_tensor_file(plumb, tensors);
  } catch (const Error& error) {
    return require(error.code() == ErrorCode::internal);
  }
  const TensorFile file = TensorFile::parse(bytes, {});
  require(file.plumb() == plumb && file.tensors().size() == tensors.size());
  for (const Tensor& tensor : tensors) {
    const Tensor* found = file.find(tensor.name);
    require(found != nullptr && found->type == tensor.type && found->shape == tensor.shape);
    require(std::ranges::equal(found->bytes, tensor.bytes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(mended(bytes));
  check_recipe(bytes);
  return 0;
}
