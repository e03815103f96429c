#include "plumb/text/vocabulary.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "plumb/base/testing.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/term_lookup.h"
#include "plumb/text/testing.h"
#include "plumb/text/word_ids.h"

namespace plumb::vocabulary_test {
namespace {

TextList texts_of(const std::vector<std::string>& texts) {
  TextList terms;
  for (const std::string& text : texts) terms.add(text);
  return terms;
}

TEST(Vocabulary, FindsEveryTermAndNoOther) {
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i) texts.push_back("term" + std::to_string(i * i));
  const Vocabulary vocabulary(texts_of(texts));
  ASSERT_EQ(vocabulary.size(), texts.size());
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    EXPECT_EQ(vocabulary.text(id), texts[id]);
    EXPECT_EQ(vocabulary.find(texts[id]), id);
    EXPECT_EQ(vocabulary.find(texts[id] + "x"), kNoTerm);
  }
  EXPECT_EQ(vocabulary.find(""), kNoTerm);
  EXPECT_EQ(Vocabulary().find("term"), kNoTerm);
  EXPECT_EQ(Vocabulary(TextList()).find("term"), kNoTerm);
  const Vocabulary copy = vocabulary;
  EXPECT_TRUE(copy == vocabulary && copy.find(texts[7]) == 7);
}

TEST(Vocabulary, ATermThatStandsThereTwiceIsRefusedByName) {
  const Error error = error_of([] { Vocabulary(texts_of({"good", "bad", "good"})); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(error.message().find("\"good\" twice"), std::string::npos) << error.message();
}

TEST(HashedTerms, ColumnsKeepTheFirstTermAndCountThoseThatAreShared) {
  HashedTerms hashed(1);  // two columns, so that three terms must share
  const std::vector<std::uint32_t> ids = hashed.meet(texts_of({"aa", "bb", "cc", "aa"}));
  EXPECT_EQ(ids[0], ids[3]);
  std::map<std::uint32_t, std::vector<std::string>> met;
  for (const auto& [text, id] : std::map<std::string, std::uint32_t>{{"aa", ids[0]}, {"bb", ids[1]}, {"cc", ids[2]}}) {
    EXPECT_EQ(id, hashed.id(text));
    met[id].push_back(text);
  }
  EXPECT_EQ(hashed.met(), met.size());
  EXPECT_EQ(hashed.shared(), 1u);
  for (const auto& [id, texts] : met) EXPECT_EQ(hashed.name(id), texts.front());
}

TEST(HashedTerms, TheHashIsXxh3AndStaysTheSame) {
  EXPECT_EQ(term_hash(""), 0x2D06800538D394C2u);  // as published with XXH3
  EXPECT_EQ(HashedTerms(18).columns(), 262144u);
}

TEST(HashedTerms, BitsOutOfRangeAreRefusedWithAHint) {
  for (const unsigned bits : {0u, 29u}) {
    const Error error = error_of([&] { HashedTerms hashed(bits); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(error.hint(), "--hash-bits 18");
  }
}

// The counts of known terms by the plain definition, and the rest.
std::pair<std::map<std::uint32_t, std::uint32_t>, std::uint64_t> plain(const Tokeniser& tokeniser,
                                                                       const Vocabulary& vocabulary,
                                                                       std::string_view document) {
  std::map<std::uint32_t, std::uint32_t> counts;
  std::uint64_t unseen = 0;
  for (const std::string& term : tokeniser.terms(document)) {
    const std::uint32_t id = vocabulary.find(term);
    if (id == kNoTerm) {
      ++unseen;
    } else {
      ++counts[id];
    }
  }
  return {counts, unseen};
}

TEST(TermLookup, GivesAscendingIdsWithCountsAndTheNumberOfUnseenOccurrences) {
  for (const TokenRules& rules : sample_rules()) {
    Draws random(4);
    const Tokeniser tokeniser(rules);
    std::vector<std::string> known;
    std::map<std::string, int> met;
    for (int i = 0; i < 20; ++i) {
      for (const std::string& term : tokeniser.terms(random_document(random))) {
        if (met[term]++ == 0 && random.below(2) == 0) known.push_back(term);
      }
    }
    const Vocabulary vocabulary(texts_of(known));
    TermLookup lookup(tokeniser, vocabulary);
    for (int i = 0; i < 100; ++i) {
      const std::string document = random_document(random);
      const TermLookup::Found found = lookup.look_up(document);
      std::map<std::uint32_t, std::uint32_t> counts;
      for (std::size_t k = 0; k < found.id.size(); ++k) {
        ASSERT_TRUE(k == 0 || found.id[k - 1] < found.id[k]);
        counts[found.id[k]] = found.count[k];
      }
      ASSERT_EQ(std::pair(counts, found.unseen), plain(tokeniser, vocabulary, document)) << document;
    }
  }
}

TEST(TermLookup, HashedTermsAreThoseOfTraining) {
  for (const auto& [bits, longest] :
       std::vector<std::pair<unsigned, std::uint32_t>>{{2, 2},
                                                       {10, 2},
                                                       {24, 2},  // few columns, many, and more than are kept dense
                                                       {2, 1},
                                                       {10, 1},
                                                       {17, 1},
                                                       {24, 1}}) {
    Draws random(5);
    const Tokeniser tokeniser({.longest_ngram = longest});
    TermLookup lookup(tokeniser, bits);
    const HashedTerms hashed(bits);
    for (int i = 0; i < 50; ++i) {
      const std::string document = random_document(random);
      std::map<std::uint32_t, std::uint32_t> expected, counts;
      for (const std::string& term : tokeniser.terms(document)) ++expected[hashed.id(term)];
      const TermLookup::Found found = lookup.look_up(document);
      for (std::size_t k = 0; k < found.id.size(); ++k) {
        EXPECT_TRUE(k == 0 || found.id[k - 1] < found.id[k]);
        counts[found.id[k]] = found.count[k];
      }
      EXPECT_EQ(counts, expected);
      EXPECT_EQ(found.unseen, 0u);
    }
  }
}

TEST(TermLookup, ForgettingTermsThatAreTooManyChangesNothing) {
  const Tokeniser tokeniser({});
  const Vocabulary vocabulary(texts_of({"known", "word7"}));
  TermLookup lookup(tokeniser, vocabulary);
  for (int i = 0; i < 4; ++i) {
    std::string document = "known word7 known";
    for (int k = 0; k < 100000; ++k) document += " other" + std::to_string(100000 * i + k);
    const TermLookup::Found found = lookup.look_up(document);
    EXPECT_EQ(std::vector(found.id.begin(), found.id.end()), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(std::vector(found.count.begin(), found.count.end()), (std::vector<std::uint32_t>{2, 1}));
    EXPECT_EQ(found.unseen, 100000u);
  }
}

// Documents of some hundred words, whose ids have any number of digits.
TEST(WordIds, AreThoseOfThePlainDefinitionForVocabulariesOfEverySize) {
  Draws random(6);
  for (const std::uint64_t size : {1, 40, 3000, 20000, 300000}) {
    std::vector<std::string> known;
    for (std::uint64_t i = 0; i < size; ++i) known.push_back("w" + std::to_string(i * 7919 % size));
    const Vocabulary vocabulary(texts_of(known));
    const Tokeniser tokeniser({.stop_words = {"w5", "the"}});
    WordIds words(tokeniser, vocabulary);
    for (int i = 0; i < 40; ++i) {
      std::string document = "the";
      for (std::uint64_t k = random.below(600); k > 0; --k)
        document +=
            (random.below(9) == 0 ? " unknown_and_longer_than_a_key" : " W") + std::to_string(random.below(size));
      const WordIds::Found found = words.look_up(document);
      std::map<std::uint32_t, std::uint32_t> counts;
      for (std::size_t k = 0; k < found.id.size(); ++k) {
        ASSERT_TRUE(k == 0 || found.id[k - 1] < found.id[k]);
        counts[found.id[k]] = found.count[k];
      }
      ASSERT_EQ(std::pair(counts, found.unseen), plain(tokeniser, vocabulary, document)) << size;
    }
  }
}

TEST(WordIds, DoNotDependOnHowManyEntriesThereWereBefore) {
  const Tokeniser tokeniser({});
  const Vocabulary vocabulary(texts_of({"one", "two", "three"}));
  WordIds words(tokeniser, vocabulary, (std::uint32_t{1} << 31) - 5);
  for (int i = 0; i < 20; ++i) {
    const WordIds::Found found = words.look_up(i % 2 == 0 ? "two one two" : "three four three two");
    EXPECT_EQ(std::vector(found.id.begin(), found.id.end()),
              i % 2 == 0 ? (std::vector<std::uint32_t>{0, 1}) : (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(std::vector(found.count.begin(), found.count.end()), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(found.unseen, i % 2 == 0 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace plumb::vocabulary_test
