// Probabilities that a user gives in a file: --prior and --virtual-prior. Both throw Error(data) with file and line. A
// fold may lack a class: labels `elsewhere` may be named, and the others share the rest in the same proportions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plumb/train/estimate_rules.h"

namespace plumb {

// Lines of a label and its probability, split at the last comma, tab or blank. One for each label, adding up to 1.
std::vector<double> priors_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere = {});

struct VirtualPrior {
  std::vector<double> classes;
  std::vector<VirtualShare> shares;
};
// Lines LABEL,P and LABEL,FEATURE,P. A label may contain commas: the longest that matches is meant.
VirtualPrior virtual_prior_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere = {});

}  // namespace plumb
