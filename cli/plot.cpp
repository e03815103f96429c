#include "cli/plot.h"

#include <utility>

#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {

void check_plot(const PlotOptions& options) {
  if (!options.wanted()) return;
  const std::string& file = options.file;
  const std::string name = file.substr(file.rfind('/') + 1);
  if (!has_suffix(file, ".svg"))
    throw Error(
        ErrorCode::usage, "--plot is " + in_quotes(file) + "; a file name that ends in .svg was expected",
        "--plot " + as_typed((name.empty() || name == "-" ? "plot" : name.substr(0, name.rfind('.'))) + ".svg"));
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
