// Data: rows to learn from or to predict, in files or in memory. A lazy handle: nothing is read until a call needs it,
// and each call reads in its own way (a fit by its own plan, a prediction by the model's).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plumb/data/memory_rows.h"
#include "plumb/data/read_options.h"
#include "plumb/feature/feature_options.h"
#include "plumb/feature/text_options.h"
#include "plumb/select/split_options.h"

namespace plumb {

class Source;
struct SavedModel;

// All data options of the command line, in the groups of its help.
struct DataOptions {
  std::string target = {};      // the column to predict
  FeatureOptions columns = {};  // which columns are features, and as what
  TextOptions text = {};        // how texts become features
  ClassOptions classes = {};    // which labels take part
  SplitOptions split = {};      // how rows are split
  ReadOptions reading = {};     // how files are read
  std::uint64_t rows = 0;       // use only the first N rows; 0: all
};

class Data {
 public:
  Data(std::vector<std::string> files, DataOptions options);
  Data(MemoryRows rows, DataOptions options);

  const DataOptions& options() const noexcept { return options_; }
  const std::vector<std::string>& files() const noexcept { return files_; }  // empty for rows in memory
  Data with(DataOptions options) const;                                      // the same rows with other options
  // Opens the data, for a model if one is given: values that were missing in training are missing again.
  std::unique_ptr<Source> open(const SavedModel* model = nullptr) const;

 private:
  std::vector<std::string> files_;
  std::shared_ptr<const MemoryRows> rows_;
  DataOptions options_;
};

// A file, or several that form one table: CSV, TSV, JSON lines, LIBSVM, VW text, folders of texts, compressed or not.
Data read(std::string file, DataOptions options = {});
Data read(std::vector<std::string> files, DataOptions options = {});

// Rows in memory. Nothing is copied: the numbers must stay in place while the data are used. The target, if there is
// one, is called "y"; the columns of a dense matrix x1, x2, ..., those of a sparse one f1, f2, ...
enum class Order { row_major, column_major };
Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, const double* target = nullptr,
           Order order = Order::row_major, DataOptions options = {});
Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, const std::vector<std::string>& labels,
           Order order = Order::row_major, DataOptions options = {});
Data dense(const double* values, std::uint64_t rows, std::uint64_t columns, std::vector<std::string>&& labels,
           Order order = Order::row_major, DataOptions options = {});  // which it keeps
// Row r has the values offsets[r] to offsets[r + 1], in the columns that `indices` gives, counted from 0.
Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, const double* target = nullptr, DataOptions options = {});
Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, const std::vector<std::string>& labels, DataOptions options = {});
Data csr(const double* values, const std::uint32_t* indices, const std::uint64_t* offsets, std::uint64_t rows,
         std::uint64_t columns, std::vector<std::string>&& labels, DataOptions options = {});  // which it keeps
// Columns by name: {"height", heights}, {"city", cities}; the target is one of them.
Data columns(std::vector<MemoryColumn> columns, DataOptions options = {});

}  // namespace plumb
