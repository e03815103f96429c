// What a user can say about how texts become features, and what the library makes of it: a TextRecipe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/feature/text_term.h"
#include "plumb/text/lexicon.h"
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

// What the values of a row are divided by, so that long texts weigh no more than short ones. automatic: length with
// --tfidf, else none.
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
  std::string stop_words;
  std::string stem;
  bool html = false;
  std::uint32_t positions = 0;
  DocumentLimit min_df = {};
  DocumentLimit max_df = {1.0, true};
  std::uint64_t min_count = 1;
  std::uint64_t drop_top = 0;
  std::uint64_t max_terms = 0;
  TermRanking rank_terms = TermRanking::count;
  std::string vocabulary;
  std::uint32_t hash_bits = 0;
  bool binary = false;
  bool sublinear = false;
  bool tfidf = false;
  Normalise normalise = Normalise::automatic;
  // What a model that is trained further kept of such files; no options of their own.
  std::vector<std::string> kept_stop_words = {};
  std::optional<std::vector<std::string>> kept_vocabulary = {};

  bool operator==(const TextOptions&) const = default;
  static constexpr auto table() {
    using O = TextOptions;
    return std::tuple{
        option("tokens", &O::tokens,
               "what a term is: word, runs of Unicode letters and digits; ascii, runs of a-z and 0-9; char, n-grams of "
               "characters; char-word, the same within words")
            .value("RULE"),
        option("min-length", &O::min_length, "characters that a word has at least")
            .value("N")
            .in(between(std::uint32_t{1}, std::uint32_t{1000})),
        option("ngrams", &O::ngrams, "terms of so many words, or characters, one after another").value("A-B"),
        option("no-lowercase", &O::lowercase, "Word and word are two terms").off(),
        option("stop-words", &O::stop_words, "a file of words that are passed over; the model keeps them")
            .value("FILE")
            .reads_file()
            .unrecorded(),
        option("stem", &O::stem, "words of this language become their stems: english, german, ...").value("LANGUAGE"),
        option("html", &O::html, "tags go, and &amp; is &"),
        option("positions", &O::positions,
               "the first N words, each in its place, in place of the bag of words: a feature 1=dear for a text that "
               "begins so")
            .value("N")
            .in(between(std::uint32_t{1}, std::uint32_t{100'000}))
            .otherwise("none"),
        option("min-df", &O::min_df, "texts that hold a term at least: a number, or a share such as 0.01 or 1%")
            .value("N"),
        option("max-df", &O::max_df, "texts that hold a term at most, likewise").value("N").otherwise("all"),
        option("min-count", &O::min_count, "how often a term occurs at least, in all texts together")
            .value("N")
            .in(at_least(std::uint64_t{1})),
        option("drop-top", &O::drop_top, "so many of the commonest terms are left out").value("N"),
        option("max-terms", &O::max_terms, "so many terms are kept, by --rank-terms")
            .value("N")
            .in(at_least(std::uint64_t{1}))
            .otherwise("all"),
        option("rank-terms", &O::rank_terms,
               "which terms --max-terms keeps: the commonest, or those that tell most about the target's classes")
            .value("BY"),
        option("vocabulary", &O::vocabulary, "a file with a term in each line: these are the features, and no others")
            .value("FILE")
            .reads_file()
            .unrecorded(),
        option("hash-bits", &O::hash_bits, "2^B features by the hash of a term, in place of one for each term")
            .value("B")
            .in(between(std::uint32_t{1}, std::uint32_t{28}))
            .otherwise("none"),
        option("binary", &O::binary, "1 for a term that is in the text, however often"),
        option("sublinear", &O::sublinear, "1 + ln(count) in place of the count"),
        option("tfidf", &O::tfidf, "times ln((1 + n)/(1 + df)) + 1, and rows of length 1"),
        option("normalise", &O::normalise, "divides a row by its sum (l1) or length (l2); auto: l2 with --tfidf")
            .value("BY")};
  }
};

// All that shapes the terms of a text column; files are read by now.
struct TextRecipe {
  TokenRules rules = {};
  std::uint32_t positions = 0;  // 0: a bag of words
  TermWeighting weighting = {};
  DocumentLimit min_df = {};
  DocumentLimit max_df = {1.0, true};
  TermSelection selection = {};                             // but for limits of documents, which wait for their number
  std::optional<std::vector<std::string>> vocabulary = {};  // terms that are given
  std::uint32_t hash_bits = 0;                              // 0: none
  std::function<void(std::uint64_t)> expect_hashed = {};    // as Wishes::expect_hashed
  bool by_text = false;                                     // terms that are learnt: as Wishes::terms_by_text
  bool may_be_none = false;                                 // the same: as Wishes::terms_may_be_none
};

// Reads the files that are named. Throws Error(usage) for options that exclude each other or that no text can meet,
// Error(data) for a file that cannot be read.
TextRecipe text_recipe(const TextOptions& options);

}  // namespace plumb
