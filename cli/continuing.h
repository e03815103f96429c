// plumb train --continue: a model is trained further with the options it was made with. One that counts takes in new
// labels and levels too: rows are learnt from as they were then, and the sums added up.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "plumb/plumb.h"

namespace plumb::cli {

// Whether new labels, levels and terms may come in: sums of separate rows add up.
bool grows(const SavedModel& start);

// Sets what the model was made with and the command line does not say, and adds the names of these to `given`.
// How files are read, what is held out and what is saved are the new command's own. Throws Error(usage) for what cannot
// be known: a prior from a file.
void take_up_options(const SavedModel& start, const std::vector<OptionGroup>& groups, std::vector<std::string>& given);

// The rows that the model held out are held out again where these are the data it was made from: trained on, they would
// be no test of what comes. Says so, or warns where it cannot be done, as rows were split by a column.
// Whether it was done.
bool hold_out_again(const SavedModel& start, const std::string& data_digest, TestChoice& test, SplitKeys& keys,
                    RandomKey& key, Terminal& terminal, std::vector<std::string>& warnings);

// Warns where --test holds out rows of the model's own data, and these are not the rows that it held out.
void warn_of_other_split(const SavedModel& start, const std::string& data_digest, const TestChoice& test,
                         std::uint64_t seed, std::vector<std::string>& warnings);

// Throws Error(usage) where -m names another kind of model, or an option says how rows are split.
void expect_continued(const SavedModel& start, const std::string& model, const std::vector<std::string>& given);

// Throws Error(usage) for an option of features or labels: those of a model that does not grow stay as they are.
void refuse_shapes(const std::vector<OptionGroup>& groups, const std::vector<std::string>& given);

// Stop words and vocabularies came from files, of which the model keeps the content: it holds where the command line
// names no other.
void take_up_texts(const SavedModel& start, TextOptions& text);

// Columns are what they were to the model, whatever the new rows look like.
void take_up_kinds(const SavedModel& start, FeatureOptions& features, const std::vector<std::string>& given);

// The classes of the rows that are read; `start_layout` says where the columns stand of a model whose features stay.
Classes classes_among(const Tables& tables, const FeaturePlan& plan, const SavedModel* start,
                      const TableLayout& start_layout);
// Throws Error(data), with the hint, for a training row whose label the model does not know.
void expect_known_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                         const std::string& source, const std::string& hint);

// Those of the model and of the new rows, in label order; with two, `positive` (if it is not empty) is the last.
std::vector<std::string> grown_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                                      const std::string& positive);

}  // namespace plumb::cli
