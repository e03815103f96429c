#include <utility>

#include "plumb/data/libsvm.h"
#include "plumb/data/text_source.h"

namespace plumb {
namespace {

class LibsvmSource final : public TextSource {
 public:
  LibsvmSource(TextFiles files, const ReadOptions& options) : TextSource(std::move(files), options, line_ends()) {
    start_file();
    const std::string_view first = sample();
    const LibsvmGuess guess =
        skip_bad_rows() ? guess_libsvm(good_lines(
                              first, [](std::string_view line) { parse_libsvm(line, guess_libsvm(line).form); }))
                        : guess_libsvm(first);
    note_marks(options);
    query_ = guess.form.query;
    const LinePlace& place = guess.first_word_place;
    ColumnInfo label{"label", *guess.form.label, guess.first_word, {}};
    if (!guess.first_word.empty()) label.first_text_place = {files_.file(), files_.lines() + place.line, place.column};
    if (label.kind == Kind::number) label.sampled = sampled_labels(first);
    columns_.push_back(std::move(label));
    if (query_) columns_.push_back({"qid", Kind::number});
    columns_.push_back({"features", Kind::sparse});
  }

  std::string_view form() const noexcept override { return "LIBSVM"; }

 private:
  void start_file() override { start_text("LIBSVM text"); }

  SampledNumbers sampled_labels(std::string_view text) const {
    try {
      const LibsvmRows rows = parse_libsvm(text, {Kind::number, query_, true});
      return SampledNumbers::of({rows.label.numbers.data(), rows.label.numbers.size()}, kMostEntryLabels);
    } catch (const TextFault&) {
      return {};  // the parser will say so
    }
  }

  Parsed parse(std::string_view text) const override {
    LibsvmForm form{std::nullopt, query_, skip_bad_rows()};
    for (const std::size_t target : targets(0)) form.label = selected()[target].kind;
    LibsvmRows rows = parse_libsvm(text, form);
    Column query{.numbers = std::move(rows.query)}, features{.kind = Kind::sparse, .entries = std::move(rows.entries)};
    std::vector<Column*> columns = {&rows.label, &query, &features};
    if (!query_) columns.erase(columns.begin() + 1);
    return {{.rows = rows.rows, .columns = pick(columns, rows.lines), .lines = std::move(rows.lines)},
            rows.lines_ended,
            std::move(rows.mended),
            std::move(rows.left_out)};
  }

  bool query_ = false;
};

}  // namespace

std::unique_ptr<Source> open_libsvm(TextFiles files, const ReadOptions& options) {
  return std::make_unique<LibsvmSource>(std::move(files), options);
}

}  // namespace plumb
