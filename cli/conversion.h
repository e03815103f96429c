// The four ways from a source to an output that plumb convert knows: what is read is columns or entries, what is
// written is columns or features.
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

// What was written, and what there is to say about it.
struct Converted {
  std::uint64_t rows = 0;
  std::size_t width = 0;                 // columns or features
  SparseFeatures features = {};          // of a format of features
  bool renamed = false;                  // the numbers of features say something that is not in the rows
  std::vector<std::string> labels = {};  // what 1, 2, ... stand for, where labels are no numbers
  std::vector<std::string> warnings = {};
};

// All that a conversion works with.
struct Conversion {
  Source& source;
  const ConvertColumns& asked;
  const TextOptions& text;  // for a format of features
  const WriterEntry& format;
  OutputFile* output;  // null: everything is done but writing
  const Run& run;
};

// Reads the source to its end and writes its rows in the format.
Converted convert(const Conversion& work);

// The ways from a column of entries, which stands in this place.
Converted entries_to_columns(const Conversion& work, std::size_t entries);
Converted entries_to_features(const Conversion& work, std::size_t entries);

// The columns of the source by what the options say: their kinds, and which of them are dropped.
struct AskedColumns {
  std::vector<ColumnInfo> columns;
  std::vector<bool> dropped;
};
AskedColumns asked_columns(const Conversion& work);

// Writes `rows` rows in order, some blocks of them side by side. append(out, begin, end) makes the text of a block.
template <class Append>
void write_rows(const Conversion& work, std::uint64_t rows, const Append& append,
                std::uint64_t block_rows = kBlockRows) {
  const std::uint64_t blocks = (rows + block_rows - 1) / block_rows;
  const std::uint64_t wave = 4 * work.run.executor.threads();  // so that not all of the text is held at once
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
