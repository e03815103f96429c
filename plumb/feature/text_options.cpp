#include "plumb/feature/text_options.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/feature/text_recipe.h"
#include "plumb/text/gap.h"
#include "plumb/text/tokeniser.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kLongestNgram = 255;

// The lines of a file that are not empty, or its words.
std::vector<std::string> items_of_file(const std::string& path, std::string_view between, bool once = false) {
  std::string text = read_whole_file(path, kMostFileBytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (const std::size_t at = first_invalid_utf8(text); at != text.npos)
    throw Error(ErrorCode::data, {path}, "byte " + count_text(at + 1) + " is not valid UTF-8");
  std::vector<std::string> items;
  std::unordered_set<std::string> met;
  for (std::size_t at = text.find_first_not_of(between); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    items.push_back(text.substr(at, end - at));
    if (once && !met.insert(items.back()).second)
      throw Error(ErrorCode::data,
                  {path, static_cast<std::uint64_t>(
                             1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'))},
                  "the term " + in_quotes(items.back()) + " is there twice; each term was expected once",
                  "leave out the line");
    at = text.find_first_not_of(between, end);
  }
  if (items.empty()) throw Error(ErrorCode::data, {path}, "is empty; at least one word was expected");
  return items;
}

void refuse_both(bool a, const char* first, bool b, const char* second) {
  if (a && b)
    throw Error(ErrorCode::usage, std::string(first) + " and " + second + " are both given; one was expected",
                std::string("leave out ") + second);
}

// The terms around a gap are words with marks of their own, so no option may cut or change them.
void take_gap(const TextOptions& options, TokenRules& rules) {
  const TextOptions usual;
  for (const auto& [differs, name] : {std::pair{options.tokens != usual.tokens, "--tokens"},
                                      {options.min_length != usual.min_length, "--min-length"},
                                      {options.ngrams != usual.ngrams, "--ngrams"},
                                      {!options.lowercase, "--no-lowercase"},
                                      {!rules.stop_words.empty(), "--stop-words"},
                                      {!options.stem.empty(), "--stem"},
                                      {options.positions > 0, "--positions"}})
    refuse_both(true, "--gap", differs, name);
  rules.gap = options.gap;
  rules.min_length = 1;
  rules.lowercase = false;
}

std::uint32_t ngram_length(std::string_view text) {
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none || number.value != static_cast<double>(static_cast<int>(number.value)) ||
      number.value < 1 || number.value > kLongestNgram)
    throw OptionFault{"lengths from 1 to 255 such as 1-2"};
  return static_cast<std::uint32_t>(number.value);
}

}  // namespace

DocumentLimit OptionText<DocumentLimit>::read(std::string_view text) {
  const bool percent = text.ends_with('%');
  const bool share = percent || text.find('.') != text.npos;
  const ParsedNumber number = parse_number(percent ? text.substr(0, text.size() - 1) : text);
  const double value = percent ? number.value / 100.0 : number.value;
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value >= 0 && value < 1e15 ? value : 0.5));
  if (number.fault != NumberFault::none || value < 0 || (share ? value > 1 : !whole))
    throw OptionFault{"a number of texts such as 5, or a share of them such as 0.01 or 1%,"};
  return {value, share};
}

std::string OptionText<DocumentLimit>::text(const DocumentLimit& value) {
  const std::string number = number_text(value.value);
  return value.share && number.find('.') == number.npos ? number + ".0" : number;
}

NgramRange OptionText<NgramRange>::read(std::string_view text) {
  const std::size_t dash = text.find('-');
  NgramRange range;
  range.shortest = ngram_length(text.substr(0, dash));
  range.longest = dash == text.npos ? range.shortest : ngram_length(text.substr(dash + 1));
  if (range.longest < range.shortest) throw OptionFault{"the shorter length first, such as 1-2,"};
  return range;
}

std::string OptionText<NgramRange>::text(const NgramRange& value) {
  return std::to_string(value.shortest) + "-" + std::to_string(value.longest);
}

OptionTable TextOptions::table() {
  using O = TextOptions;
  return {
      option("tokens", &O::tokens,
             "tokens: word (Unicode letters and digits), ascii (a-z and 0-9), char (n-grams of characters), char-word "
             "(the same within words)")
          .value("RULE"),
      option("min-length", &O::min_length, "shortest word, in characters").value("N").in(between(1, 1000)),
      option("ngrams", &O::ngrams, "n-grams: terms of N to M consecutive words or characters").value("A-B"),
      option("no-lowercase", &O::lowercase, "keep upper and lower case apart").off(),
      option("stop-words", &O::stop_words, "a file of words to ignore; the model keeps them")
          .value("FILE")
          .reads_file()
          .unrecorded(),
      option("stem", &O::stem, "reduce words of this language to their stems: english, german, ...").value("LANGUAGE"),
      option("mail", &O::mail,
             "texts are e-mails: decode them and take subject and text (strip), or the other headers too (keep)")
          .value("HEADERS"),
      option("html", &O::html, "remove HTML tags and decode entities"),
      option("positions", &O::positions,
             "use the first N words by position instead of a bag of words: feature 1=dear for a text that begins with "
             "dear")
          .value("N")
          .in(between(1, 100'000))
          .otherwise("none"),
      option(
          "gap", &O::gap,
          "texts with a gap, ____: use the words around it by their places, up to K on either side, and pairs of them")
          .value("K")
          .in(between(1, kMostGapPlaces))
          .otherwise("none"),
      option("min-df", &O::min_df, "minimum document frequency of a term: a number, or a share such as 0.01 or 1%")
          .value("N"),
      option("max-df", &O::max_df, "maximum document frequency of a term, likewise").value("N").otherwise("all"),
      option("min-count", &O::min_count, "minimum count of a term over all texts").value("N").in(at_least(1)),
      option("drop-top", &O::drop_top, "leave out the N most common terms").value("N"),
      option("max-terms", &O::max_terms, "keep at most N terms, ranked by --rank-terms")
          .value("N")
          .in(at_least(1))
          .otherwise("all"),
      option("rank-terms", &O::rank_terms,
             "which terms --max-terms keeps: the most common, or the most informative about the class")
          .value("BY"),
      option("vocabulary", &O::vocabulary, "a file with one term per line: only these are features")
          .value("FILE")
          .reads_file()
          .unrecorded(),
      option("hash-bits", &O::hash_bits, "hash terms into 2^B features")
          .value("B")
          .in(between(1, 28))
          .otherwise("none"),
      option("binary", &O::binary, "1 for a term that occurs, whatever its count"),
      option("sublinear", &O::sublinear, "1 + ln(count) instead of the count"),
      option("tfidf", &O::tfidf, "tf-idf weights, rows scaled to unit length"),
      option("normalise", &O::normalise, "scale rows to sum 1 (l1) or length 1 (l2); auto: l2 with --tfidf")
          .value("BY")};
}

TextRecipe text_recipe(const TextOptions& options) {
  TextRecipe recipe;
  recipe.rules.tokens = options.tokens;
  recipe.rules.min_length = options.min_length;
  recipe.rules.shortest_ngram = options.ngrams.shortest;
  recipe.rules.longest_ngram = options.ngrams.longest;
  recipe.rules.lowercase = options.lowercase;
  recipe.rules.stem = options.stem;
  recipe.rules.mail = options.mail;
  recipe.rules.html = options.html;
  recipe.rules.stop_words =
      options.stop_words.empty() ? options.kept_stop_words : items_of_file(options.stop_words, " \t\r\n");
  recipe.positions = options.positions;
  if (options.gap > 0) take_gap(options, recipe.rules);
  static_cast<void>(Tokeniser(recipe.rules));  // describes their fault

  const TextOptions defaults;
  if (options.min_length != defaults.min_length &&
      (options.tokens == Tokens::character || options.tokens == Tokens::character_word))
    throw Error(ErrorCode::usage, "--min-length is for tokens that are words; these are characters",
                "--ngrams " + std::to_string(options.min_length) + " takes that many characters at a time");
  refuse_both(options.positions > 0, "--positions", options.ngrams.longest > 1, "--ngrams");
  const bool hashed = options.hash_bits > 0, given = !options.vocabulary.empty() || options.kept_vocabulary;
  refuse_both(hashed, "--hash-bits", given, "--vocabulary");
  for (const auto& [differs, name] : {std::pair{options.min_df != defaults.min_df, "--min-df"},
                                      {options.max_df != defaults.max_df, "--max-df"},
                                      {options.min_count != defaults.min_count, "--min-count"},
                                      {options.drop_top != defaults.drop_top, "--drop-top"},
                                      {options.max_terms != defaults.max_terms, "--max-terms"}}) {
    refuse_both(hashed, "--hash-bits", differs, name);
    refuse_both(given, "--vocabulary", differs, name);
  }
  if (options.rank_terms != TermRanking::count && options.max_terms == 0)
    throw Error(ErrorCode::usage, "--rank-terms says which terms --max-terms keeps, which is not given",
                "--max-terms 1000");
  refuse_both(options.binary, "--binary", options.sublinear, "--sublinear");
  recipe.weighting.binary = options.binary;
  recipe.weighting.sublinear = options.sublinear;
  recipe.weighting.idf = options.tfidf;
  switch (options.normalise) {
    case Normalise::automatic: recipe.weighting.norm = options.tfidf ? RowNorm::length : RowNorm::none; break;
    case Normalise::none: recipe.weighting.norm = RowNorm::none; break;
    case Normalise::sum: recipe.weighting.norm = RowNorm::sum; break;
    case Normalise::length: recipe.weighting.norm = RowNorm::length; break;
  }
  recipe.min_df = options.min_df;
  recipe.max_df = options.max_df;
  recipe.selection = {.min_count = options.min_count,
                      .drop_top = options.drop_top,
                      .max_terms = options.max_terms,
                      .ranking = options.rank_terms};
  recipe.vocabulary = options.kept_vocabulary;
  if (!options.vocabulary.empty()) recipe.vocabulary = items_of_file(options.vocabulary, "\r\n", true);
  recipe.hash_bits = options.hash_bits;
  return recipe;
}

}  // namespace plumb
