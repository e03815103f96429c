// The tables of naive Bayes for people and programs: priors, the distribution of each column in each class, and the
// most indicative features of a class.
#pragma once

#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/report/style.h"
#include "plumb/train/bayes_tables.h"

namespace plumb {

// `top` features of each class if a column has many; 0: ten.
std::string to_text(const BayesTables& tables, const FeatureMap& map, std::uint64_t top, const Style& style);

namespace report_detail {

// "naive_bayes": {priors, columns, parameters, full_joint}.
void bayes(JsonWriter& json, const BayesTables& tables, const FeatureMap& map);

}  // namespace report_detail
}  // namespace plumb
