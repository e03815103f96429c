#include "plumb/model/explain_text.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "plumb/text/hashed_terms.h"
#include "plumb/text/tokeniser.h"

namespace plumb {
namespace {

// Where a term occurs: its tokens, one as often as it has characters of the term.
using Places = std::vector<std::size_t>;
// The tokens of a document, and the occurrences of its terms.
struct Reading {
  std::vector<std::string> tokens;
  std::vector<std::pair<std::string, Places>> terms;
};

Reading read_words(const BagOfWords& text, std::string_view document) {
  Reading reading{Tokeniser(text.rules).tokens(document), {}};
  const std::size_t count = reading.tokens.size();
  if (text.positions > 0) {
    for (std::size_t i = 0; i < std::min<std::size_t>(text.positions, count); ++i)
      reading.terms.emplace_back(std::to_string(i + 1) + "=" + reading.tokens[i], Places{i});
    return reading;
  }
  for (std::size_t first = 0; first < count; ++first) {
    std::string joined;
    Places places;
    for (std::size_t n = 1; n <= std::min<std::size_t>(text.rules.longest_ngram, count - first); ++n) {
      joined += (n == 1 ? "" : " ") + reading.tokens[first + n - 1];
      places.push_back(first + n - 1);
      if (n >= text.rules.shortest_ngram) reading.terms.emplace_back(joined, places);
    }
  }
  return reading;
}

// Terms of characters are shown as the words around them; a blank belongs to the word before it, or the first.
Reading read_characters(const BagOfWords& text, std::string_view document) {
  const Tokeniser tokeniser(text.rules);
  const std::vector<std::string> characters = tokeniser.characters(document);
  Reading reading;
  Places word_of;
  bool within = false;
  for (const std::string& each : characters) {
    const bool blank = each == " ";
    if (!blank && !within) reading.tokens.emplace_back();
    if (!blank) reading.tokens.back() += each;
    within = !blank;
    word_of.push_back(std::max<std::size_t>(reading.tokens.size(), 1) - 1);
  }
  if (reading.tokens.empty()) return reading;
  if (text.rules.tokens == Tokens::character_word) {
    for (std::size_t i = 0; i < reading.tokens.size(); ++i)
      for (std::string& term : tokeniser.terms(reading.tokens[i]))
        reading.terms.emplace_back(std::move(term), Places{i});
    return reading;
  }
  for (std::size_t first = 0; first < characters.size(); ++first) {
    std::string joined;
    Places places;
    for (std::size_t n = 1; n <= std::min<std::size_t>(text.rules.longest_ngram, characters.size() - first); ++n) {
      joined += characters[first + n - 1];
      places.push_back(word_of[first + n - 1]);
      if (n >= text.rules.shortest_ngram) reading.terms.emplace_back(joined, places);
    }
  }
  return reading;
}

}  // namespace

MarkedText mark_text(const LinearModel& model, const Explanation& explanation, std::size_t term,
                     std::string_view document) {
  const FeatureMap& map = model.parts().map;
  const TextTerm& of_texts = std::get<TextTerm>(map.parts().terms[term]);
  const BagOfWords& text = *of_texts.bag;
  const bool words = text.rules.tokens == Tokens::word || text.rules.tokens == Tokens::ascii;
  Reading reading = words ? read_words(text, document) : read_characters(text, document);
  MarkedText marked{map.parts().inputs[of_texts.input].name, {}};
  for (std::string& token : reading.tokens) marked.tokens.push_back({std::move(token), 0.0});

  std::map<std::uint32_t, std::vector<const Places*>> by_id;
  for (const auto& [name, places] : reading.terms) {
    const std::uint32_t id = text.hash_bits > 0 ? static_cast<std::uint32_t>(term_hash(name)) & (text.features() - 1)
                                                : text.vocabulary->find(name);
    if (id != kNoTerm) by_id[id].push_back(&places);
  }
  const std::uint32_t begin = map.first_feature(term), end = map.first_feature(term + 1);
  for (const Contribution& each : explanation.contributions) {
    if (each.feature < begin || each.feature >= end) continue;
    const std::vector<const Places*>& occurrences = by_id[each.feature - begin];
    for (const Places* const places : occurrences)
      for (const std::size_t token : *places)
        marked.tokens[token].contribution +=
            each.contribution / static_cast<double>(occurrences.size() * places->size());
  }
  return marked;
}

}  // namespace plumb
