#include <utility>

#include "plumb/base/error.h"
#include "plumb/data/jsonl.h"
#include "plumb/data/text_source.h"

namespace plumb {
namespace {

class JsonlSource final : public TextSource {
 public:
  JsonlSource(TextFiles files, const ReadOptions& options) : TextSource(std::move(files), options, line_ends()) {
    start_file();
    const std::string good = good_lines(sample(), [](std::string_view line) { keys_of_jsonl(line); });
    try {
      for (const JsonlKey& key : keys_of_jsonl(good, {{}, {}, missing()})) {
        const LinePlace& place = key.first_text_place;
        ColumnInfo column{key.name, key.guess.kind(key.name), key.first_text, {}};
        column.sampled = key.guess.sampled();
        if (!key.first_text.empty())
          column.first_text_place = {files_.file(), files_.lines() + place.line, place.column};
        keys_.push_back(key.name);
        columns_.push_back(std::move(column));
      }
    } catch (const TextFault& fault) {
      files_.fail(fault);
    }
    if (columns_.empty())
      throw Error(ErrorCode::data, {files_.file()}, "has no keys; an object with some in each line was expected",
                  "a line is like {\"height\": 1.47, \"city\": \"Rome\"}");
  }

  std::string_view form() const noexcept override { return "JSON lines"; }

 private:
  void start_file() override { start_text("JSON lines"); }

  Parsed parse(std::string_view text) const override {
    JsonlRows rows = parse_jsonl(text, {keys_, selected(), missing(), skip_bad_rows()});
    return {{.rows = rows.rows, .columns = std::move(rows.columns), .lines = std::move(rows.lines)},
            rows.lines_ended,
            std::move(rows.mended),
            std::move(rows.left_out)};
  }

  std::vector<std::string> keys_;
};

}  // namespace

std::unique_ptr<Source> open_jsonl(TextFiles files, const ReadOptions& options) {
  return std::make_unique<JsonlSource>(std::move(files), options);
}

}  // namespace plumb
