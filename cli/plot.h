// --plot: a figure beside the report of a command.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "plumb/plumb.h"

namespace plumb::cli {

struct PlotOptions {
  std::string file;
  Theme theme = Theme::automatic;

  static constexpr auto table() {
    using O = PlotOptions;
    return std::tuple{
        option("plot", &O::file, "draw what was found into this file").value("FILE.svg").otherwise("none").unrecorded(),
        option("plot-theme", &O::theme, "colours of the plot: auto is light or dark as the reader's screen is")
            .value("THEME")
            .unrecorded()};
  }
  bool wanted() const noexcept { return !file.empty(); }
};

// The look at --plot ahead of any work: it ends in .svg, can be written, and is neither an input nor another output.
// An output is an option and its file, which may be empty.
struct OtherOutput {
  std::string option;
  std::string file;
};
void check_plot(const PlotOptions& options, const std::vector<std::string>& inputs,
                const std::vector<OtherOutput>& outputs);

// Draws and saves it; gives the line to tell.
std::string save_plot(const PlotOptions& options, Figure figure);

}  // namespace plumb::cli
