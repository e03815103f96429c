#include "plumb/data/sparse_writer.h"

#include <algorithm>
#include <utility>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// Calls use(feature, value) for non-zero values.
template <class Use>
void for_each_entry(const Row& row, const Use& use) {
  for (std::size_t k = 0; k < row.value.size(); ++k)
    if (row.value[k] != 0) use(row.dense() ? k : row.index[k], row.value[k]);
}

class LibsvmWriter final : public SparseWriter {
 public:
  explicit LibsvmWriter(std::vector<std::uint32_t> numbers)
      : numbers_(std::move(numbers)), ascending_(std::is_sorted(numbers_.begin(), numbers_.end())) {}

  void append(std::string& out, const RowHead& head, const Row& row) const override {
    append_number(out, head.label.value_or(0.0));
    if (head.query) out += " qid:" + std::to_string(*head.query);
    if (ascending_) {
      for_each_entry(row, [&](std::size_t feature, double value) { append_entry(out, numbers_[feature], value); });
    } else {
      std::vector<std::pair<std::uint32_t, double>> entries;
      for_each_entry(row, [&](std::size_t feature, double value) { entries.emplace_back(numbers_[feature], value); });
      std::sort(entries.begin(), entries.end());
      for (const auto& [number, value] : entries) append_entry(out, number, value);
    }
    out += '\n';
  }

 private:
  static void append_entry(std::string& out, std::uint32_t number, double value) {
    out += ' ';
    out += std::to_string(number);
    out += ':';
    append_number(out, value);
  }

  std::vector<std::uint32_t> numbers_;
  bool ascending_;
};

class VwWriter final : public SparseWriter {
 public:
  explicit VwWriter(const SparseFeatures& features) {
    for (const std::string& name : features.names) names_.push_back(features.as_written ? " " + name : encoded(name));
  }

  void append(std::string& out, const RowHead& head, const Row& row) const override {
    if (head.label) {
      append_word(out, *head.label);
      if (head.importance || head.base) append_word(out, head.importance.value_or(1.0));
      if (head.base) append_word(out, *head.base);
    }
    if (!head.tag.empty()) {
      out += '\'';
      out += head.tag;
    }
    out += '|';
    for_each_entry(row, [&](std::size_t feature, double value) {
      out += names_[feature];
      out += ':';
      append_number(out, value);
    });
    out += '\n';
  }

 private:
  static void append_word(std::string& out, double number) {
    append_number(out, number);
    out += ' ';
  }

  // Including the blank before it.
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

std::unique_ptr<SparseWriter> make_libsvm_writer(const SparseFeatures& features) {
  return std::make_unique<LibsvmWriter>(features.numbers);
}

std::unique_ptr<SparseWriter> make_vw_writer(const SparseFeatures& features) {
  return std::make_unique<VwWriter>(features);
}

}  // namespace plumb
