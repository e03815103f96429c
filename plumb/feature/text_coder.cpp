#include "plumb/feature/text_coder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/special.h"
#include "plumb/text/term_lookups.h"
#include "plumb/text/word_ids.h"

namespace plumb {
namespace {

// The first words of each text as terms such as "2=sir", each once.
TermCounts placed_terms(const Tokeniser& tokeniser, std::uint32_t positions, TextViews documents) {
  TermCounts counts;
  std::unordered_map<std::string, std::uint32_t> ids;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::vector<std::string> terms = tokeniser.terms(documents[i]);
    for (std::size_t place = 0; place < std::min<std::size_t>(positions, terms.size()); ++place) {
      const std::string placed = std::to_string(place + 1) + "=" + terms[place];
      const auto [id, is_new] = ids.try_emplace(placed, static_cast<std::uint32_t>(ids.size()));
      if (is_new) counts.terms.add_token(placed);
      TermCounts::pack(id->second, 1, counts.packed);
    }
    counts.offsets.push_back(counts.packed.size());
  }
  return counts;
}

std::shared_ptr<const CountedTexts> count_texts(const Tokeniser& tokeniser, std::uint32_t positions,
                                                TermCounters& counters, TextViews documents) {
  return std::make_shared<const CountedTexts>(
      tokeniser.rules(), positions,
      positions > 0 ? placed_terms(tokeniser, positions, documents)
                    : counters.count(documents.size(), [&](std::size_t i) { return documents[i]; }));
}

std::string as_key(const TokenRules& rules, std::uint32_t positions) {
  std::string key = std::to_string(positions) + ",";
  for (const std::uint64_t number :
       {std::uint64_t(rules.tokens), std::uint64_t{rules.min_length}, std::uint64_t{rules.shortest_ngram},
        std::uint64_t{rules.longest_ngram}, std::uint64_t{rules.lowercase}, std::uint64_t{rules.html},
        std::uint64_t{rules.gap}, std::uint64_t(rules.mail)})
    key += std::to_string(number) + ",";
  key += rules.stem;
  for (const std::string& word : rules.stop_words) key += "\n" + word;
  return key;
}

// Counts in the form that Values would choose for them, without a copy of doubles.
Values as_values(const std::vector<std::uint32_t>& count) {
  std::uint32_t any = 0;
  for (const std::uint32_t each : count) any |= each;
  if (any <= 1) return Values::of_ones(count.size());
  if (any >> std::numeric_limits<float>::digits == 0) {
    const auto* const ints = reinterpret_cast<const int*>(count.data());  // which one instruction converts to floats
    return Values::of(std::vector<float>(ints, ints + count.size()));
  }
  return Values::of(std::vector<double>(count.begin(), count.end()));
}

}  // namespace

namespace {

// The terms of some documents, numbered again: those of others may be in the tree, and in another order by chance.
class Renumbered {
 public:
  explicit Renumbered(const TermTree& all) : all_(all), number_(all.size(), kNoTerm) {}

  std::uint32_t number(std::uint32_t term) {
    if (number_[term] != kNoTerm) return number_[term];
    if (all_.is_token(term)) {
      tree_.add_token(all_.token(term));
    } else {  // as deep as an n-gram is long
      const TermTree::Parts parts = all_.parts(term);
      const std::uint32_t prefix = number(parts.prefix), last = number(parts.last);
      tree_.add_ngram({prefix, last});
    }
    return number_[term] = static_cast<std::uint32_t>(tree_.size() - 1);
  }
  TermTree take() { return tree_.take(); }

 private:
  const TermTree& all_;
  std::vector<std::uint32_t> number_;
  TermTree tree_;
};

}  // namespace

std::shared_ptr<const Extract> CountedTexts::of_rows(std::span<const std::uint64_t> rows) const {
  TermCounts some;
  Renumbered terms(counts_.terms);
  for (const std::uint64_t row : rows) {
    counts_.for_each(row, [&](std::uint32_t term, std::uint32_t count) {
      TermCounts::pack(terms.number(term), count, some.packed);
    });
    some.offsets.push_back(some.packed.size());
  }
  some.terms = terms.take();
  return std::make_shared<const CountedTexts>(rules_, positions_, std::move(some));
}

void CountedTexts::remember(std::shared_ptr<const KnownIds> known) const {
  known_.with([&](std::shared_ptr<const KnownIds>& last) { last = std::move(known); });
}

std::shared_ptr<const CountedTexts::KnownIds> CountedTexts::known_ids(const Vocabulary* vocabulary) const {
  const std::shared_ptr<const KnownIds> last = known_.with([](const auto& known) { return known; });
  return vocabulary != nullptr && last != nullptr && last->vocabulary.get() == vocabulary ? last : nullptr;
}

std::vector<std::uint32_t> CountedTexts::given_away() const {
  if (gone_.exchange(true)) throw Error(ErrorCode::internal, "the counts of a column were used up before");
  return std::move(counts_.packed);
}

Extractor counting_extractor(std::shared_ptr<const Tokeniser> tokeniser, std::uint32_t positions, bool keep_documents) {
  std::string work = as_key(tokeniser->rules(), positions);
  auto counters = std::make_shared<TermCounters>(*tokeniser);
  return {[tokeniser = std::move(tokeniser), positions, counters = std::move(counters)](TextViews documents) {
            return count_texts(*tokeniser, positions, *counters, documents);
          },
          keep_documents, std::move(work)};
}

std::shared_ptr<const CountedTexts> counted_texts(const Tokeniser& tokeniser, std::uint32_t positions,
                                                  const Column& column) {
  if (column.extract == nullptr) {
    TermCounters counters(tokeniser);
    return count_texts(tokeniser, positions, counters, column.documents.views());
  }
  auto counted = std::dynamic_pointer_cast<const CountedTexts>(column.extract);
  if (counted == nullptr || !counted->made_by(tokeniser.rules(), positions))
    throw Error(ErrorCode::internal, "the texts of a column were counted by other rules than are asked for");
  return counted;
}

double inverse_document_frequency(std::uint64_t documents, std::uint64_t with_term) {
  return math::log((1.0 + static_cast<double>(documents)) / (1.0 + static_cast<double>(with_term))) + 1.0;
}

TextCoder::TextCoder(const BagOfWords& bag) : bag_(bag) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::model, "the feature map is broken: " + what);
  };
  if (bag.hash_bits > HashedTerms::kMostBits) refuse("a hash has too many bits");
  if (bag.hash_bits > 0 ? bag.names.size() != bag.features() : bag.vocabulary == nullptr)
    refuse("a text has no vocabulary, or names that are not those of its features");
  if (bag.weighting.binary && bag.weighting.sublinear) refuse("a text has two weightings");
  const bool idf = bag.weighting.idf;
  if (bag.document_frequency.size() != (idf ? bag.features() : 0) || (!idf && bag.documents > 0))
    refuse("document frequencies are not those of the terms");
  for (const std::uint64_t with_term : bag.document_frequency) {
    if (with_term > bag.documents) refuse("a term is in more documents than there are");
    idf_.push_back(inverse_document_frequency(bag.documents, with_term));
  }
  try {
    tokeniser_ = std::make_shared<const Tokeniser>(bag.rules);
  } catch (const Error& error) {
    refuse(error.message());
  }
}

std::string TextCoder::name(std::uint32_t id) const {
  const std::string_view text = bag_.texts()[id];
  return text.empty() ? "#" + std::to_string(id) : std::string(text);
}

std::vector<std::uint32_t> TextCoder::ids(const TermCounts& counts) const {
  if (bag_.hash_bits == 0) return bag_.vocabulary->ids(counts);
  std::vector<std::uint32_t> ids(counts.terms.size(), kNoTerm);
  for (const std::uint32_t term : counts.used_terms())
    ids[term] = static_cast<std::uint32_t>(term_hash(counts.terms[term])) & (bag_.features() - 1);
  return ids;
}

// Rows that were made while the texts were parsed.
class TextCoder::Coded final : public Extract {
 public:
  Coded(std::shared_ptr<const TextCoder> coder, Rows rows) : coder_(std::move(coder)), rows_(std::move(rows)) {}

  // Coders of one bag make the same rows.
  bool are_of(const BagOfWords& bag) const { return &coder_->bag_ == &bag; }
  Rows rows() const { return rows_; }
  Rows given_away() const { return std::move(rows_); }  // for a used-up column
  std::uint64_t bytes() const noexcept override {
    return rows_.offsets.size() * sizeof rows_.offsets[0] + rows_.id.size() * sizeof rows_.id[0] + rows_.value.bytes();
  }

 private:
  std::shared_ptr<const TextCoder> coder_;
  mutable Rows rows_;
};

TextCoder::Rows TextCoder::rows(const Column& column, bool used_up) const {
  const auto* const coded = dynamic_cast<const Coded*>(column.extract.get());
  if (coded == nullptr || !coded->are_of(bag_)) {
    const auto counted = counted_texts(*tokeniser_, bag_.positions, column);
    const bool own = column.extract == nullptr ? counted.use_count() == 1 : used_up && counted.use_count() == 2;
    return rows_of(*counted, own);
  }
  return used_up && column.extract.use_count() == 1 ? coded->given_away() : coded->rows();
}

Extractor TextCoder::extractor(std::shared_ptr<const TextCoder> coder, bool keep_documents) {
  const BagOfWords& bag = coder->bag_;
  const Tokeniser& tokeniser = *coder->tokeniser_;
  // Words are looked up one by one, and results are remembered from piece to piece. Pieces contain too many other terms
  // that occur only once: they are counted first.
  std::function<std::shared_ptr<const Extract>(TextViews)> make;
  if (bag.positions == 0 && WordIds::serves(bag.rules)) {
    auto lookups = bag.hash_bits > 0 ? std::make_shared<TermLookups>(tokeniser, bag.hash_bits)
                                     : std::make_shared<TermLookups>(tokeniser, *bag.vocabulary);
    make = [coder, lookups = std::move(lookups)](TextViews documents) {
      std::shared_ptr<const Coded> coded;
      lookups->with_rows(documents, [&](const TermRows& found) {
        coded = std::make_shared<const Coded>(coder, coder->rows_of(found.offsets, found.id, found));
      });
      return coded;
    };
  } else {
    make = [coder, counters = std::make_shared<TermCounters>(tokeniser)](TextViews documents) {
      const auto counted = count_texts(*coder->tokeniser_, coder->bag_.positions, *counters, documents);
      return std::make_shared<const Coded>(coder, coder->rows_of(*counted, true));
    };
  }
  const auto here = reinterpret_cast<std::uintptr_t>(&bag);
  return {std::move(make), keep_documents, "coded by " + std::to_string(here)};
}

TextCoder::Rows TextCoder::rows_of(const CountedTexts& counted, bool used_up) const {
  const TermCounts& counts = counted.counts();
  const auto known = counted.known_ids(bag_.vocabulary.get());
  std::vector<std::uint32_t> looked_up;
  if (known == nullptr) looked_up = ids(counts);
  const std::vector<std::uint32_t>& ids = known != nullptr ? known->ids : looked_up;
  SmallRows found =
      numbered_in_place(used_up ? counted.given_away() : counts.packed, counts.offsets, ids, bag_.features());
  Rows rows{std::move(found.offsets), std::move(found.id), {}, found.terms, found.unseen};
  if (bag_.weighting != TermWeighting{} || !found.large.empty()) {
    rows.value = weights(rows, found.counts());
    return rows;
  }
  std::uint8_t any = 0;
  for (const std::uint8_t count : found.count) any |= count;
  rows.value = any <= 1 ? Values::of_ones(found.count.size()) : Values::of(std::move(found.count));
  return rows;
}

TextCoder::Rows TextCoder::rows_of(std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> id,
                                   const TermRows& counted) const {
  Rows rows{std::move(offsets), std::move(id), {}, counted.unseen, counted.unseen};
  for (const std::uint32_t count : counted.count) rows.terms += count;
  rows.value = weights(rows, counted.count);
  return rows;
}

Values TextCoder::weights(const Rows& rows, const std::vector<std::uint32_t>& count) const {
  const TermWeighting& weighting = bag_.weighting;
  if (weighting == TermWeighting{}) return as_values(count);
  std::vector<double> values(rows.id.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto times = static_cast<double>(count[i]);
    values[i] = weighting.binary ? 1.0 : weighting.sublinear ? 1.0 + math::log(times) : times;
    if (weighting.idf) values[i] *= idf_[rows.id[i]];
  }
  for (std::size_t row = 0; row + 1 < rows.offsets.size() && weighting.norm != RowNorm::none; ++row) {
    const auto its = std::span(values).subspan(rows.offsets[row], rows.offsets[row + 1] - rows.offsets[row]);
    double norm = 0.0;  // in the order of ids, so that its bits depend on the row alone
    for (const double value : its) norm += weighting.norm == RowNorm::sum ? value : value * value;
    if (weighting.norm == RowNorm::length) norm = std::sqrt(norm);
    for (double& value : its) value /= norm;
  }
  Values narrow;
  narrow.reserve(values.size());
  narrow.append(values);
  narrow.shrink();
  return narrow;
}

}  // namespace plumb
