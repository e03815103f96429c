#include <array>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/data/csv.h"
#include "plumb/data/source.h"

namespace plumb {

std::span<const SourceEntry> source_list() {
  static const std::array list = {
      SourceEntry{"csv", "comma-separated values (RFC 4180) with a header line", {".csv"}, open_csv},
  };
  return list;
}

std::unique_ptr<Source> open_source(std::vector<std::string> paths, const ReadOptions& options) {
  if (paths.empty())
    throw Error(ErrorCode::usage, "no data file is given; at least one was expected", "- reads standard input");
  return source_list().front().open(std::move(paths), options);
}

Tables read_all(Source& source, const Run& run) {
  Tables tables;
  Table piece;
  while (source.next(piece, run)) {
    tables.rows += piece.rows;
    tables.pieces.push_back(std::move(piece));
    piece = Table{};
  }
  return tables;
}

}  // namespace plumb
