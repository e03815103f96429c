// Learning curves: the held-out error of models as they get more training rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/report/curves.h"
#include "plumb/select/split.h"
#include "plumb/workflow/candidate.h"

namespace plumb {

struct CurveOptions {
  std::vector<std::string> models;
  std::vector<std::string> sizes;
  std::uint64_t repeats = 10;
  TestChoice test;
  bool refit = false;
  std::uint64_t seed = 42;

  static OptionTable table();
};

struct CurveRequest {
  DataRequest data;
  CurveOptions options;
  std::vector<std::string> given;  // names of the options that were set
  bool dry_run = false;            // only read
};

CurveReport learning_curve(CurveRequest& request, const std::vector<Candidate>& variants, Source& source, Messages& say,
                           const Run& run);

}  // namespace plumb
