// Whether a hyperplane separates two classes, with a proof either way, and how wide its margin can be; or the margin of
// a given model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/feature/plan.h"
#include "plumb/feature/text_options.h"
#include "plumb/model/model_file.h"
#include "plumb/report/margin_report.h"
#include "plumb/report/plot.h"
#include "plumb/select/classes.h"
#include "plumb/workflow/messages.h"

namespace plumb {

struct MarginSearch {
  std::string model;  // its file, for the report
  double tolerance = 1e-4;
  std::uint64_t passes = 2000;
  bool bias = true;
  std::uint64_t seed = 42;

  static OptionTable table();
};

struct MarginRequest {
  MarginSearch search;
  FeatureOptions features;
  TextOptions text;
  ClassOptions classes;
  std::vector<std::string> given;  // names of options, where a user typed them
  bool dry_run = false;            // the rows are read, without a search for the margin
};

// The margin of the rows, or, with a model, that of the model on them. A requested figure is drawn if there are two
// labels and two features. The caller knows the time. Throws Error(usage) for an option that does not apply, and for
// other numbers of labels than two.
MarginReport margin(const SavedModel* model, Source& source, const MarginRequest& request, Messages& messages,
                    const Run& run, std::optional<Figure>* figure = nullptr);

}  // namespace plumb
