#include "plumb/feature/learn_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/text_coder.h"
#include "plumb/text/lexicon.h"

namespace plumb {
namespace {

constexpr std::size_t kMostClasses = 1000;

// The counts of every piece, in row order.
class CountedPieces {
 public:
  CountedPieces(const Tables& tables, std::size_t column, const TextRecipe& recipe, const Run& run) {
    const Tokeniser tokeniser(recipe.rules);
    counted_.resize(tables.pieces.size());
    run.for_each(Phase::learning, counted_.size(), [&](std::size_t i) {
      counted_[i] = counted_texts(tokeniser, recipe.positions, tables.pieces[i].columns[column]);
    });
    for (const auto& each : counted_) counts_.push_back(&each->counts());
  }
  TermPieces pieces() const noexcept { return counts_; }

  // The ids of the selected terms, so that rows can be made without the texts of the terms.
  void remember(const std::shared_ptr<const Vocabulary>& vocabulary, const Lexicon& lexicon,
                std::span<const std::uint32_t> selected, const Run& run) const {
    const std::vector<std::uint32_t> by_number = ids_by_number(selected, lexicon.size());
    std::vector<std::shared_ptr<const CountedTexts::KnownIds>> known(lexicon.numberings());
    run.for_each(Phase::learning, known.size(), [&](std::size_t i) {
      known[i] = std::make_shared<const CountedTexts::KnownIds>(
          CountedTexts::KnownIds{vocabulary, piece_ids(lexicon.numbering(i), by_number)});
    });
    for (std::size_t i = 0; i < counted_.size(); ++i) counted_[i]->remember(known[lexicon.numbering_of(i)]);
  }

 private:
  std::vector<std::shared_ptr<const CountedTexts>> counted_;
  std::vector<const TermCounts*> counts_;
};

// The classes of the rows by the target, which may be a number with few values.
struct TargetClasses {
  std::vector<std::uint32_t> of_row;
  std::uint32_t classes = 0;

  TargetClasses(const Tables& tables, std::size_t target) {
    std::map<std::string, std::uint32_t> by_text;
    std::map<double, std::uint32_t> by_number;
    const auto code = [&](auto& known, const auto& value) {
      of_row.push_back(known.emplace(value, static_cast<std::uint32_t>(known.size())).first->second);
      if (known.size() > kMostClasses)
        throw Error(
            ErrorCode::usage,
            "--rank-terms needs classes; the target takes more than " + std::to_string(kMostClasses) + " values",
            "--rank-terms count");
      classes = static_cast<std::uint32_t>(known.size());
    };
    for (const Table& table : tables.pieces) {
      const Column& column = table.columns[target];
      for (const double value : column.numbers) code(by_number, value);
      for (const std::uint32_t level : column.codes) code(by_text, column.levels[level]);
    }
  }
};

// For hashed or given terms.
std::vector<std::uint64_t> document_frequencies(const BagOfWords& term, const Tables& tables, std::size_t column,
                                                const RowSet& rows) {
  const TextCoder coder(term);
  std::vector<std::uint64_t> frequency(term.features());
  for (const Table& table : tables.pieces) {
    const TextCoder::Rows coded = coder.rows(table.columns[column]);
    for (std::uint64_t row = 0; row < table.rows; ++row)
      if (rows.has(table.first_row + row))
        for (std::uint64_t i = coded.offsets[row]; i < coded.offsets[row + 1]; ++i) ++frequency[coded.id[i]];
  }
  return frequency;
}

[[noreturn]] void refuse_empty(const TextColumn& where, const TextRecipe& recipe, std::uint64_t terms,
                               std::uint64_t rows) {
  const std::string called = "column " + in_quotes(where.name);
  if (terms == 0)
    throw Error(ErrorCode::data,
                called + " holds no terms in " + counted(rows, "training row") + "; some were expected",
                "--drop " + as_typed_item(where.name) + " leaves it out, --min-length 1 takes words of one letter");
  throw Error(ErrorCode::data,
              called + " holds " + counted(terms, "term") + " in " + counted(rows, "training row") +
                  ", of which none is left by --min-df " + OptionText<DocumentLimit>::text(recipe.min_df) +
                  ", --max-df " + OptionText<DocumentLimit>::text(recipe.max_df) + ", --min-count " +
                  std::to_string(recipe.selection.min_count) + " and --drop-top " +
                  std::to_string(recipe.selection.drop_top),
              "--min-df 1 --max-df 1.0 --min-count 1 --drop-top 0 takes every term");
}

void sort_by_text(std::vector<std::uint32_t>& numbers, const Lexicon& lexicon) {
  std::vector<std::pair<std::string, std::uint32_t>> terms;
  terms.reserve(numbers.size());
  for (const std::uint32_t number : numbers) {
    terms.emplace_back(std::string(), number);
    lexicon.terms().append_text(number, terms.back().first);
  }
  std::sort(terms.begin(), terms.end());
  std::transform(terms.begin(), terms.end(), numbers.begin(), [](const auto& term) { return term.second; });
}

class TextLearner {
 public:
  TextLearner(const Tables& tables, const TextColumn& where, const TextRecipe& recipe, const RowSet& rows,
              const Run& run, std::vector<std::string>& said)
      : tables_(tables),
        where_(where),
        recipe_(recipe),
        rows_(rows),
        run_(run),
        said_(said),
        counted_(tables, where.column, recipe, run) {
    bag_.rules = recipe.rules;
    bag_.positions = recipe.positions;
    bag_.weighting = recipe.weighting;
  }

  BagOfWords learn() {
    std::vector<std::string> idle = Tokeniser(recipe_.rules).idle_stop_words();
    std::erase_if(idle, [&](const std::string& word) { return word.size() < recipe_.rules.min_length; });
    if (!idle.empty()) said_.push_back("stop words that are no term by themselves stop nothing: " + listed(idle));
    if (recipe_.hash_bits > 0)
      hash();
    else if (recipe_.vocabulary)
      take_given();
    else
      choose();
    if (!recipe_.weighting.idf) return std::move(bag_);
    bag_.documents = rows_.count();
    if (bag_.document_frequency.empty()) {
      BagOfWords plain = bag_;  // only counts are needed
      plain.weighting = {};
      plain.documents = 0;
      bag_.document_frequency = document_frequencies(plain, tables_, where_.column, rows_);
    }
    return std::move(bag_);
  }

 private:
  void choose() {
    const Lexicon lexicon = Lexicon::merge(counted_.pieces(), run_);
    std::optional<TargetClasses> target;
    RowClasses classes;
    if (recipe_.selection.ranking != TermRanking::count) {
      target.emplace(tables_, where_.target);
      classes = {target->of_row, target->classes};
    }
    const TermStatistics statistics = term_statistics(counted_.pieces(), lexicon, rows_, run_, classes);
    TermSelection selection = recipe_.selection;
    selection.min_documents = recipe_.min_df.of(statistics.rows);
    selection.max_documents = recipe_.max_df.of(statistics.rows);
    std::vector<std::uint32_t> selected = select_terms(statistics, selection);
    if (recipe_.by_text) sort_by_text(selected, lexicon);
    const auto there = static_cast<std::uint64_t>(std::count_if(
        statistics.documents.begin(), statistics.documents.end(), [](std::uint32_t count) { return count > 0; }));
    if (selected.empty() && !recipe_.may_be_none) refuse_empty(where_, recipe_, there, statistics.rows);
    bag_.vocabulary = std::make_shared<const Vocabulary>(lexicon, selected);
    counted_.remember(bag_.vocabulary, lexicon, selected, run_);
    if (recipe_.weighting.idf)
      for (const std::uint32_t number : selected) bag_.document_frequency.push_back(statistics.documents[number]);
    say(selected.size() == there ? counted(there, "different term")
                                 : count_text(selected.size()) + " of " + counted(there, "different term"));
  }

  void take_given() {
    TextList terms;
    for (const std::string& text : *recipe_.vocabulary) terms.add(text);
    try {
      bag_.vocabulary = std::make_shared<const Vocabulary>(std::move(terms));
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, "--vocabulary: " + error.message(), error.hint());
    }
    if (recipe_.positions > 0)
      for (const std::string& text : *recipe_.vocabulary)
        if (!word_in_place(text))
          throw Error(ErrorCode::data,
                      "--vocabulary holds " + in_quotes(text) + "; with --positions " +
                          std::to_string(recipe_.positions) + " terms such as 1=dear were expected",
                      "leave out --positions for a bag of words");
    say("the " + counted(bag_.features(), "term") + " of --vocabulary");
    say_idle_terms();
  }

  // From 1=dear the word, if the place is one of --positions.
  std::optional<std::string_view> word_in_place(std::string_view term) const {
    const std::size_t sign = term.find('=');
    const ParsedNumber place = parse_number(term.substr(0, sign));
    if (sign == term.npos || place.fault != NumberFault::none || place.value < 1 ||
        place.value != std::floor(place.value) || place.value > static_cast<double>(recipe_.positions))
      return {};
    return term.substr(sign + 1);
  }

  // Given terms that no text can produce, because they are written differently: Word although words are lowercased, two
  // words although terms are single ones, a stop word. Stems are accepted as they are: a stem may have another stem.
  void say_idle_terms() {
    TokenRules rules = recipe_.rules;
    rules.stem.clear();
    const Tokeniser tokeniser(rules);
    std::vector<std::string> idle;
    for (const std::string& term : *recipe_.vocabulary) {
      std::string_view word = term;
      if (recipe_.positions > 0) word = word_in_place(word).value_or(std::string_view());
      const std::vector<std::string> made = tokeniser.terms(word);
      if (std::find(made.begin(), made.end(), word) == made.end()) idle.push_back(term);
    }
    if (!idle.empty()) said_.push_back("terms of --vocabulary that no text can hold stay 0: " + listed(idle));
  }

  void hash() {
    const std::uint64_t features = std::uint64_t{1} << recipe_.hash_bits;
    run_.memory.expect(features * HashedTerms::kColumnBytes,
                       count_text(features) + " features of --hash-bits " + std::to_string(recipe_.hash_bits) + " need",
                       "--hash-bits " + std::to_string(std::max(1u, std::min(18u, recipe_.hash_bits - 2))));
    HashedTerms hashed(recipe_.hash_bits);
    std::uint64_t first = 0;
    for (const TermCounts* const piece : counted_.pieces()) {
      std::vector<bool> used(piece->terms.size());
      for (std::uint64_t row = 0; row < piece->documents(); ++row)
        if (rows_.has(first + row)) piece->for_each(row, [&](std::uint32_t term, std::uint32_t) { used[term] = true; });
      first += piece->documents();
      TextList met;
      for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) met.add(piece->terms[i]);
      hashed.meet(met);
    }
    bag_.hash_bits = recipe_.hash_bits;
    bag_.names.reserve(hashed.columns(), 0);
    for (std::uint32_t id = 0; id < hashed.columns(); ++id) bag_.names.add(hashed.name(id));
    say(counted(hashed.columns(), "hashed feature") + ", " + count_text(hashed.met()) + " of them in use and " +
        count_text(hashed.shared()) + " shared by different terms");
  }

  void say(const std::string& what) { said_.push_back("column " + in_quotes(where_.name) + " is text: " + what); }

  const Tables& tables_;
  const TextColumn& where_;
  const TextRecipe& recipe_;
  const RowSet& rows_;
  const Run& run_;
  std::vector<std::string>& said_;
  CountedPieces counted_;
  BagOfWords bag_;
};

}  // namespace

BagOfWords learn_text(const Tables& tables, const TextColumn& where, const TextRecipe& recipe, const RowSet& rows,
                      const Run& run, std::vector<std::string>& said) {
  return TextLearner(tables, where, recipe, rows, run, said).learn();
}

}  // namespace plumb
