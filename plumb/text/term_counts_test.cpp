#include "plumb/text/term_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "plumb/base/parallel.h"
#include "plumb/base/random.h"
#include "plumb/math/kernels.h"
#include "plumb/text/document_counter.h"
#include "plumb/text/row_sorter.h"
#include "plumb/text/testing.h"

namespace plumb::term_counts_test {
namespace {

using Pairs = std::vector<std::pair<std::string, std::uint32_t>>;

// Terms and counts in order of first appearance: the plain definition.
Pairs plain_counts(const Tokeniser& tokeniser, std::string_view document) {
  Pairs counts;
  std::map<std::string, std::size_t> places;
  for (const std::string& term : tokeniser.terms(document)) {
    const auto [place, first] = places.try_emplace(term, counts.size());
    if (first) counts.emplace_back(term, 0);
    ++counts[place->second].second;
  }
  return counts;
}

Pairs counts_of(const TermCounts& counts, std::size_t document) {
  Pairs found;
  counts.for_each(document,
                  [&](std::uint32_t term, std::uint32_t count) { found.emplace_back(counts.terms[term], count); });
  return found;
}

TEST(TermCounter, EqualsTheTermsOfTheTokeniserAndAMapOnRandomDocuments) {
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    TermCounter counter(tokeniser);
    Draws random(5);
    for (int piece = 0; piece < 3; ++piece) {
      std::vector<std::string> documents;
      for (int i = 0; i < 150; ++i) {
        documents.push_back(random_document(random));
        counter.add(documents.back());
      }
      EXPECT_EQ(counter.documents(), documents.size());
      const TermCounts counts = counter.take();
      ASSERT_EQ(counts.documents(), documents.size());
      for (std::size_t i = 0; i < documents.size(); ++i) {
        ASSERT_EQ(counts_of(counts, i), plain_counts(tokeniser, documents[i])) << documents[i];
      }
    }
  }
}

TEST(TermCounter, LocalIdsAreInOrderOfFirstAppearance) {
  Draws random(6);
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    TermCounter counter(tokeniser);
    for (int i = 0; i < 50; ++i) counter.add(random_document(random));
    const TermCounts counts = counter.take();
    std::vector<bool> met(counts.terms.size());
    std::int64_t largest = -1;
    for (std::uint64_t document = 0; document < counts.documents(); ++document) {
      counts.for_each(document, [&](std::uint32_t term, std::uint32_t) {
        if (!met[term]) {
          EXPECT_GT(term, largest);
          largest = term;
        }
        met[term] = true;
      });
    }
  }
}

TEST(TermCounter, WordsAreFoundAtEveryOffsetAcrossTheStepsOfTheScan) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  std::vector<std::string> documents;
  for (std::size_t before = 0; before < 140; ++before) {
    for (const std::size_t length : {1u, 2u, 15u, 16u, 17u, 64u, 65u, 200u}) {
      documents.push_back(std::string(before, '.') + std::string(length, 'W'));
      documents.push_back(documents.back() + " \u00E9t\u00E9");
    }
  }
  for (const std::string& document : documents) counter.add(document);
  const TermCounts counts = counter.take();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    ASSERT_EQ(counts_of(counts, i), plain_counts(tokeniser, documents[i])) << documents[i];
  }
}

TEST(TermCounter, ManyTermsOutgrowTheTableAndStayApart) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  std::string document;
  constexpr std::uint32_t terms = 30000;
  for (std::uint32_t i = 0; i < terms; ++i) document += "word" + std::to_string(i) + std::string(i % 14, 'x') + " ";
  counter.add(document);
  counter.add(document);
  const TermCounts counts = counter.take();
  EXPECT_EQ(counts.terms.size(), terms);
  for (const std::uint64_t row : {0, 1}) {
    std::uint32_t next = 0;
    counts.for_each(row, [&](std::uint32_t term, std::uint32_t count) { EXPECT_TRUE(term == next++ && count == 1); });
    EXPECT_EQ(next, terms);
  }
}

TEST(TermCounter, AnEmptyDocumentIsARowWithoutEntries) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  for (const char* document : {"", "...", "a", "word"}) counter.add(document);
  const TermCounts counts = counter.take();
  EXPECT_EQ(counts.offsets, (std::vector<std::uint64_t>{0, 0, 0, 0, 1}));
}

TEST(TermCounter, CountsThatDoNotFitInAByteAreKeptWhole) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  std::string document = "rare ";
  for (int i = 0; i < 256; ++i) document += "often ";
  for (int i = 0; i < 255; ++i) document += "less ";
  counter.add(document);
  counter.add("often");
  const TermCounts counts = counter.take();
  EXPECT_EQ(counts_of(counts, 0), (Pairs{{"rare", 1}, {"often", 256}, {"less", 255}}));
  EXPECT_EQ(counts_of(counts, 1), (Pairs{{"often", 1}}));
}

TEST(TermCounter, ALaterPieceDoesNotDependOnEarlierOnes) {
  Draws random(9);
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    TermCounter counter(tokeniser);
    for (int piece = 0; piece < 3; ++piece) {
      TermCounter alone(tokeniser);
      for (int i = 0; i < 40; ++i) {
        const std::string document = random_document(random);
        counter.add(document);
        alone.add(document);
      }
      const TermCounts counts = counter.take(), expected = alone.take();
      EXPECT_EQ(counts.offsets, expected.offsets);
      if (counts.terms.is_lasting()) {  // numbers continue, and everything else is the same
        for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(counts_of(counts, i), counts_of(expected, i));
        EXPECT_EQ(counts.used_terms().size(), expected.terms.size());
        continue;
      }
      EXPECT_EQ(counts.terms, expected.terms);
      EXPECT_EQ(counts.packed, expected.packed);
    }
  }
}

TEST(TermCounter, WordsKeepTheirNumbersFromPieceToPiece) {
  Draws random(13);
  std::size_t lasting = 0;
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    TermCounter counter(tokeniser);
    std::vector<TermCounts> pieces;
    for (int piece = 0; piece < 6; ++piece) {
      for (int i = 0; i < 5 * (piece % 3); ++i) counter.add(random_document(random));  // some hold nothing new
      pieces.push_back(counter.take());
    }
    if (!pieces.front().terms.is_lasting()) continue;
    ++lasting;
    const TermTree& last = pieces.back().terms;
    for (const TermCounts& each : pieces) {
      ASSERT_LE(each.terms.size(), last.size());
      for (std::size_t i = 0; i < each.terms.size(); ++i) {
        const TermTree::Place place = each.terms.place(i);
        ASSERT_EQ(each.terms[i], last[i]);
        ASSERT_EQ(each.terms.list(place.list)[place.index], last[i]);
      }
      std::vector<bool> used(each.terms.size());
      for (std::uint64_t row = 0; row < each.documents(); ++row)
        each.for_each(row, [&](std::uint32_t term, std::uint32_t) { used[term] = true; });
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < used.size(); ++i)
        if (used[i]) expected.push_back(i);
      EXPECT_EQ(each.used_terms(), expected);
    }
  }
  EXPECT_GT(lasting, 0u);
}

TEST(DocumentCounter, PlacesThatRunOutBeginAnew) {
  Draws random(10);
  for (const TokenRules& rules : sample_rules()) {
    const Tokeniser tokeniser(rules);
    DocumentCounter counter(tokeniser, (std::uint32_t{1} << 31) - 500);
    for (int i = 0; i < 200; ++i) {
      const std::string document = random_document(random);
      Pairs found;
      const DocumentCounter::Entries entries = counter.count(document);
      for (std::size_t k = 0; k < entries.size(); ++k)
        found.emplace_back(counter.terms()[entries.terms[k]], entries.counts[k]);
      ASSERT_EQ(found, plain_counts(tokeniser, document)) << document;
      if (i % 60 == 59) counter.clear();
    }
  }
}

TEST(TermCounters, CountOnManyThreadsAsOneCounterDoes) {
  Draws random(8);
  const Tokeniser tokeniser({.longest_ngram = 2});
  std::vector<std::vector<std::string>> pieces(20);
  for (auto& piece : pieces) {
    for (int i = 0; i < 20; ++i) piece.push_back(random_document(random));
  }
  for (const unsigned threads : {1u, 3u}) {
    Executor executor(threads);
    TermCounters counters(tokeniser);
    std::vector<TermCounts> counts(pieces.size());
    executor.for_each(pieces.size(), [&](std::size_t i) {
      counts[i] = counters.count(pieces[i].size(), [&](std::size_t k) -> std::string_view { return pieces[i][k]; });
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      TermCounter alone(tokeniser);
      for (const std::string& document : pieces[i]) alone.add(document);
      const TermCounts expected = alone.take();
      EXPECT_EQ(counts[i].terms, expected.terms);
      EXPECT_EQ(counts[i].offsets, expected.offsets);
      EXPECT_EQ(counts[i].packed, expected.packed);
    }
  }
}

TEST(Numbered, RowsAreAscendingWithEqualIdsAddedAndUnseenOccurrencesCounted) {
  Draws random(7);
  const Tokeniser tokeniser({.longest_ngram = 2});
  TermCounter counter(tokeniser);
  for (int i = 0; i < 100; ++i) counter.add(random_document(random));
  const TermCounts counts = counter.take();
  constexpr std::uint32_t columns = 1000;
  std::vector<std::uint32_t> ids(counts.terms.size());
  for (std::uint32_t& id : ids) id = random.below(5) == 0 ? kNoTerm : static_cast<std::uint32_t>(random.below(columns));
  const TermRows rows = numbered(counts, ids, columns);
  ASSERT_EQ(rows.rows(), counts.documents());
  std::uint64_t unseen = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::map<std::uint32_t, std::uint32_t> expected, found;
    counts.for_each(row, [&](std::uint32_t term, std::uint32_t count) {
      if (ids[term] == kNoTerm) {
        unseen += count;
      } else {
        expected[ids[term]] += count;
      }
    });
    for (std::uint64_t k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) {
      EXPECT_TRUE(k == rows.offsets[row] || rows.id[k - 1] < rows.id[k]);
      found[rows.id[k]] = rows.count[k];
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(rows.unseen, unseen);
}

TEST(Numbered, CountsBeyondSixteenBitsAreAddedUp) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  std::string document = "few ";
  for (int i = 0; i < 65536; ++i) document += "often ";
  for (int i = 0; i < 65535; ++i) document += "less ";
  counter.add(document);
  counter.add("often few less");
  const TermRows rows = numbered(counter.take(), std::vector<std::uint32_t>{2, 0, 0}, 3);
  EXPECT_EQ(rows.offsets, (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(rows.id, (std::vector<std::uint32_t>{0, 2, 0, 2}));
  EXPECT_EQ(rows.count, (std::vector<std::uint32_t>{131071, 1, 2, 1}));
}

// Ids of every number of digits, rows from empty to long ones, counts that fit in a byte and others.
TEST(RowSorter, IsAMapWhateverTheColumnsAndCounts) {
  Draws random(11);
  for (unsigned bits = 0; bits <= 32; ++bits) {
    const auto columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>((std::uint64_t{1} << bits) + random.below(2), 0xFFFFFFFF));
    RowSorter row(columns);
    for (const std::size_t size : {0, 1, 2, 15, 16, 17, 18, 64, 300, 2000}) {
      std::map<std::uint32_t, std::uint32_t> expected;
      const bool wide = random.below(4) == 0;
      row.begin(size);
      for (std::size_t i = 0; i < size; ++i) {
        // Often small ones, as in text, and the largest.
        const std::uint64_t below =
            random.below(3) == 0 ? columns : std::min<std::uint64_t>(columns, 1 + random.below(5000));
        const auto id = static_cast<std::uint32_t>(random.below(20) == 0 ? columns - 1 : random.below(below));
        const auto count = static_cast<std::uint32_t>(1 + random.below(wide ? 1000 : 255));
        row.add(id, count);
        expected[id] += count;
      }
      std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
      row.take([&](std::uint32_t id, std::uint32_t count) { found.emplace_back(id, count); });
      EXPECT_EQ(found, decltype(found)(expected.begin(), expected.end())) << columns << " columns, " << size;
    }
  }
}

TEST(Numbered, CountsAboveAByteAreToldBeside) {
  TermCounts counts;
  counts.terms.add_token("few");
  counts.terms.add_token("many");
  TermCounts::pack(1, 1u << 24, counts.packed);
  TermCounts::pack(0, 7, counts.packed);
  counts.offsets.push_back(counts.packed.size());
  TermCounts::pack(1, 256, counts.packed);
  counts.offsets.push_back(counts.packed.size());
  TermCounts::pack(1, 255, counts.packed);
  counts.offsets.push_back(counts.packed.size());
  const std::vector<std::uint32_t> ids{0, 1};
  const TermRows whole = numbered(counts, ids, 2);
  EXPECT_EQ(whole.id, (std::vector<std::uint32_t>{0, 1, 1, 1}));
  EXPECT_EQ(whole.count, (std::vector<std::uint32_t>{7, 1u << 24, 256, 255}));
  EXPECT_EQ(whole.terms, 7 + (1u << 24) + 256 + 255);
  const SmallRows small = numbered_in_place(counts.packed, counts.offsets, ids, 2);
  ASSERT_EQ(small.large.size(), 2u);
  EXPECT_EQ(small.large[0].place, 1u);
  EXPECT_EQ(small.large[1].count, 256u);
  EXPECT_EQ(small.count[3], 255);
  EXPECT_EQ(small.counts(), whole.count);
  // Terms that share an id may exceed a byte together.
  TermCounts shared;
  for (const std::uint32_t term : {0u, 1u}) TermCounts::pack(term, 200, shared.packed);
  shared.offsets.push_back(shared.packed.size());
  EXPECT_EQ(numbered(shared, std::vector<std::uint32_t>{0, 0}, 1).count, (std::vector<std::uint32_t>{400}));
}

TEST(WordScan, EveryInstructionSetFindsTheSameWords) {
  const RandomKey random{8, 1};
  for (const math::Simd simd : {math::Simd::avx2, math::Simd::avx512, math::Simd::neon}) {
    if (math::kernels_for(simd) == nullptr) continue;
    for (const Tokens tokens : {Tokens::word, Tokens::ascii})
      for (const bool lowercase : {true, false}) {
        TokenRules rules;
        rules.tokens = tokens;
        rules.lowercase = lowercase;
        WordScan plain(rules, math::Simd::scalar), fast(rules, simd);
        for (std::uint64_t i = 0; i < 300; ++i) {
          std::string text(i, ' ');  // every byte below 128, and in some texts any
          for (std::size_t k = 0; k < text.size(); ++k)
            text[k] = static_cast<char>(random.bits(1000 * i + k) % (i % 3 == 0 ? 256 : 128));
          plain.scan(text);
          fast.scan(text);
          ASSERT_EQ(fast.ascii(), plain.ascii());
          ASSERT_EQ(std::string(fast.text(), fast.size()), std::string(plain.text(), plain.size()));
          ASSERT_TRUE(std::ranges::equal(fast.words(), plain.words())) << i << " bytes";
        }
      }
  }
}

// Tokens are remembered from piece to piece, but only a limited number, for a limited number of pieces.
TEST(TermCounter, WhatIsRememberedIsForgottenInTimeAndChangesNothing) {
  const Tokeniser tokeniser({});
  TermCounter counter(tokeniser);
  std::string many = "shared ";
  for (int i = 0; i < 300'000; ++i) many += "w" + std::to_string(i) + " ";
  counter.add(many);
  EXPECT_EQ(counter.take().terms.size(), 300'001u);
  std::size_t most_lists = 0;
  for (int piece = 0; piece < 600; ++piece) {
    counter.add("new" + std::to_string(piece) + " shared w77 a_token_of_more_than_fifteen_bytes w77");
    const TermCounts counts = counter.take();
    most_lists = std::max(most_lists, counts.terms.lists());
    ASSERT_EQ(
        counts_of(counts, 0),
        (Pairs{
            {"new" + std::to_string(piece), 1}, {"shared", 1}, {"w77", 2}, {"a_token_of_more_than_fifteen_bytes", 1}}));
  }
  EXPECT_LT(most_lists, 300u);
}

}  // namespace
}  // namespace plumb::term_counts_test
