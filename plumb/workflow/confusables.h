// Context-sensitive spelling: from plain running text to a model of which of several words belongs where one of them
// stands. Each occurrence is a row: the word is the label, its sentence with a gap the text (plumb/text/sentences.h).
// The model is an ordinary one; nothing of it knows where its rows came from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/encoding.h"
#include "plumb/data/source.h"
#include "plumb/report/confusables.h"
#include "plumb/report/curves.h"
#include "plumb/workflow/messages.h"
#include "plumb/workflow/training.h"

namespace plumb {

struct ConfusablesOptions {
  std::string model = "logistic";
  std::string output = "model.plumb";
  TestChoice test;
  std::uint64_t seed = 42;
  std::uint32_t gap = 3;
  Encoding encoding = Encoding::utf8;
  std::string examples;
  bool curve = false;
  std::vector<std::string> sizes;
  std::uint64_t repeats = 10;
  std::string correct;
  std::string from;
  double sure = 0.5;
  std::uint64_t top = 3;

  static OptionTable table();
};

// The occurrences of some words in texts, each once: rows of the columns word, text and sentence.
struct ConfusableRows {
  std::vector<std::string> word, text;
  std::vector<std::string> sentence;  // rows with the same are never divided between training and test
  std::vector<std::uint64_t> counts;  // of each word
  std::uint64_t repeated = 0;         // occurrences left out, because an earlier one has the same sentence

  // The rows must stay in place.
  std::unique_ptr<Source> open() const;
  std::string csv() const;
};

// The words of a list such as weather,whether in plain form. Throws Error(usage) unless they are two different words or
// more.
std::vector<std::string> confusable_words(const std::string& list);

// Throws Error(data) if a file cannot be read.
ConfusableRows confusable_rows(const std::vector<std::string>& words, const std::vector<std::string>& files,
                               Encoding encoding, std::size_t most_window);

class Confusables {
 public:
  // `own` has the options of trainers, and the names of those given. All must outlive this.
  Confusables(ConfusablesOptions& options, TrainRequest& own, const std::vector<std::string>& words,
              const std::vector<std::string>& files, Messages& say, const Run& run);

  // Throws Error(data) if a word occurs too seldom to learn it.
  void read();
  const ConfusableRows& rows() const noexcept { return rows_; }
  void train();  // chooses the penalty by cross-validation on training rows, unless it was given
  Training& training() { return *training_; }
  CurveReport curve();
  ConfusablesReport report();

 private:
  class Learning;
  void leave_out_known();
  void choose(const RowSet& training);
  ConfusableRows sample(const RowSet& training) const;
  Candidate candidate();

  ConfusablesOptions& options_;
  TrainRequest& request_;
  const std::vector<std::string>& words_;
  const std::vector<std::string>& files_;
  Messages& say_;
  Run run_;
  ConfusableRows rows_, test_rows_;
  std::unique_ptr<Source> source_, test_source_;
  std::unique_ptr<Training> training_;
};

// The likely mistakes of a text by such a model. Throws Error(usage) for a model of another kind, or of other words.
CorrectionReport corrections(const SavedModel& saved, const std::vector<std::string>& words,
                             const ConfusablesOptions& options, std::size_t most_window, const Run& run);

}  // namespace plumb
