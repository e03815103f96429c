// A remedy for a fit that overfits or underfits is named only if fits to a sample of its training rows show that it
// helps: cross-validated on the sample, its errors are lower by more than chance lets them be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/report/remedies.h"
#include "plumb/select/shared_rows.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/request.h"

namespace plumb {

// The fit that has the verdict. All must outlive it.
struct JudgedFit {
  const DataRequest& data;
  const Source& source;
  const TrainerEntry& entry;
  TrainerSetup& setup;
  const std::vector<std::string>& given;
  std::uint64_t rows;  // that it was fitted to
};

// A copy of some of the training rows, of kSampleBytes at most; empty if texts cannot be copied.
std::optional<SharedRows> sample_of(const FeaturePlan& plan, const Tables& tables, const RowSet& training);
std::optional<SharedRows> sample_of(const SharedRows& rows, const RowSet& training);

// Leaves the remedies that help; `more_rows`: also says whether more rows do. All fits together have half as many rows
// as the judged one, or, if that is more, kCheapValues values. Without a sample no remedy is left.
FitVerdict tried(FitVerdict verdict, const JudgedFit& fit, const std::optional<SharedRows>& sample, bool more_rows,
                 const Run& run);

}  // namespace plumb
