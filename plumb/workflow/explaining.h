// Explains the predictions of a model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/model/model_file.h"
#include "plumb/report/class_images.h"  // IWYU pragma: export
#include "plumb/report/plot.h"
#include "plumb/report/report.h"
#include "plumb/workflow/messages.h"

namespace plumb {

// --top of inspect: a number of weights, or all.
struct TopChoice {
  bool given = false;
  std::uint64_t most = 0;  // 0: all
};
template <>
struct OptionText<TopChoice> {
  static TopChoice read(std::string_view text);
  static std::string text(const TopChoice& choice);
};
// The weights of a model as a picture; nothing where it has none.
std::optional<Figure> weights_figure(const SavedModel& saved, const TopChoice& top);
// What inspect shows: in text the most important weights unless more are asked for, in JSON all of them.
InspectReport inspect_report(const SavedModel& saved, const std::string& file, const TopChoice& top, bool json);

// --row: numbers of rows, from 1, ascending and each once.
struct RowNumbers {
  std::vector<std::uint64_t> numbers;
};
template <>
struct OptionText<RowNumbers> {
  static RowNumbers read(std::string_view text);
  static std::string text(const RowNumbers& rows);
};

struct ExplainOptions {
  std::uint64_t rows = 10;
  RowNumbers row = {};
  std::uint64_t mistakes = 0;
  std::uint64_t top = 0;

  static OptionTable table();
};

// The first rows of the source, those that are named, or the worst mistakes. The report keeps the model.
ExplainReport explain(std::shared_ptr<const SavedModel> saved, Source& source, const ExplainOptions& options,
                      Messages& messages, const Run& run);

}  // namespace plumb
