// A file is accepted only if its header is, byte for byte, the one that writing its content would give: there is one
// form, so nothing can hide in spaces, escapes or the order of keys. No check relies on a checksum: it may be forged.
#include "plumb/model/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "plumb/base/json_reader.h"
#include "plumb/base/utf8.h"
#include "plumb/model/tensor_layout.h"

namespace plumb {

using namespace tensor_layout;

static_assert(std::endian::native == std::endian::little, "tensors are used as they stand in the file");
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignment, "a string on the heap begins aligned");

std::string write_tensor_file(std::string_view plumb_json, std::span<const Tensor> tensors) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorCode::internal, "cannot write a model file: " + message);
  };
  require(valid_utf8(plumb_json), "its description is not UTF-8");
  require(tensors.size() <= most_tensors, std::to_string(tensors.size()) + " tensors, expected at most 65536");
  for (const Tensor& tensor : tensors) {
    const std::string fault = fault_of(tensor);
    require(fault.empty(), fault);
  }
  require(name_twice(tensors, order_by_name(tensors)) == nullptr, "two tensors with one name");

  std::vector<Tensor> ordered(tensors.begin(), tensors.end());
  std::ranges::stable_sort(ordered, std::greater{}, [](const Tensor& tensor) { return size_of(tensor.type); });
  const std::string header = header_text(std::string(digest_bytes, '0'), plumb_json, sums_of(ordered), ordered);
  require(header.size() <= most_header_bytes, "a header of " + std::to_string(header.size()) +
                                                  " bytes, expected at most " + std::to_string(most_header_bytes));

  std::size_t size = length_bytes + header.size();
  for (const Tensor& tensor : ordered) size += tensor.bytes.size();
  const std::uint64_t length = header.size();
  std::string file;
  file.reserve(size);
  file.append(reinterpret_cast<const char*>(&length), length_bytes);
  file += header;
  for (const Tensor& tensor : ordered) {
    file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  file.replace(digest_at, digest_bytes, digest_of_file(file));
  return file;
}

// Fills a TensorFile that holds nothing but its bytes and place.
class TensorFile::Loader {
 public:
  explicit Loader(TensorFile& file) : file_(file) {}

  void load() {
    split();
    try {
      read_header();
    } catch (const JsonFault& fault) {
      refuse("header, " + fault.message());
    }
    check_sums();
    check_form();
    const std::string expected(header_.substr(prefix.size(), digest_bytes));
    const std::string found = digest_of_file(*file_.bytes_);
    if (found != expected) refuse("the file has the digest " + found + ", expected " + expected);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorCode::model, file_.place_, message,
                "the file is damaged: restore it from a copy, or write it again with plumb train");
  }

  void split() {
    const std::string_view bytes = *file_.bytes_;
    if (bytes.size() < digest_at + digest_bytes || bytes.substr(length_bytes, prefix.size()) != prefix) {
      throw Error(ErrorCode::model, file_.place_,
                  "holds " + std::to_string(bytes.size()) + " bytes that are not a plumb model file, expected " +
                      std::string(prefix) + "... at byte 8",
                  "plumb train DATA --target COLUMN -o FILE writes a model file");
    }
    std::uint64_t length;
    std::memcpy(&length, bytes.data(), length_bytes);
    const std::size_t most = std::min(bytes.size() - length_bytes, most_header_bytes);
    if (length > most || length % alignment != 0) {
      refuse("the header claims " + std::to_string(length) + " bytes, expected a multiple of 8 up to " +
             std::to_string(most));
    }
    header_ = bytes.substr(length_bytes, length);
    data_ = std::as_bytes(std::span(bytes)).subspan(length_bytes + length);
  }

  // {"__metadata__": {three strings}, NAME: {"dtype": TYPE, "shape": [...], "data_offsets": [begin, end]}, ...}
  void read_header() {
    JsonReader reader(header_, {.depth = 3, .values = 5 + most_tensors * (6 + most_dimensions)});
    reader.enter_object();
    expect_key(reader, metadata_name);
    reader.enter_object();
    expect_key(reader, "digest");
    reader.read_string();
    expect_key(reader, "plumb");
    file_.plumb_ = reader.read_string();
    expect_key(reader, "xxh3");
    sums_ = reader.read_string();
    expect_end(reader);
    read_tensors(reader);
    reader.finish();
  }

  void expect_key(JsonReader& reader, std::string_view expected) const {
    std::string found;
    if (!reader.next_key(found)) refuse("the header lacks a key, expected " + quoted(expected));
    if (found != expected) refuse("the header has the key " + quoted(found) + ", expected " + quoted(expected));
  }

  void expect_end(JsonReader& reader) const {
    std::string found;
    if (reader.next_key(found)) refuse("the header has the key " + quoted(found) + ", expected none there");
  }

  void read_tensors(JsonReader& reader) {
    std::vector<Tensor>& tensors = file_.tensors_;
    tensors.reserve(std::min(most_tensors, header_.size() / least_entry_bytes));
    std::uint64_t end = 0;
    std::string name;
    while (reader.next_key(name)) {
      if (tensors.size() == most_tensors) refuse("holds more than 65536 tensors, expected at most that many");
      Tensor tensor = read_tensor(reader, name, end);
      if (!tensors.empty() && size_of(tensor.type) > size_of(tensors.back().type)) {
        refuse("tensor " + quoted(name) + " has larger elements than the one before, expected none after smaller ones");
      }
      end += tensor.bytes.size();
      tensors.push_back(std::move(tensor));
    }
    if (end != data_.size()) {
      refuse("holds " + std::to_string(data_.size()) + " bytes of data, expected " + std::to_string(end));
    }
    file_.by_name_ = order_by_name(tensors);
    if (const Tensor* twice = name_twice(tensors, file_.by_name_)) {
      refuse("holds two tensors " + quoted(twice->name) + ", expected distinct names");
    }
  }

  Tensor read_tensor(JsonReader& reader, const std::string& name, std::uint64_t expected_begin) const {
    Tensor tensor;
    tensor.name = name;
    reader.enter_object();
    expect_key(reader, "dtype");
    const std::string type = reader.read_string();
    const TensorType* known = type_called(type);
    if (known == nullptr) {
      refuse("tensor " + quoted(name) + " has dtype " + quoted(type) + ", expected F64 F32 I64 I32 U64 U32 or U8");
    }
    tensor.type = *known;

    expect_key(reader, "shape");
    reader.enter_array();
    while (reader.next_item()) {
      if (tensor.shape.size() == most_dimensions) refuse("tensor " + quoted(name) + " has more than 8 dimensions");
      tensor.shape.push_back(reader.read_u64());
    }

    expect_key(reader, "data_offsets");
    reader.enter_array();
    std::array<std::uint64_t, 2> offsets{};
    for (std::uint64_t& offset : offsets) {
      if (!reader.next_item()) refuse("tensor " + quoted(name) + " has too few offsets, expected two");
      offset = reader.read_u64();
    }
    if (reader.next_item()) refuse("tensor " + quoted(name) + " has a third offset, expected two");
    expect_end(reader);

    const auto [begin, end] = offsets;
    if (begin != expected_begin || end < begin || end > data_.size()) {
      refuse("tensor " + quoted(name) + " lies at bytes " + std::to_string(begin) + " to " + std::to_string(end) +
             " of the data, expected it from " + std::to_string(expected_begin) + " and within " +
             std::to_string(data_.size()));
    }
    tensor.bytes = data_.subspan(begin, end - begin);
    if (const std::string fault = fault_of(tensor); !fault.empty()) refuse(fault);
    return tensor;
  }

  void check_sums() const {
    const std::string found = sums_of(file_.tensors_);
    if (found == sums_) return;
    const auto differ = std::ranges::mismatch(found, sums_).in1 - found.begin();
    const auto first = static_cast<std::size_t>(differ) / 17;  // 16 digits and a space each
    if (found.size() != sums_.size()) {
      refuse("\"xxh3\" has " + std::to_string(sums_.size()) + " characters, expected " + std::to_string(found.size()));
    }
    refuse("tensor " + quoted(file_.tensors_[first].name) + " has the checksum " + found.substr(17 * first, 16) +
           ", expected " + quoted(sums_.substr(17 * first, 16)));
  }

  void check_form() const {
    const std::string_view digest = header_.substr(prefix.size(), digest_bytes);
    const std::string expected = header_text(digest, file_.plumb_, sums_, file_.tensors_);
    if (header_ == expected) return;
    const auto differ = std::ranges::mismatch(header_, expected).in1 - header_.begin();
    refuse("the header is not in its only form: byte " + std::to_string(differ) + " differs");
  }

  TensorFile& file_;
  std::string_view header_;
  std::span<const std::byte> data_;
  std::string sums_;
};

TensorFile TensorFile::parse(std::string bytes, const Place& place) {
  TensorFile file;
  file.bytes_ = std::make_unique<std::string>(std::move(bytes));
  file.place_ = place;
  Loader(file).load();
  return file;
}

const Tensor* TensorFile::find(std::string_view name) const noexcept {
  const auto name_at = [&](std::uint32_t i) -> std::string_view { return tensors_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_at);
  return found != by_name_.end() && name_at(*found) == name ? &tensors_[*found] : nullptr;
}

const Tensor& TensorFile::of_type(std::string_view name, TensorType type) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) throw Error(ErrorCode::model, place_, "holds no tensor " + quoted(name) + ", expected one");
  if (tensor->type != type) {
    throw Error(ErrorCode::model, place_,
                "tensor " + quoted(name) + " is " + std::string(name_of(tensor->type)) + ", expected " +
                    std::string(name_of(type)));
  }
  return *tensor;
}

}  // namespace plumb
