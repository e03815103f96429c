// What maximum likelihood adds under the table of weights: deviances, the test of the model, criteria, and odds or rate
// ratios with their intervals.
#pragma once

#include <string>

#include "plumb/model/model_file.h"
#include "plumb/report/style.h"

namespace plumb {

// Up to three lines; empty for a fit without a likelihood.
std::string likelihood_lines(const Record& record);

// Why there are no p-values, and what gives intervals all the same; empty where it need not be said.
std::string no_tests_text(const LinearModel& model, const Record& record);

// "odds ratio" for a model of labels, "rate ratio" for counts; empty for others.
std::string ratio_name(const LinearModel& model);

// e^weight with its interval, for the features of the table of weights, of which it shows `top` too; empty without
// tests.
std::string ratio_table(const SavedModel& saved, std::uint64_t top, const Style& style);

// The joint test of every term, if the record has them.
std::string term_table(const LinearModel& model, const Record& record, const Style& style);

}  // namespace plumb
