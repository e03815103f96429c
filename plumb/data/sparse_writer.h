// A SparseWriter puts rows of features into the text of a format that has no columns, only a label and the features
// that are not zero.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// const, so that blocks of rows may be written side by side.
class SparseWriter {
 public:
  virtual ~SparseWriter() = default;
  // Features that are zero are left out; numbers are in their shortest form.
  virtual void append(std::string& out, double label, const Row& row) const = 0;
};

// `label index:value ...`; indices begin with 1.
std::unique_ptr<SparseWriter> make_libsvm_writer(const std::vector<std::string>& names);

// `label | name:value ...`. A byte that ends a name there (blank, colon, bar, control) and "%" itself are written as %
// and two hexadecimal digits, so that names stay different.
std::unique_ptr<SparseWriter> make_vw_writer(const std::vector<std::string>& names);

}  // namespace plumb
