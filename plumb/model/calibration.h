// How the scores of a model become probabilities.
#pragma once

#include <vector>

namespace plumb {

// Log-odds, or what a softmax takes, are slope * bent(score) + offset. Where there are knots, for two labels, the
// probability of the second is interpolated between them instead, and constant before the first and after the last.
struct Calibration {
  double slope = 1.0;
  double offset = 0.0;
  // Above 0: large scores count less than in proportion, as those of naive Bayes, which grow with the length of a text
  // faster than what is known of it.
  double bend = 0.0;
  std::vector<double> scores = {}, probabilities = {};  // of the knots

  bool none() const noexcept { return slope == 1.0 && offset == 0.0 && bend == 0.0 && scores.empty(); }
  // Of two labels, the more likely is that of the sign of the score.
  bool keeps_signs() const noexcept { return offset == 0.0 && scores.empty(); }
  // score, or with a bend sign(score) * log(1 + bend * |score|) / bend.
  double bent(double score) const noexcept;
  double log_odds(double score) const noexcept;
  // Why no model may have this; nullptr if one may.
  const char* fault() const noexcept;
};

}  // namespace plumb
