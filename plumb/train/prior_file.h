// Probabilities that a user gives in a file: --prior and --virtual-prior. Both throw Error(data) with file and line. A
// fold may lack a class: labels `elsewhere` may be named, and the others share what is left as they do among
// themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plumb/train/estimate_rules.h"

namespace plumb {

// Lines of a label and its probability, cut at the last comma, tab or blank. One for each label, adding up to 1.
std::vector<double> priors_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere = {});

struct VirtualPrior {
  std::vector<double> classes;
  std::vector<VirtualShare> shares;
};
// Lines LABEL,P and LABEL,FEATURE,P. A label may hold commas: the longest that fits is meant.
VirtualPrior virtual_prior_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere = {});

}  // namespace plumb
