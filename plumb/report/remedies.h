// Whether a model overfits or underfits, from its error on training and held-out rows, and remedies as commands that
// can be typed.
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

// How the rows of a command were given, to suggest another command for them.
struct TypedData {
  std::string words;                 // operands and options of the data, ready for a shell: "boston.csv -t medv"
  std::vector<std::string> numbers;  // columns of numbers among the features, in their order
  std::vector<std::string> columns;  // all columns that are features
  bool text = false;                 // one of them is a text column
  bool counts = true;                // naive Bayes counts some of them: not all are Gaussians, so smoothing matters
  std::vector<TypedOption> options = {};  // of the model, without those that a remedy sets
  std::uint64_t terms = 0;                // number of features from texts, if known
  std::vector<std::string> tuned = {};    // options chosen from rows: choosing them again is not a remedy
};

struct Remedy {
  std::string command;
  std::string why;  // "fewer features"
  // What a trial of it sets: one of these values of an option, in place of others. The option `model` names another.
  std::string option = {};
  std::vector<std::string> values = {};
  std::vector<std::string> instead = {};
};

struct FitVerdict {
  std::string text;  // empty if there is nothing to suggest
  std::vector<Remedy> remedies = {};
  bool overfits = false;
};

// The remedies of deck 004: a simpler model, fewer features; more features, a richer model. `penalised`: it has a
// penalty that can be smaller. Empty if the data were not typed. A grid has values on the remedy's side of the typed
// value.
std::vector<Remedy> against_overfitting(const std::string& model, const TypedData& data);
std::vector<Remedy> against_underfitting(const std::string& model, bool penalised, const TypedData& data);

// For one training: it overfits if the held-out error is larger by more than a quarter, and by more than `noise`, its
// sampling error; it may underfit if it is hardly better on either than the baseline. There is no verdict on other
// fits.
struct SeenErrors {
  std::string name;  // "error" or "rmse"
  double seen = 0.0, unseen = 0.0, noise = 0.0, baseline = 0.0;
};
FitVerdict fit_verdict(const std::string& model, const SeenErrors& errors, bool penalised, const TypedData& data);
bool overfits(double seen, double unseen, double noise) noexcept;
inline constexpr double kNoError = 1e-9;  // as a share of the baseline's: errors below it are rounding

// A line for the verdict and one for each remedy.
std::string verdict_text(const FitVerdict& verdict, const Style& style);

}  // namespace plumb
