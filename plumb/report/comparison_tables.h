// The tables below the verdict of `plumb compare`: the properties of the models, and their weights in one table.
#pragma once

#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/report/comparison.h"

namespace plumb::report_detail {

// The properties that the classifiers' trainers declare; empty if all models have one trainer.
std::string traits_text(const CompareReport& report, const Style& style);
std::string weights_text(const CompareReport& report, const Style& style);

// The members of the currently open object.
void traits(JsonWriter& json, const ComparedModel& model);
void weights(JsonWriter& json, const CompareReport& report);

}  // namespace plumb::report_detail
