// Options for how columns become features.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/feature/scale.h"

namespace plumb {

// How categories become features: treatment leaves out the base level, full has a feature for each. automatic is
// treatment unless the model has a penalty, or counts.
enum class Coding { automatic, treatment, full };
template <>
struct EnumNames<Coding> {
  static constexpr std::string_view names[] = {"auto", "treatment", "full"};
};

// What becomes of a missing value in a column of numbers: an error, a number in its place, or the row is left out. Mean
// and median are those of the training rows. automatic: a fit with standard errors leaves out the row, others fill in
// the median beside a feature that says where it was missing.
enum class Missing { automatic, error, mean, median, zero, drop_row };
template <>
struct EnumNames<Missing> {
  static constexpr std::string_view names[] = {"auto", "error", "mean", "median", "zero", "drop-row"};
};

// Whether a target of numbers holds labels. automatic: by how many different numbers there are.
enum class TargetKind { automatic, labels, number };
template <>
struct EnumNames<TargetKind> {
  static constexpr std::string_view names[] = {"auto", "labels", "number"};
};

struct FeatureOptions {
  std::string target = {};
  TargetKind target_kind = TargetKind::automatic;
  std::string formula = {};
  std::vector<std::string> features = {};
  std::vector<std::string> drop = {};
  std::vector<std::string> derive = {};
  std::vector<std::string> categorical = {};
  std::vector<std::string> numeric = {};
  std::vector<std::string> text = {};
  std::string weight = {};
  std::string offset = {};
  std::vector<std::string> base = {};
  std::vector<std::string> levels = {};
  Coding coding = Coding::automatic;
  Missing missing = Missing::automatic;
  Scaling scale = Scaling::none;

  static OptionTable table();
};

}  // namespace plumb
