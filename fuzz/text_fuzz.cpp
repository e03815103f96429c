// Any bytes as rules, a vocabulary and documents: the first byte chooses the rules, the rest is cut into documents at
// line ends. Fast counting must agree with the plain definition, and a lookup with both.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/text_list.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/html.h"
#include "plumb/text/lexicon.h"
#include "plumb/text/stemmer.h"
#include "plumb/text/term_counts.h"
#include "plumb/text/term_lookup.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/vocabulary.h"

namespace {

using namespace plumb;

void require(bool holds) {
  if (!holds) std::abort();
}

TokenRules rules_of(std::uint8_t choice) {
  TokenRules rules;
  rules.tokens = static_cast<Tokens>(choice & 3);
  rules.lowercase = (choice & 4) == 0;
  rules.html = (choice & 8) != 0;
  rules.longest_ngram = 1 + (choice >> 4 & 3);
  rules.shortest_ngram = (choice & 64) != 0 ? rules.longest_ngram : 1;
  if ((choice & 128) != 0 && (choice & 2) == 0) {
    rules.stop_words = {"the", "of", "\u00E9t\u00E9"};
    rules.stem = "english";
    rules.min_length = 1;
  }
  return rules;
}

using Pairs = std::vector<std::pair<std::string, std::uint32_t>>;

// Terms and counts in order of first appearance.
Pairs plain_counts(const std::vector<std::string>& terms) {
  Pairs counts;
  std::map<std::string_view, std::size_t> places;
  for (const std::string& term : terms) {
    const auto [place, first] = places.try_emplace(term, counts.size());
    if (first) counts.emplace_back(term, 0);
    ++counts[place->second].second;
  }
  return counts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 20000) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Tokeniser tokeniser(rules_of(data[0]));
  TermCounter counter(tokeniser);
  std::vector<Pairs> expected;
  std::vector<std::string_view> documents;
  for (;;) {
    const std::size_t end = text.find('\n');
    documents.push_back(text.substr(0, end));
    expected.push_back(plain_counts(tokeniser.terms(documents.back())));
    counter.add(documents.back());
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  const TermCounts counts = counter.take();
  require(counts.documents() == documents.size());
  TextList known;
  std::map<std::string, std::uint32_t> ids;
  for (std::size_t row = 0; row < documents.size(); ++row) {
    Pairs found;
    counts.for_each(row,
                    [&](std::uint32_t term, std::uint32_t count) { found.emplace_back(counts.terms[term], count); });
    require(found == expected[row]);
    for (const auto& [term, count] : found) {
      if (term.size() % 2 == 0 && ids.try_emplace(term, static_cast<std::uint32_t>(ids.size())).second) known.add(term);
    }
  }
  const Vocabulary vocabulary(known);
  TermLookup lookup(tokeniser, vocabulary);
  const TermRows rows = numbered(counts, vocabulary.ids(counts), vocabulary.size());
  std::uint64_t unseen = 0;
  for (std::size_t row = 0; row < documents.size(); ++row) {
    const TermLookup::Found found = lookup.look_up(documents[row]);
    unseen += found.unseen;
    require(found.id.size() == rows.offsets[row + 1] - rows.offsets[row]);
    for (std::size_t k = 0; k < found.id.size(); ++k) {
      require(found.id[k] == rows.id[rows.offsets[row] + k] && found.count[k] == rows.count[rows.offsets[row] + k]);
      require(k == 0 || found.id[k - 1] < found.id[k]);
    }
  }
  require(unseen == rows.unseen);
  return 0;
}
