// Options for how texts become features.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/text/term_selection.h"
#include "plumb/text/token_rules.h"

namespace plumb {

// A number of documents, or a share of them: "5", "0.01" or "1%".
struct DocumentLimit {
  double value = 1.0;
  bool share = false;

  double of(std::uint64_t documents) const noexcept { return share ? value * static_cast<double>(documents) : value; }
  bool operator==(const DocumentLimit&) const = default;
};
template <>
struct OptionText<DocumentLimit> {
  static DocumentLimit read(std::string_view text);
  static std::string text(const DocumentLimit& value);
};

// "1-2", or "2" for 2-2.
struct NgramRange {
  std::uint32_t shortest = 1;
  std::uint32_t longest = 1;
  bool operator==(const NgramRange&) const = default;
};
template <>
struct OptionText<NgramRange> {
  static NgramRange read(std::string_view text);
  static std::string text(const NgramRange& value);
};

// The divisor of the values of a row, so that long texts weigh no more than short ones. automatic: length with --tfidf,
// otherwise none.
enum class Normalise { automatic, none, sum, length };
template <>
struct EnumNames<Normalise> {
  static constexpr std::string_view names[] = {"auto", "none", "l1", "l2"};
};

struct TextOptions {
  Tokens tokens = Tokens::word;
  std::uint32_t min_length = 2;
  NgramRange ngrams = {};
  bool lowercase = true;
  std::string stop_words = {};
  std::string stem = {};
  Mail mail = Mail::none;
  bool html = false;
  std::uint32_t positions = 0;
  std::uint32_t gap = 0;
  DocumentLimit min_df = {};
  DocumentLimit max_df = {1.0, true};
  std::uint64_t min_count = 1;
  std::uint64_t drop_top = 0;
  std::uint64_t max_terms = 0;
  TermRanking rank_terms = TermRanking::count;
  std::string vocabulary = {};
  std::uint32_t hash_bits = 0;
  bool binary = false;
  bool sublinear = false;
  bool tfidf = false;
  Normalise normalise = Normalise::automatic;
  // The contents of such files, from a model that is trained further; not options themselves.
  std::vector<std::string> kept_stop_words = {};
  std::optional<std::vector<std::string>> kept_vocabulary = {};

  bool operator==(const TextOptions&) const = default;
  static OptionTable table();
};

}  // namespace plumb
