// The four ways of plumb convert from a source to an output: the input is columns or entries, the output is columns or
// features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/options.h"
#include "plumb/base/run.h"
#include "plumb/data/entry_names.h"
#include "plumb/data/source.h"
#include "plumb/data/sparse_writer.h"
#include "plumb/data/writer.h"
#include "plumb/feature/feature_options.h"
#include "plumb/feature/text_options.h"

namespace plumb::cli {

struct ConvertColumns {
  std::string target;
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<std::string> text;
  Missing missing = Missing::error;

  static OptionTable table() {
    using O = ConvertColumns;
    return {option("target", &O::target, "libsvm, vw: the column that is the label").value("COL").short_as('t'),
            option("drop", &O::drop, "columns to leave out").value("COL,..."),
            option("categorical", &O::categorical, "columns to read as categories").value("COL,..."),
            option("numeric", &O::numeric, "columns to read as numbers").value("COL,..."),
            option("text", &O::text, "libsvm, vw: columns to read as text, a feature for each word").value("COL,..."),
            option("missing", &O::missing, "libsvm, vw: what to do with missing numbers").value("WHAT")};
  }
};

// The result of a conversion, and its notes.
struct Converted {
  std::uint64_t rows = 0;
  std::size_t width = 0;                 // columns or features
  SparseFeatures features = {};          // for a format of features
  bool renamed = false;                  // the numbers of features carry information that is not in the rows
  std::vector<std::string> labels = {};  // the labels of 1, 2, ..., if labels are not numbers
  std::vector<std::string> warnings = {};
};

// Everything that a conversion uses.
struct Conversion {
  Source& source;
  const ConvertColumns& asked;
  const TextOptions& text;  // for a format of features
  const WriterEntry& format;
  OutputFile* output;  // null: everything except writing
  const Run& run;
};

// Reads the source to its end and writes its rows in the format.
Converted convert(const Conversion& work);

// The conversions from a column of entries, at this position.
Converted entries_to_columns(const Conversion& work, std::size_t entries);
Converted entries_to_features(const Conversion& work, std::size_t entries);

// The columns of the source by the options: their kinds, and which of them are dropped.
struct AskedColumns {
  std::vector<ColumnInfo> columns;
  std::vector<bool> dropped;
};
AskedColumns asked_columns(const Conversion& work);

// Writes `rows` rows in order, some blocks of them in parallel. append(out, begin, end) makes the text of a block.
template <class Append>
void write_rows(const Conversion& work, std::uint64_t rows, const Append& append,
                std::uint64_t block_rows = kBlockRows) {
  const std::uint64_t blocks = (rows + block_rows - 1) / block_rows;
  const std::uint64_t wave = 4 * work.run.executor.threads();  // so that not all of the text is in memory at once
  for (std::uint64_t first = 0; first < blocks; first += wave) {
    std::vector<std::string> texts(std::min(wave, blocks - first));
    work.run.executor.for_each(texts.size(), [&](std::size_t i) {
      append(texts[i], (first + i) * block_rows, std::min(rows, (first + i + 1) * block_rows));
    });
    if (work.output == nullptr) continue;
    for (const std::string& text : texts) work.output->write(text);
  }
}

}  // namespace plumb::cli
