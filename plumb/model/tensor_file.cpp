// A file is accepted only if its header is, byte for byte, the one that writing its content would give: there is one
// form, so nothing can hide in spaces, escapes or the order of keys. No check relies on a checksum, which may be
// forged.
#include "plumb/model/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "plumb/base/file.h"
#include "plumb/base/json_reader.h"
#include "plumb/base/utf8.h"
#include "plumb/model/tensor_layout.h"

namespace plumb {

using namespace tensor_layout;

static_assert(std::endian::native == std::endian::little, "tensors are used as they stand in the file");
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignment, "a string on the heap begins aligned");

std::string write_tensor_file(std::string_view plumb_json, std::span<const Tensor> tensors) {
  const auto require = [](bool holds, const std::string& message, const char* hint = "") {
    if (!holds) throw Error(ErrorCode::internal, "cannot write a model file: " + message, hint);
  };
  require(valid_utf8(plumb_json), "its description is not UTF-8");
  require(tensors.size() <= most_tensors, std::to_string(tensors.size()) + " tensors, expected at most 65536");
  for (const Tensor& tensor : tensors) {
    const std::string fault = fault_of(tensor, tensor.bytes.size());
    require(fault.empty(), fault);
  }
  require(name_twice(tensors, order_by_name(tensors)) == nullptr, "two tensors with one name");

  std::vector<Tensor> ordered(tensors.begin(), tensors.end());
  std::ranges::stable_sort(ordered, std::greater{}, [](const Tensor& tensor) { return size_of(tensor.type); });
  const std::string header = header_text(std::string(digest_bytes, '0'), plumb_json, sums_of(ordered), ordered);
  require(
      header.size() <= most_header_bytes,
      "a header of " + std::to_string(header.size()) + " bytes, expected at most " + std::to_string(most_header_bytes),
      "keep fewer columns: --features or --drop");

  std::size_t size = length_bytes + header.size();
  for (const Tensor& tensor : ordered) size += tensor.bytes.size();
  require(size <= most_file_bytes,
          std::to_string(size) + " bytes, expected at most " + std::to_string(most_file_bytes));
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

// Fills a TensorFile that contains only its place, and its bytes unless a reader provides them.
class TensorFile::Loader {
 public:
  explicit Loader(TensorFile& file, FileReader* reader = nullptr) : file_(file), reader_(reader) {
    if (reader == nullptr) {
      size_ = file.bytes_->size();
    } else if (reader->size_hint() != 0) {
      size_ = reader->size_hint();
    }
  }

  void load() {
    const std::uint64_t length = read_length();
    fetch(length_bytes + length);
    if (file_.bytes_->size() < length_bytes + length) refuse_length(length, file_.bytes_->size() - length_bytes);
    header_ = std::string_view(*file_.bytes_).substr(length_bytes, length);
    try {
      read_header();
    } catch (const JsonFault& fault) {
      refuse("header, " + fault.message());
    }
    read_data(length_bytes + length);
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
  [[noreturn]] void refuse_length(std::uint64_t length, std::uint64_t most) const {
    refuse("the header claims " + std::to_string(length) + " bytes, expected a multiple of 8 up to " +
           std::to_string(most));
  }

  // Loads the first `count` bytes, or all if there are fewer. If the size of the file is not known (a pipe), memory
  // grows with the bytes that arrive.
  void fetch(std::uint64_t count) {
    if (reader_ == nullptr) return;
    constexpr std::uint64_t least_room = 64u << 10;
    std::string& bytes = *file_.bytes_;
    while (bytes.size() < count) {
      const std::size_t before = bytes.size();
      const std::uint64_t room = size_ ? count : std::max<std::uint64_t>(before, least_room);
      bytes.resize(std::min(count, before + room));
      const std::size_t arrived = reader_->read(std::span(bytes).subspan(before));
      const bool ended = before + arrived < bytes.size();
      bytes.resize(before + arrived);
      if (ended) return;
    }
  }

  // The most that the file can contain after that many bytes.
  std::uint64_t most_after(std::uint64_t bytes) const {
    const std::uint64_t most = std::min(size_.value_or(most_file_bytes), most_file_bytes);
    return most - std::min(most, bytes);
  }

  std::uint64_t read_length() {
    fetch(digest_at + digest_bytes);
    const std::string_view bytes = *file_.bytes_;
    if (bytes.size() < digest_at + digest_bytes || bytes.substr(length_bytes, prefix.size()) != prefix) {
      throw Error(ErrorCode::model, file_.place_,
                  "is not a plumb model file, expected " + std::string(prefix) + "... at byte 8",
                  "plumb train DATA --target COLUMN -o FILE writes a model file");
    }
    std::uint64_t length;
    std::memcpy(&length, bytes.data(), length_bytes);
    const std::uint64_t most = std::min<std::uint64_t>(most_after(length_bytes), most_header_bytes);
    if (length > most || length % alignment != 0) refuse_length(length, most);
    return length;
  }

  // Only after the header has given the size. One byte more is read, to check that there is none.
  void read_data(std::uint64_t begin) {
    const std::uint64_t expected = ends_.empty() ? 0 : ends_.back();
    const auto check = [&](std::uint64_t found) {
      if (found != expected)
        refuse("holds " + std::to_string(found) + " bytes of data, expected " + std::to_string(expected));
    };
    if (size_) check(*size_ - std::min(*size_, begin));
    fetch(begin + expected + 1);
    check(file_.bytes_->size() - begin);
    header_ = std::string_view(*file_.bytes_).substr(length_bytes, begin - length_bytes);
    const auto data = std::as_bytes(std::span(*file_.bytes_)).subspan(begin);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      file_.tensors_[i].bytes = data.subspan(at, ends_[i] - at);
      at = ends_[i];
    }
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
    const std::size_t most = std::min(most_tensors, header_.size() / least_entry_bytes);
    tensors.reserve(most);
    ends_.reserve(most);
    std::string name;
    while (reader.next_key(name)) {
      if (tensors.size() == most_tensors) refuse("holds more than 65536 tensors, expected at most that many");
      Tensor tensor = read_tensor(reader, name);
      if (!tensors.empty() && size_of(tensor.type) > size_of(tensors.back().type)) {
        refuse("tensor " + quoted(name) + " has larger elements than the one before, expected none after smaller ones");
      }
      tensors.push_back(std::move(tensor));
    }
    file_.by_name_ = order_by_name(tensors);
    if (const Tensor* twice = name_twice(tensors, file_.by_name_)) {
      refuse("holds two tensors " + quoted(twice->name) + ", expected distinct names");
    }
  }

  // A tensor without its bytes; where they end is added to ends_.
  Tensor read_tensor(JsonReader& reader, const std::string& name) {
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
    const std::uint64_t expected_begin = ends_.empty() ? 0 : ends_.back();
    const std::uint64_t most = most_after(length_bytes + header_.size());
    if (begin != expected_begin || end < begin || end > most) {
      refuse("tensor " + quoted(name) + " lies at bytes " + std::to_string(begin) + " to " + std::to_string(end) +
             " of the data, expected it from " + std::to_string(expected_begin) + " and within " +
             std::to_string(most));
    }
    if (const std::string fault = fault_of(tensor, end - begin); !fault.empty()) refuse(fault);
    ends_.push_back(end);
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
  FileReader* reader_;                 // null: all bytes are loaded
  std::optional<std::uint64_t> size_;  // of the file, if known
  std::string_view header_;
  std::vector<std::uint64_t> ends_;  // of the tensors in the data
  std::string sums_;
};

TensorFile TensorFile::parse(std::string bytes, const Place& place) {
  TensorFile file;
  file.bytes_ = std::make_unique<std::string>(std::move(bytes));
  file.place_ = place;
  Loader(file).load();
  return file;
}

TensorFile TensorFile::load(const std::string& path) {
  FileReader reader(path, ErrorCode::model);
  TensorFile file;
  file.bytes_ = std::make_unique<std::string>();
  file.place_ = {.file = reader.name()};
  Loader(file, &reader).load();
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
