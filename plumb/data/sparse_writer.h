// A SparseWriter puts rows of features into the text of a format that has no columns, only a label and the features
// that are not zero.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// What the features of the rows are called.
struct SparseFeatures {
  std::vector<std::string> names = {};
  std::vector<std::uint32_t> numbers = {};  // one for each name, all different: for formats without names
  bool as_written = false;                  // the names are from text of entries, so nothing in them needs encoding
};

// What stands in front of a row's features. A format leaves out what it has no place for.
struct RowHead {
  std::optional<double> label = {};
  std::optional<std::uint64_t> query = {};  // LIBSVM
  std::optional<double> importance = {};    // VW, behind a label
  std::optional<double> base = {};          // VW, behind an importance, which is 1 where there is none
  std::string_view tag = {};                // VW
};

// const, so that blocks of rows may be written side by side.
class SparseWriter {
 public:
  virtual ~SparseWriter() = default;
  // The indices of the row are places among the features. Features that are zero are left out; numbers are in their
  // shortest form.
  virtual void append(std::string& out, const RowHead& head, const Row& row) const = 0;
};

// `label [qid:N] index:value ...`, indices ascending. A row without a label gets 0, because the format has no such
// rows.
std::unique_ptr<SparseWriter> make_libsvm_writer(const SparseFeatures& features);

// `label [importance [base]] ['tag]| name:value ...`. A byte that ends a name there (blank, colon, bar, control) and
// "%" itself are written as % and two hexadecimal digits, so that names stay different.
std::unique_ptr<SparseWriter> make_vw_writer(const SparseFeatures& features);

}  // namespace plumb
