// Parts that the JSON of several reports has in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/json_writer.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/report/remedies.h"

namespace plumb::report_detail {

// {"schema": 1, "command": ...
JsonWriter start(std::string_view command);
void texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& items);
// null if there is no number.
void optional(JsonWriter& json, std::string_view key, const std::optional<double>& number);
// "verdict": text or null, "remedies": [command...]
void verdict(JsonWriter& json, const FitVerdict& found);
// {name: {value, low, high}}, for means also the number of splits
void metrics(JsonWriter& json, std::string_view key, const std::vector<Metric>& items);

}  // namespace plumb::report_detail
