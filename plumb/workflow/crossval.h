// Cross-validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/bootstrap.h"
#include "plumb/report/evaluation.h"
#include "plumb/report/plot.h"
#include "plumb/select/split.h"
#include "plumb/select/split_options.h"
#include "plumb/workflow/auto_list.h"
#include "plumb/workflow/messages.h"
#include "plumb/workflow/request.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

enum class SplitKind { folds, random };
template <>
struct EnumNames<SplitKind> {
  static constexpr std::string_view names[] = {"folds", "random"};
};

struct CrossvalOptions {
  std::string model;
  FoldChoice folds = {FoldChoice::What::number, 10};
  SplitKind splits = SplitKind::folds;
  std::uint64_t repeats = 1;
  TestChoice test;
  bool refit = false;
  std::vector<std::string> fail_under;
  std::uint64_t resamples = kResamples;
  std::uint64_t seed = 42;

  static OptionTable table();
};

struct CrossvalRequest {
  DataRequest data;
  CrossvalOptions options;
  TrainerChoice trainers;
  AutoOptions search;
  std::vector<std::string> given;  // names of the options that were set
  bool dry_run = false;            // only read
  bool wants_figure = false;
};

struct CrossvalResult {
  EvaluateReport report;
  std::optional<Figure> figure;
};

CrossvalResult cross_validate(CrossvalRequest& request, Source& source, Messages& say, const Run& run);

}  // namespace plumb
