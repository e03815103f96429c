#include "plumb/model/explain_text.h"

#include <algorithm>
#include <map>
#include <variant>

#include "plumb/text/hashed_terms.h"
#include "plumb/text/tokeniser.h"

namespace plumb {

MarkedText mark_text(const LinearModel& model, const Explanation& explanation, std::size_t term,
                     std::string_view document) {
  const FeatureMap& map = model.parts().map;
  const TextTerm& of_texts = std::get<TextTerm>(map.parts().terms[term]);
  const BagOfWords& text = *of_texts.bag;
  MarkedText marked{map.parts().inputs[of_texts.input].name, {}};
  const bool words = text.rules.tokens == Tokens::word || text.rules.tokens == Tokens::ascii;
  if (!words || text.positions > 0) return marked;
  for (std::string& token : Tokeniser(text.rules).tokens(document)) marked.tokens.push_back({std::move(token), 0.0});

  // Where each known term begins.
  struct Occurrence {
    std::size_t first;
    std::size_t tokens;
  };
  std::map<std::uint32_t, std::vector<Occurrence>> by_id;
  const std::size_t count = marked.tokens.size();
  for (std::size_t first = 0; first < count; ++first) {
    std::string joined;
    for (std::size_t n = 1; n <= std::min<std::size_t>(text.rules.longest_ngram, count - first); ++n) {
      joined += (n == 1 ? "" : " ") + marked.tokens[first + n - 1].token;
      if (n < text.rules.shortest_ngram) continue;
      const std::uint32_t id = text.hash_bits > 0
                                   ? static_cast<std::uint32_t>(term_hash(joined)) & (text.features() - 1)
                                   : text.vocabulary->find(joined);
      if (id != kNoTerm) by_id[id].push_back({first, n});
    }
  }
  const std::uint32_t begin = map.first_feature(term), end = map.first_feature(term + 1);
  for (const Contribution& each : explanation.contributions) {
    if (each.feature < begin || each.feature >= end) continue;
    const std::vector<Occurrence>& occurrences = by_id[each.feature - begin];
    for (const Occurrence& where : occurrences)
      for (std::size_t k = 0; k < where.tokens; ++k)
        marked.tokens[where.first + k].contribution +=
            each.contribution / static_cast<double>(occurrences.size() * where.tokens);
  }
  return marked;
}

}  // namespace plumb
