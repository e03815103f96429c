#include "plumb/data/sparse_writer.h"

#include <string_view>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// Calls use(feature, value) for what is not zero.
template <class Use>
void for_each_entry(const Row& row, const Use& use) {
  for (std::size_t k = 0; k < row.value.size(); ++k)
    if (row.value[k] != 0) use(row.dense() ? k : row.index[k], row.value[k]);
}

class LibsvmWriter final : public SparseWriter {
 public:
  void append(std::string& out, double label, const Row& row) const override {
    append_number(out, label);
    for_each_entry(row, [&](std::size_t feature, double value) {
      out += ' ';
      out += std::to_string(feature + 1);
      out += ':';
      append_number(out, value);
    });
    out += '\n';
  }
};

class VwWriter final : public SparseWriter {
 public:
  explicit VwWriter(const std::vector<std::string>& names) {
    for (const std::string& name : names) names_.push_back(encoded(name));
  }

  void append(std::string& out, double label, const Row& row) const override {
    append_number(out, label);
    out += " |";
    for_each_entry(row, [&](std::size_t feature, double value) {
      out += names_[feature];
      out += ':';
      append_number(out, value);
    });
    out += '\n';
  }

 private:
  // With the blank in front.
  static std::string encoded(std::string_view name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text = " ";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte > ' ' && byte != 0x7F && c != ':' && c != '|' && c != '%') {
        text += c;
      } else {
        text += '%';
        text += digits[byte >> 4];
        text += digits[byte & 15];
      }
    }
    return text;
  }

  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<SparseWriter> make_libsvm_writer(const std::vector<std::string>&) {
  return std::make_unique<LibsvmWriter>();
}

std::unique_ptr<SparseWriter> make_vw_writer(const std::vector<std::string>& names) {
  return std::make_unique<VwWriter>(names);
}

}  // namespace plumb
