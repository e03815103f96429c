// fit: from data to a model that is scored on held-out rows. One call does what `plumb train` does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/progress.h"
#include "plumb/evaluate/metric.h"
#include "plumb/select/split_options.h"
#include "plumb/workflow/data.h"
#include "plumb/workflow/model.h"
#include "plumb/workflow/models.h"

namespace plumb {

struct FitOptions {
  TestChoice test = 0.2;  // held-out rows to score on: a fraction, a number of rows, or TestChoice::none()
  TestChoice dev = TestChoice::none();  // validation rows, scored separately
  bool refit_all = false;               // after scoring, fit again on all rows; the scores stay those of the first fit
  std::uint64_t seed = 42;              // seeds every random draw
  double time_limit = 0.0;              // seconds; then the best so far, marked. 0: no limit
  std::optional<Model> start = {};      // train this model further
  bool picture = false;                 // draw Fit::svg()
};

class Fit {
 public:
  struct Content;
  explicit Fit(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  const Model& model() const noexcept;
  const std::vector<Metric>& heldout() const noexcept;   // scores on the held-out rows, with intervals
  const std::vector<Metric>& baseline() const noexcept;  // the same for the mean, or for the most common label
  bool converged() const noexcept;                       // false: the fit stopped at its limits before the optimum
  const std::vector<std::string>& notes() const noexcept;
  const std::vector<std::string>& warnings() const noexcept;
  std::string summary() const;  // what `plumb train` prints
  std::string json() const;
  std::string svg() const;  // a plot of rows and fit; empty if the model has too many dimensions
  double weight(std::string_view feature) const { return model().weight(feature); }
  void save(const std::string& file) const;

 private:
  std::shared_ptr<const Content> content_;
};

Fit fit(const Data& data, const Recipe& model = {}, const FitOptions& options = {}, const Running& run = {});

}  // namespace plumb
