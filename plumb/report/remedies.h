// Whether a model overfits or underfits, from its error on rows it has seen and on others, and what to do about it as
// commands that can be typed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/report/style.h"

namespace plumb {

// An option of the model as it was typed: "l2" and "--l2 50".
struct TypedOption {
  std::string name;
  std::string words;
};

// How the rows of a command were given, so that another command can be said about them.
struct TypedData {
  std::string words;                 // operands and options of the data, ready for a shell: "boston.csv -t medv"
  std::vector<std::string> numbers;  // columns of numbers among the features, in their order
  std::vector<std::string> columns;  // all columns that are features
  bool text = false;                 // one of them holds texts
  bool counts = true;                // naive Bayes counts some of them: not all are bell curves, so smoothing matters
  std::vector<TypedOption> options = {};  // of the model; those that a remedy sets anew are left out
  std::uint64_t terms = 0;                // that became features of texts, where it is known
  std::vector<std::string> tuned = {};    // options whose values rows have chosen: to choose them anew is no remedy
};

struct Remedy {
  std::string command;
  std::string why;  // "fewer features"
};

struct FitVerdict {
  std::string text;  // empty where there is nothing to say
  std::vector<Remedy> remedies = {};
};

// Deck 004's: a simpler model, fewer features; more features, a richer model. `penalised`: it has a penalty that can be
// less. Where the data were not typed there are none. A grid holds values on the side of what was typed that it is for.
std::vector<Remedy> against_overfitting(const std::string& model, const TypedData& data);
std::vector<Remedy> against_underfitting(const std::string& model, bool penalised, const TypedData& data);

// Of one training: it overfits if the error on others is larger by more than a quarter, and than `noise`, how far that
// is off by chance; it may underfit if it is hardly better on either than the baseline. Nothing is said of other fits.
struct SeenErrors {
  std::string name;  // "error" or "rmse"
  double seen = 0.0, unseen = 0.0, noise = 0.0, baseline = 0.0;
};
FitVerdict fit_verdict(const std::string& model, const SeenErrors& errors, bool penalised, const TypedData& data);
bool overfits(double seen, double unseen, double noise) noexcept;
inline constexpr double kNoError = 1e-9;  // as a share of the baseline's: what is left is rounding

// A line for the verdict and one for each remedy.
std::string verdict_text(const FitVerdict& verdict, const Style& style);

}  // namespace plumb
