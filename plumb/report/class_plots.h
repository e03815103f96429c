// Plots of classes by two columns: the rows, the boundary, its normal vector, the empty band around it, lines of equal
// probability, and the path of the boundary over mistakes. How to read them: docs/plots.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"
#include "plumb/model/model_file.h"
#include "plumb/report/plot.h"

namespace plumb {

// w[0] x + w[1] y + bias = 0; the positive side is that of the second label.
struct PlotPlane {
  double w[2] = {0.0, 0.0};
  double bias = 0.0;
};

struct ClassPlot {
  std::string x_name, y_name;
  std::vector<std::string> labels;
  std::vector<double> x, y;           // of each row
  std::vector<std::size_t> label;     // its position in labels
  std::vector<std::uint64_t> number;  // its number, from 0
  std::optional<PlotPlane> plane = {};
  std::vector<PlotPlane> path = {};  // the hyperplanes on the way, in order; or some, with the last
  std::uint64_t boundaries = 0;      // how many there were, if `path` does not have all of them
  bool probabilities = false;        // the score is the log-odds of the second of two labels
};

Panel plane_panel(const ClassPlot& plot);  // rows and boundary; band and closest rows if all rows are correct
Panel path_panel(const ClassPlot& plot);   // the boundaries of the path, later ones on top; the last is the boundary

// What a model looks like on rows: of up to four labels by two columns of numbers its boundary, where a vote shows its
// last plane and all on the way; and what is made of its scores where they have probabilities (posterior_plots.h).
// Nothing for other models. `path`: planes on the way there, as (w, w, bias); `boundaries`: how many there were, if
// these are not all. `heldout`: rows that the model has not seen; where there are some, probabilities are held against
// them.
std::optional<Figure> class_figure(const LinearModel& model, const std::string& target, const Examples& rows,
                                   In path = {}, std::uint64_t boundaries = 0, const Examples* heldout = nullptr);

// For naive Bayes by one column of numbers: the density of each label along it. Empty for others.
std::optional<Panel> density_panel(const SavedModel& saved, const Examples& rows);

}  // namespace plumb
