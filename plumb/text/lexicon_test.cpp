#include "plumb/text/lexicon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "plumb/text/testing.h"
#include "plumb/text/vocabulary.h"

namespace plumb::lexicon_test {
namespace {

// Some documents cut into pieces, and counted.
struct Corpus {
  std::vector<std::string> documents;
  std::vector<TermCounts> counts;
  std::vector<const TermCounts*> pieces;

  Corpus(std::vector<std::string> texts, const TokenRules& rules, std::size_t piece_size)
      : documents(std::move(texts)) {
    const Tokeniser tokeniser(rules);
    TermCounter counter(tokeniser);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      counter.add(documents[i]);
      if ((i + 1) % piece_size == 0 || i + 1 == documents.size()) counts.push_back(counter.take());
    }
    for (const TermCounts& each : counts) pieces.push_back(&each);
  }
};

std::vector<std::string> random_documents(std::uint64_t seed, std::size_t count) {
  Draws random(seed);
  std::vector<std::string> documents(count);
  for (std::string& each : documents) each = random_document(random);
  return documents;
}

// Texts of the terms of a vocabulary learnt on some rows, in the order of ids.
std::vector<std::string> learnt(const Corpus& corpus, const RowSet& rows, const TermSelection& selection,
                                const plumb::Run& run, const RowClasses& classes = {}) {
  const Lexicon lexicon = Lexicon::merge(corpus.pieces, run);
  const auto selected = select_terms(term_statistics(corpus.pieces, lexicon, rows, run, classes), selection);
  std::vector<std::string> texts;
  for (const std::uint32_t number : selected) texts.push_back(lexicon.terms()[number]);
  return texts;
}

TEST(Lexicon, StatisticsAreThoseOfTheTermsAndAMap) {
  Executor executor(2);
  const plumb::Run run{executor};
  for (const TokenRules& rules : sample_rules()) {
    const Corpus corpus(random_documents(1, 60), rules, 7);
    const Lexicon lexicon = Lexicon::merge(corpus.pieces, run);
    const RowSet all(corpus.documents.size(), true);
    RowSet some(all.rows());
    for (std::uint64_t row = 0; row < some.rows(); ++row) {
      if (row % 3 != 1) some.add(row);
    }
    for (const RowSet& rows : {all, some}) {
      std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> expected;  // documents, count
      const Tokeniser tokeniser(rules);
      for (std::size_t row = 0; row < corpus.documents.size(); ++row) {
        if (!rows.has(row)) continue;
        std::map<std::string, std::uint64_t> of_document;
        for (const std::string& term : tokeniser.terms(corpus.documents[row])) ++of_document[term];
        for (const auto& [term, count] : of_document) {
          ++expected[term].first;
          expected[term].second += count;
        }
      }
      const TermStatistics statistics = term_statistics(corpus.pieces, lexicon, rows, run);
      EXPECT_EQ(statistics.rows, rows.count());
      std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> found;
      for (std::uint32_t i = 0; i < lexicon.size(); ++i) {
        if (statistics.documents[i] == 0) continue;
        EXPECT_TRUE(found.emplace(lexicon.terms()[i], std::pair{statistics.documents[i], statistics.count[i]}).second);
      }
      EXPECT_EQ(found, expected);
    }
  }
}

// Numbers and counts of all entries, document after document.
std::vector<std::pair<std::uint32_t, std::uint32_t>> numbered_entries(const TermCounts& piece,
                                                                      std::span<const std::uint32_t> numbers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::uint64_t document = 0; document < piece.documents(); ++document) {
    piece.for_each(document,
                   [&](std::uint32_t term, std::uint32_t count) { entries.emplace_back(numbers[term], count); });
    entries.emplace_back(kNoTerm, 0);
  }
  return entries;
}

// Which texts pieces share depends on who counted them; nothing else does.
TEST(Lexicon, PiecesMayComeFromAnyCountersInAnyOrder) {
  Executor executor(1);
  const plumb::Run run{executor};
  const std::vector<std::string> documents = random_documents(12, 60);
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    std::vector<TermCounter> counters;
    for (int i = 0; i < 3; ++i) counters.emplace_back(tokeniser);
    std::vector<TermCounts> shared(15), alone(15);
    for (std::size_t k = 0; k < shared.size(); ++k) {
      const std::size_t piece = k * 7 % 15;  // not in the order of pieces
      TermCounter& counter = counters[k % 3];
      TermCounter its_own(tokeniser);
      for (std::size_t i = 4 * piece; i < 4 * piece + 4; ++i) {
        counter.add(documents[i]);
        its_own.add(documents[i]);
      }
      shared[piece] = counter.take();
      alone[piece] = its_own.take();
    }
    for (const std::size_t step : {1, 2, 4, 14}) {  // all in order, some, all in another order
      std::vector<const TermCounts*> pieces, expected;
      for (std::size_t k = 0; k < (step == 2 ? 7u : 15u); ++k) {
        pieces.push_back(&shared[k * step % 15]);
        expected.push_back(&alone[k * step % 15]);
      }
      const Lexicon lexicon = Lexicon::merge(pieces, run), plain = Lexicon::merge(expected, run);
      EXPECT_EQ(lexicon.terms(), plain.terms());
      for (std::size_t k = 0; k < pieces.size(); ++k)
        EXPECT_EQ(numbered_entries(*pieces[k], lexicon.numbers(k)), numbered_entries(*expected[k], plain.numbers(k)));
      // The same for some rows: ties are in the order of rows, whatever the numbers are.
      RowSet rows(4 * pieces.size());
      for (std::uint64_t row = 0; row < rows.rows(); ++row)
        if (row % 3 != 0) rows.add(row);
      const TermStatistics some = term_statistics(pieces, lexicon, rows, run);
      EXPECT_EQ(select_terms(some, {}), select_terms(term_statistics(expected, plain, rows, run), {}));
    }
  }
}

// Enough texts that they are looked up in parts, some of them longer than a key, from two counters that met most of
// them both.
TEST(Lexicon, ManyTextsOfSomeCountersAreNumberedByFirstOccurrence) {
  const Tokeniser tokeniser({});
  std::vector<TermCounter> counters;
  for (int i = 0; i < 2; ++i) counters.emplace_back(tokeniser);
  Draws random(14);
  std::vector<TermCounts> counts;
  std::vector<std::string> order;
  std::map<std::string, std::uint32_t> met;
  std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> sums;
  for (int piece = 0; piece < 40; ++piece) {
    TermCounter& counter = counters[random.below(2)];
    for (int row = 0; row < 3; ++row) {
      std::string document;
      std::map<std::string, std::uint64_t> its;
      const std::uint64_t times = row == 2 && piece % 7 == 0 ? 300 : 1;  // more than a byte holds
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t which = random.below(20'000);
        const std::string word = (which % 5 == 0 ? "a_word_that_no_key_can_hold_" : "w") + std::to_string(which);
        for (std::uint64_t k = 0; k < (i == 0 ? times : 1); ++k, ++its[word]) document += word + " ";
        if (met.try_emplace(word, met.size()).second) order.push_back(word);
      }
      for (const auto& [word, count] : its) {
        ++sums[word].first;
        sums[word].second += count;
      }
      counter.add(document);
    }
    counts.push_back(counter.take());
  }
  std::vector<const TermCounts*> pieces;
  for (const TermCounts& each : counts) pieces.push_back(&each);
  for (const unsigned threads : {1u, 3u}) {
    Executor executor(threads);
    const plumb::Run run{executor};
    const Lexicon lexicon = Lexicon::merge(pieces, run);
    EXPECT_LE(lexicon.numberings(), 2u);
    ASSERT_EQ(lexicon.size(), order.size());
    const TermStatistics statistics = term_statistics(pieces, lexicon, RowSet(120, true), run);
    for (std::uint32_t i = 0; i < lexicon.size(); ++i) {
      ASSERT_EQ(lexicon.terms()[i], order[i]);
      ASSERT_EQ(statistics.documents[i], sums[order[i]].first);
      ASSERT_EQ(statistics.count[i], sums[order[i]].second);
    }
    for (std::size_t p = 0; p < pieces.size(); ++p)
      for (const std::uint32_t term : pieces[p]->used_terms())
        ASSERT_EQ(lexicon.numbers(p)[term], met[pieces[p]->terms[term]]);
  }
}

TEST(Lexicon, NothingDependsOnWherePiecesWereCutOrOnThreads) {
  for (const TokenRules& rules : sample_rules()) {
    std::vector<std::string> first;
    TermTree terms;
    for (const std::size_t piece_size : {1u, 3u, 17u, 100u}) {
      Executor executor(static_cast<unsigned>(1 + piece_size % 4));
      const plumb::Run run{executor};
      const Corpus corpus(random_documents(2, 50), rules, piece_size);
      const Lexicon lexicon = Lexicon::merge(corpus.pieces, run);
      const std::vector<std::string> order = learnt(corpus, RowSet(50, true), {}, run);
      if (piece_size == 1) {
        first = order;
        terms = lexicon.terms();
      }
      EXPECT_EQ(order, first);
      EXPECT_EQ(lexicon.terms(), terms);
    }
  }
}

TEST(Lexicon, TheVocabularyOfSomeRowsIsAsIfTheOthersHadNeverBeenRead) {
  Executor executor(2);
  const plumb::Run run{executor};
  const std::vector<std::string> documents = random_documents(3, 80);
  for (const TokenRules& rules : sample_rules()) {
    for (const TermSelection& selection :
         {TermSelection{}, TermSelection{.min_documents = 2, .max_documents = 20, .drop_top = 3, .max_terms = 40}}) {
      const Corpus all(documents, rules, 11);
      RowSet rows(documents.size());
      std::vector<std::string> chosen;
      for (std::size_t row = 0; row < documents.size(); ++row) {
        if (row % 5 < 2) continue;
        rows.add(row);
        chosen.push_back(documents[row]);
      }
      const Corpus alone(chosen, rules, 9);
      EXPECT_EQ(learnt(all, rows, selection, run), learnt(alone, RowSet(chosen.size(), true), selection, run));
    }
  }
}

const std::vector<std::string> kSmall = {"bb aa aa", "aa bb cc", "aa dd", "aa ee ee ee", "aa"};

TEST(SelectTerms, IdsFallWithDocumentFrequencyAndTiesStandInOrderOfFirstOccurrence) {
  Executor executor(1);
  const plumb::Run run{executor};
  const Corpus corpus(kSmall, {}, 2);
  const RowSet rows(kSmall.size(), true);
  using Strings = std::vector<std::string>;
  EXPECT_EQ(learnt(corpus, rows, {}, run), (Strings{"aa", "bb", "cc", "dd", "ee"}));
  EXPECT_EQ(learnt(corpus, rows, {.min_documents = 2}, run), (Strings{"aa", "bb"}));
  EXPECT_EQ(learnt(corpus, rows, {.max_documents = 1.5}, run), (Strings{"cc", "dd", "ee"}));
  EXPECT_EQ(learnt(corpus, rows, {.min_count = 3}, run), (Strings{"aa", "ee"}));
  EXPECT_EQ(learnt(corpus, rows, {.drop_top = 2}, run), (Strings{"bb", "cc", "dd"}));  // aa 6 times, ee 3
  EXPECT_EQ(learnt(corpus, rows, {.max_terms = 3}, run), (Strings{"aa", "bb", "ee"}));
  EXPECT_EQ(learnt(corpus, rows, {.drop_top = 9}, run), Strings{});
  EXPECT_EQ(learnt(corpus, rows, {.min_documents = 6}, run), Strings{});
}

TEST(SelectTerms, ChiSquareAndMutualInformationAreTheClosedForms) {
  Executor executor(1);
  const plumb::Run run{executor};
  // "yes" is in 3 of 4 documents of class 0 and in 1 of 6 of class 1; "all" in every one carries no information.
  const std::vector<std::string> documents = {"yes all", "yes all", "yes all", "all", "yes all",
                                              "all",     "all",     "all",     "all", "all"};
  const std::vector<std::uint32_t> classes = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  const Corpus corpus(documents, {}, 4);
  const Lexicon lexicon = Lexicon::merge(corpus.pieces, run);
  const TermStatistics statistics = term_statistics(corpus.pieces, lexicon, RowSet(10, true), run, {classes, 2});
  EXPECT_EQ(statistics.class_rows, (std::vector<std::uint64_t>{4, 6}));
  EXPECT_EQ(statistics.class_documents, (std::vector<std::uint32_t>{3, 1, 4, 6}));
  const double chi2 = 10.0 * (3 * 5 - 1 * 1) * (3 * 5 - 1 * 1) / (4.0 * 6 * 4 * 6);
  EXPECT_NEAR(term_score(statistics, 0, TermRanking::chi2), chi2, 1e-12);
  EXPECT_EQ(term_score(statistics, 1, TermRanking::chi2), 0);
  // Rows are 4 of class 0 and 6 of class 1, documents with the term 4, without it 6.
  const double exact = 0.3 * std::log(3 * 10 / (4.0 * 4)) + 0.1 * std::log(1 * 10 / (4.0 * 6)) +
                       0.1 * std::log(1 * 10 / (6.0 * 4)) + 0.5 * std::log(5 * 10 / (6.0 * 6));
  EXPECT_NEAR(term_score(statistics, 0, TermRanking::mutual_information), exact, 1e-12);
  EXPECT_NEAR(term_score(statistics, 1, TermRanking::mutual_information), 0, 1e-15);
  for (const TermRanking ranking : {TermRanking::chi2, TermRanking::mutual_information}) {
    EXPECT_EQ(learnt(corpus, RowSet(10, true), {.max_terms = 1, .ranking = ranking}, run, {classes, 2}),
              std::vector<std::string>{"yes"});
  }
}

TEST(SelectTerms, ThePieceOfATermGetsItsIdThroughItsNumber) {
  Executor executor(1);
  const plumb::Run run{executor};
  const Corpus corpus(kSmall, {}, 2);
  const Lexicon lexicon = Lexicon::merge(corpus.pieces, run);
  const TermStatistics statistics = term_statistics(corpus.pieces, lexicon, RowSet(5, true), run);
  const std::vector<std::uint32_t> selected = select_terms(statistics, {.max_documents = 4});
  const Vocabulary vocabulary(lexicon, selected);
  const std::vector<std::uint32_t> by_number = ids_by_number(selected, lexicon.size());
  for (std::size_t p = 0; p < corpus.pieces.size(); ++p) {
    const std::vector<std::uint32_t> ids = piece_ids(lexicon.numbers(p), by_number);
    const std::vector<std::uint32_t> looked_up = vocabulary.ids(corpus.counts[p]);
    EXPECT_EQ(looked_up.size(), ids.size());
    for (const std::uint32_t term : corpus.counts[p].used_terms()) EXPECT_EQ(looked_up[term], ids[term]);
  }
}

}  // namespace
}  // namespace plumb::lexicon_test
