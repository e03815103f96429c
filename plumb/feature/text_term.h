// The term of a FeatureMap for a column of texts: a feature for each word or n-gram of a vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/text/token_rules.h"
#include "plumb/text/vocabulary.h"

namespace plumb {

// The divisor of a row of values.
enum class RowNorm { none, sum, length };
template <>
struct EnumNames<RowNorm> {
  static constexpr std::string_view names[] = {"none", "sum", "length"};
};

// How the count of a term in a text becomes a value: first presence or 1 + ln(count), then times the inverse document
// frequency ln((1 + n) / (1 + df)) + 1, then the row is divided by its norm.
struct TermWeighting {
  bool binary = false;
  bool sublinear = false;
  bool idf = false;
  RowNorm norm = RowNorm::none;
  bool operator==(const TermWeighting&) const = default;
};

// The features of a column of texts: one for each term, and its weights.
struct BagOfWords {
  TokenRules rules = {};
  // Not 0: the terms are that many leading words with their places, 1=dear 2=sir, instead of counts of words.
  std::uint32_t positions = 0;
  TermWeighting weighting = {};
  std::shared_ptr<const Vocabulary> vocabulary = {};  // never null, except for hashed terms
  // With hashed terms the id is that many bits of the hash; 0 without hashing. Then `names` has the first term met for
  // each id, or an empty name.
  std::uint32_t hash_bits = 0;
  TextList names = {};
  std::uint64_t documents = 0;                         // training documents; with idf
  std::vector<std::uint64_t> document_frequency = {};  // of each id; with idf

  std::uint32_t features() const noexcept { return hash_bits > 0 ? std::uint32_t{1} << hash_bits : vocabulary->size(); }
  // The terms by id, hashed or not.
  const TextList& texts() const noexcept { return hash_bits > 0 ? names : vocabulary->terms(); }

  bool operator==(const BagOfWords& other) const {
    return rules == other.rules && positions == other.positions && weighting == other.weighting &&
           hash_bits == other.hash_bits && texts() == other.texts() && documents == other.documents &&
           document_frequency == other.document_frequency;
  }
};

// A column of texts as a term of a map.
struct TextTerm {
  std::uint32_t input = 0;
  std::shared_ptr<const BagOfWords> bag = {};  // never null
  bool operator==(const TextTerm& other) const { return input == other.input && *bag == *other.bag; }
};

}  // namespace plumb
