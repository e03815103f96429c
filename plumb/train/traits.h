// Properties of a trainer: the tables of a lecture, filled in by the trainers themselves.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace plumb {

struct Traits {
  std::string_view trainer;  // as in trainer_list
  std::string_view power;
  std::string_view type;
  std::string_view distribution;  // the modelled distribution
  std::string_view independence;  // assumptions about the features
  std::string_view hypotheses;    // the hypothesis space
  std::string_view scoring;       // what is minimised or maximised
  std::string_view search;
  std::string_view cost;  // of the search: n rows with s entries each, p features
  std::string_view optimality;
  std::string_view strengths;
  std::string_view weaknesses;
};

// One for each trainer, in the order of trainer_list.
std::span<const Traits> trait_list();
// By the name of a trainer, which must exist.
const Traits& traits_of(std::string_view trainer);

// The traits by name, in the order of the tables: for printing.
struct TraitEntry {
  std::string_view key;  // "hypothesis_space"
  std::string_view title;
  std::string_view Traits::*field;
};
std::span<const TraitEntry> trait_entries();

}  // namespace plumb
