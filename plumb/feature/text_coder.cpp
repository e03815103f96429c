#include "plumb/feature/text_coder.h"

#include <cmath>
#include <span>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/special.h"

namespace plumb {

CountedTexts::CountedTexts(const TokenRules& rules, TermCounters& counters, const Documents& documents)
    : rules_(rules), counts_(counters.count(documents.size(), [&](std::size_t i) { return documents[i]; })) {}

namespace {

std::string as_key(const TokenRules& rules) {
  std::string key;
  for (const std::uint64_t number :
       {std::uint64_t(rules.tokens), std::uint64_t{rules.min_length}, std::uint64_t{rules.shortest_ngram},
        std::uint64_t{rules.longest_ngram}, std::uint64_t{rules.lowercase}, std::uint64_t{rules.html}})
    key += std::to_string(number) + ",";
  key += rules.stem;
  for (const std::string& word : rules.stop_words) key += "\n" + word;
  return key;
}

}  // namespace

Extractor counting_extractor(std::shared_ptr<const Tokeniser> tokeniser, bool keep_documents) {
  std::string work = as_key(tokeniser->rules());
  auto counters = std::make_shared<TermCounters>(*tokeniser);
  return {[tokeniser = std::move(tokeniser), counters = std::move(counters)](const Documents& documents) {
            return std::make_shared<const CountedTexts>(tokeniser->rules(), *counters, documents);
          },
          keep_documents, std::move(work)};
}

std::shared_ptr<const CountedTexts> counted_texts(const Tokeniser& tokeniser, const Column& column) {
  if (column.extract == nullptr) {
    TermCounters counters(tokeniser);
    return std::make_shared<const CountedTexts>(tokeniser.rules(), counters, column.documents);
  }
  auto counted = std::dynamic_pointer_cast<const CountedTexts>(column.extract);
  if (counted == nullptr || counted->rules() != tokeniser.rules())
    throw Error(ErrorCode::internal, "the texts of a column were counted by other rules than are asked for");
  return counted;
}

double inverse_document_frequency(std::uint64_t documents, std::uint64_t with_term) {
  return math::log((1.0 + static_cast<double>(documents)) / (1.0 + static_cast<double>(with_term))) + 1.0;
}

TextCoder::TextCoder(const TextTerm& term) : term_(term) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::model, "the feature map is broken: " + what);
  };
  if (term.hash_bits > HashedTerms::kMostBits) refuse("a hash has too many bits");
  if (term.hash_bits > 0 ? term.names.size() != term.features() : term.vocabulary == nullptr)
    refuse("a text has no vocabulary, or names that are not those of its features");
  if (term.weighting.binary && term.weighting.sublinear) refuse("a text has two weightings");
  const bool idf = term.weighting.idf;
  if (term.document_frequency.size() != (idf ? term.features() : 0) || (!idf && term.documents > 0))
    refuse("document frequencies are not those of the terms");
  for (const std::uint64_t with_term : term.document_frequency) {
    if (with_term > term.documents) refuse("a term is in more documents than there are");
    idf_.push_back(inverse_document_frequency(term.documents, with_term));
  }
  try {
    tokeniser_ = std::make_shared<const Tokeniser>(term.rules);
  } catch (const Error& error) {
    refuse(error.message());
  }
}

std::string TextCoder::name(std::uint32_t id) const {
  const std::string_view text = term_.texts()[id];
  return text.empty() ? "#" + std::to_string(id) : std::string(text);
}

std::vector<std::uint32_t> TextCoder::ids(const TermTree& terms) const {
  if (term_.hash_bits == 0) return term_.vocabulary->ids(terms);
  std::vector<std::uint32_t> ids(terms.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::uint32_t>(term_hash(terms[i])) & (term_.features() - 1);
  return ids;
}

TextCoder::Rows TextCoder::rows(const Column& column) const {
  const std::shared_ptr<const CountedTexts> counted = counted_texts(*tokeniser_, column);
  Rows rows;
  for (std::uint64_t row = 0; row < counted->counts().documents(); ++row)
    counted->counts().for_each(row, [&](std::uint32_t, std::uint32_t count) { rows.terms += count; });
  TermRows found = numbered(counted->counts(), ids(counted->counts().terms), term_.features());
  rows.unseen = found.unseen;
  rows.offsets = std::move(found.offsets);
  rows.id = std::move(found.id);
  weigh(rows, found.count);
  return rows;
}

void TextCoder::weigh(Rows& rows, const std::vector<std::uint32_t>& count) const {
  const TermWeighting& weighting = term_.weighting;
  rows.value.resize(rows.id.size());
  for (std::size_t i = 0; i < rows.id.size(); ++i) {
    const auto times = static_cast<double>(count[i]);
    double value = weighting.binary ? 1.0 : weighting.sublinear ? 1.0 + math::log(times) : times;
    if (weighting.idf) value *= idf_[rows.id[i]];
    rows.value[i] = value;
  }
  if (weighting.norm == RowNorm::none) return;
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    const auto values = std::span(rows.value).subspan(rows.offsets[row], rows.offsets[row + 1] - rows.offsets[row]);
    double norm = 0.0;  // in the order of ids, so that its bits depend on the row alone
    for (const double value : values) norm += weighting.norm == RowNorm::sum ? value : value * value;
    if (weighting.norm == RowNorm::length) norm = std::sqrt(norm);
    for (double& value : values) value /= norm;
  }
}

}  // namespace plumb
