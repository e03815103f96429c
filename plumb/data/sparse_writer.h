// A SparseWriter writes rows of features in a format without columns: a label and the non-zero features.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// The names of the features of the rows.
struct SparseFeatures {
  std::vector<std::string> names = {};
  std::vector<std::uint32_t> numbers = {};  // one for each name, all different: for formats without names
  bool as_written = false;                  // the names come from text of entries, so nothing in them needs encoding
};

// The fields before a row's features. A format leaves out those it has no place for.
struct RowHead {
  std::optional<double> label = {};
  std::optional<std::uint64_t> query = {};  // LIBSVM
  std::optional<double> importance = {};    // VW, after a label
  std::optional<double> base = {};          // VW, after an importance, by default 1
  std::string_view tag = {};                // VW
};

// const, so that blocks of rows may be written in parallel.
class SparseWriter {
 public:
  virtual ~SparseWriter() = default;
  // The indices of the row are positions among the features. Zeros are left out; numbers are in their shortest form.
  virtual void append(std::string& out, const RowHead& head, const Row& row) const = 0;
};

// `label [qid:N] index:value ...`, indices ascending. A row without a label gets 0, because the format has no such
// rows.
std::unique_ptr<SparseWriter> make_libsvm_writer(const SparseFeatures& features);

// `label [importance [base]] ['tag]| name:value ...`. A byte that ends a name there (blank, colon, bar, control) and
// "%" itself are written as % and two hexadecimal digits, so that names stay different.
std::unique_ptr<SparseWriter> make_vw_writer(const SparseFeatures& features);

}  // namespace plumb
