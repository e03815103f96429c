// Rows sampled from a naive Bayes model: first a class by its prior, then every column given the class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/model/model_file.h"
#include "plumb/train/bayes_tables.h"

namespace plumb {

class BayesSampler {
 public:
  // Texts and entries get that many words each. Throws Error(usage) for a model of another kind, for columns that are
  // known only through a formula, and for levels of which a row may have two.
  BayesSampler(const SavedModel& saved, RandomKey key, std::uint32_t words);

  const std::vector<std::string>& columns() const noexcept { return columns_; }
  // How sampled rows differ from training rows.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  const std::string& label(std::size_t k) const noexcept { return tables_.labels[k]; }

  struct Row {
    std::size_t label = 0;
    std::vector<std::string> fields;  // one for each column; for entries "f1:2 f7:1"
  };
  // A pure function of the key and the number.
  Row row(std::uint64_t number) const;

 private:
  class Draws;
  // The destination of the outcomes of a group.
  struct Column {
    std::size_t field = 0;
    Kind kind = Kind::category;
  };

  void draw_group(const EventGroup& group, const Column& column, Draws& draws, Row& row) const;
  std::size_t outcome(const EventGroup& group, std::size_t label, double uniform) const;
  std::string value_name(std::uint32_t feature, const Column& column) const;

  BayesTables tables_;
  FeatureMap map_;
  RandomKey key_;
  std::uint32_t words_;
  std::vector<std::string> columns_, warnings_;
  std::vector<Column> of_group_;                      // if kind is number: the group has several columns
  std::vector<std::size_t> of_feature_;               // the field of a feature that is a column of numbers
  std::vector<std::vector<double>> up_to_;            // [group]: cumulated probabilities, [class][outcome]
  std::vector<std::vector<std::uint32_t>> outcomes_;  // [group]: the features
};

}  // namespace plumb
