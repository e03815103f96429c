// For the tests of this layer: fits with all that inference adds, and independent ways to the same numbers.
#pragma once

#include "plumb/infer/inference.h"
#include "plumb/train/testing.h"

namespace plumb {

inline Trained inferred(const Data& data, bool bias = true, Errors errors = Errors::classic, unsigned threads = 1,
                        bool sparse = false) {
  Executor executor(threads);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data, 1000, sparse);
  Trained result = fit(examples, bias, threads);
  add_inference(result, examples, {errors}, run);
  return result;
}

inline Data without_row(Data data, std::size_t row) {
  const auto at = static_cast<std::ptrdiff_t>(row);
  data.x.erase(data.x.begin() + at);
  data.y.erase(data.y.begin() + at);
  if (!data.s.empty()) data.s.erase(data.s.begin() + at);
  return data;
}

// Weights that are whole numbers, written out as that many rows.
inline Data copies_of(const Data& data) {
  Data copies;
  for (std::size_t r = 0; r < data.x.size(); ++r)
    for (int k = 0; k < data.s[r]; ++k) {
      copies.x.push_back(data.x[r]);
      copies.y.push_back(data.y[r]);
    }
  return copies;
}

inline bool has(const Trained& fit, std::string_view name) { return find_number(fit.record, name) != nullptr; }

inline double predicted(const Trained& fit, const std::vector<double>& x) {
  return Predictor(fit.model).predict({{}, x}).value;
}

}  // namespace plumb
