#include <utility>

#include "plumb/data/text_source.h"
#include "plumb/data/vw.h"

namespace plumb {
namespace {

class VwSource final : public TextSource {
 public:
  VwSource(TextFiles files, const ReadOptions& options) : TextSource(std::move(files), options, line_ends()) {
    start_file();
    form_ = guess_vw(good_lines(sample(), [](std::string_view line) { parse_vw(line, guess_vw(line)); }));
    note_marks(options);
    if (form_.label) {
      ColumnInfo label{"label", Kind::number};
      label.sampled = sampled_labels();
      columns_.push_back(std::move(label));
    }
    if (form_.importance) columns_.push_back({"importance", Kind::number});
    if (form_.base) columns_.push_back({"base", Kind::number});
    if (form_.tag) columns_.push_back({"tag", Kind::category});
    columns_.push_back({"features", Kind::sparse});
  }

  std::string_view form() const noexcept override { return "VW text"; }

 private:
  void start_file() override { start_text("VW text"); }

  SampledNumbers sampled_labels() {
    VwForm form = form_;
    form.skip_bad_rows = true;
    try {
      return SampledNumbers::of(parse_vw(sample(), form).label, kMostEntryLabels);
    } catch (const TextFault&) {
      return {};  // the parser will say so
    }
  }

  Parsed parse(std::string_view text) const override {
    VwForm form = form_;
    form.skip_bad_rows = skip_bad_rows();
    form.passed_over = true;
    for (std::size_t c = 0; c + 1 < columns_.size(); ++c) form.passed_over &= targets(c).empty();
    VwRows rows = parse_vw(text, form);
    Column label{.numbers = std::move(rows.label)}, importance{.numbers = std::move(rows.importance)},
        base{.numbers = std::move(rows.base)}, features{.kind = Kind::sparse, .entries = std::move(rows.entries)};
    std::vector<Column*> columns;
    if (form_.label) columns.push_back(&label);
    if (form_.importance) columns.push_back(&importance);
    if (form_.base) columns.push_back(&base);
    if (form_.tag) columns.push_back(&rows.tag);
    columns.push_back(&features);
    return {{.rows = rows.rows, .columns = pick(columns, rows.lines), .lines = std::move(rows.lines)},
            rows.lines_ended,
            std::move(rows.mended),
            std::move(rows.left_out)};
  }

  VwForm form_;
};

}  // namespace

std::unique_ptr<Source> open_vw(TextFiles files, const ReadOptions& options) {
  return std::make_unique<VwSource>(std::move(files), options);
}

}  // namespace plumb
