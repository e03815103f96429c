#include "cli/plot.h"

#include <utility>

#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {

void check_plot(const PlotOptions& options, const std::vector<std::string>& inputs,
                const std::vector<OtherOutput>& outputs) {
  if (!options.wanted()) return;
  const std::string& file = options.file;
  const std::string name = file.substr(file.rfind('/') + 1);
  if (!has_suffix(file, ".svg"))
    throw Error(
        ErrorCode::usage, "--plot is " + in_quotes(file) + "; a file name that ends in .svg was expected",
        "--plot " + as_typed((name.empty() || name == "-" ? "plot" : name.substr(0, name.rfind('.'))) + ".svg"));
  for (const std::string& input : inputs)
    if (would_overwrite(file, input))
      throw Error(ErrorCode::usage,
                  "--plot is " + in_quotes(file) + ", which is also an input; inputs are never overwritten",
                  "--plot new-" + as_typed(name));
  for (const OtherOutput& other : outputs)
    if (!other.file.empty() && (same_place(file, other.file) || would_overwrite(file, other.file)))
      throw Error(ErrorCode::usage, "--plot and --" + other.option + " are one file, " + in_quotes(file),
                  "--plot plot-" + as_typed(name));
  expect_writable(file);
}

std::string save_plot(const PlotOptions& options, Figure figure) {
  figure.theme = options.theme;
  const std::string picture = to_svg(figure);
  OutputFile output(options.file);
  const RemovedBySignal removed(output.temporary());
  output.write(picture);
  output.commit();
  return counted(figure.panels.size(), "plot") + " in " + options.file + " (" + bytes_text(picture.size()) + ")";
}

}  // namespace plumb::cli
