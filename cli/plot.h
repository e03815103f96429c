// --plot: a figure beside the report of a command.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/report/plot.h"

namespace plumb::cli {

struct PlotOptions {
  std::string file;
  Theme theme = Theme::automatic;

  static OptionTable table() {
    using O = PlotOptions;
    return {option("plot", &O::file, "draw the result into this SVG file")
                .value("FILE.svg")
                .writes_file()
                .otherwise("none")
                .unrecorded(),
            option("plot-theme", &O::theme, "colours of the plot; auto follows the reader's screen")
                .value("THEME")
                .unrecorded()};
  }
  bool wanted() const noexcept { return !file.empty(); }
};

// Checks --plot before any work: it ends in .svg and can be written.
void check_plot(const PlotOptions& options);

// Draws and saves it; returns the line to print.
std::string save_plot(const PlotOptions& options, Figure figure);

}  // namespace plumb::cli
