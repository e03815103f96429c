// The tables below the verdict of `plumb compare`: what the models are, and their weights side by side.
#pragma once

#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/report/comparison.h"

namespace plumb::report_detail {

// What the trainers of classes declare of themselves; nothing where all models are of one trainer.
std::string traits_text(const CompareReport& report, const Style& style);
std::string weights_text(const CompareReport& report, const Style& style);

// The members of the object that is open.
void traits(JsonWriter& json, const ComparedModel& model);
void weights(JsonWriter& json, const CompareReport& report);

}  // namespace plumb::report_detail
