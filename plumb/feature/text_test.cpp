// Texts as features, from a file to the values of rows.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "plumb/base/file.h"
#include "plumb/base/testing.h"
#include "plumb/data/source.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/text_coder.h"

namespace plumb::text_test {
namespace {

constexpr const char* kReviews =
    "stars,size,city,review\n"
    "5,1.5,Rome,a good good film\n"
    "1,2.5,Oslo,\"a bad film, truly\"\n"
    "3,0.5,Rome,good in parts\n"
    "2,1.0,Oslo,\n"
    "4,3.5,Rome,\"Good acting, a bad plot\"\n";

class TextFeatures : public ::testing::Test {
 protected:
  struct Made {
    FeatureMap map;
    std::vector<std::map<std::string, double>> rows;  // features that are not 0, by name
    std::vector<std::string> said;
    FeatureMap::Unseen unseen;
  };

  std::string file(const std::string& content, const std::string& name = "reviews.csv") const {
    const std::string path = ::testing::TempDir() + "plumb_texts_" + name;
    write_file_atomically(path, std::string_view(content));
    return path;
  }

  static std::vector<std::map<std::string, double>> named(const FeatureMap& map, const Examples& examples) {
    std::vector<std::map<std::string, double>> rows;
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& example) {
        std::map<std::string, double>& row = rows.emplace_back();
        if (example.x.dense()) {
          for (std::uint32_t j = 0; j < example.x.value.size(); ++j)
            if (example.x.value[j] != 0.0) row[map.name(j)] = example.x.value[j];
        } else {
          for (std::size_t k = 0; k < example.x.index.size(); ++k)
            row[map.name(example.x.index[k])] = example.x.value[k];
        }
      });
    return rows;
  }

  Made made(const std::string& path, const TextOptions& text, const FeatureOptions& features = only_review(),
            unsigned threads = 1, std::size_t piece = 1 << 20, const std::vector<bool>& chosen = {}) const {
    Executor executor(threads);
    const plumb::Run run{executor};
    ReadOptions read;
    read.piece_size = piece;
    const auto source = open_source({path}, read);
    const FeaturePlan plan = plan_features(*source, features, text);
    source->select(plan.selected);
    Tables tables = read_all(*source, run);
    RowSet rows(tables.rows, chosen.empty());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i]) rows.add(i);
    Learnt learnt = learn_features(tables, plan, rows, {}, run);
    Made made{learnt.map, {}, learnt.said, {}};
    made.rows = named(made.map, made.map.apply(std::move(tables), learnt.layout, made.unseen, run));
    return made;
  }
  Made made(const TextOptions& text = {}, const FeatureOptions& features = only_review()) const {
    return made(file(kReviews), text, features);
  }

  static FeatureOptions only_review() {
    FeatureOptions options;
    options.target = "stars";
    options.features = {"review"};
    options.text = {"review"};
    return options;
  }

  static std::string message(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return "nothing thrown";
  }
};

using Values = std::map<std::string, double>;

TEST_F(TextFeatures, AFeatureIsHowOftenATermIsInTheText) {
  const Made found = made();
  EXPECT_EQ(found.rows[0], (Values{{"review:good", 2}, {"review:film", 1}}));
  EXPECT_EQ(found.rows[1], (Values{{"review:bad", 1}, {"review:film", 1}, {"review:truly", 1}}));
  EXPECT_EQ(found.rows[3], Values{}) << "an empty text";
  EXPECT_EQ(found.rows[4], (Values{{"review:good", 1}, {"review:acting", 1}, {"review:bad", 1}, {"review:plot", 1}}));
  // By decreasing document frequency, then in order of appearance.
  EXPECT_EQ(found.map.names(), (std::vector<std::string>{"review:good", "review:film", "review:bad", "review:truly",
                                                         "review:in", "review:parts", "review:acting", "review:plot"}));
}

TEST_F(TextFeatures, StandBesideNumbersAndCategories) {
  FeatureOptions options;
  options.target = "stars";
  options.text = {"review"};
  const Made found = made({}, options);
  EXPECT_EQ(found.rows[0], (Values{{"size", 1.5}, {"city=Rome", 1}, {"review:good", 2}, {"review:film", 1}}));
  EXPECT_EQ(found.rows[1], (Values{{"size", 2.5}, {"review:bad", 1}, {"review:film", 1}, {"review:truly", 1}}));
}

TEST_F(TextFeatures, PresenceAndSublinearCountsAndNormsAreAsDefined) {
  TextOptions options;
  options.binary = true;
  EXPECT_EQ(made(options).rows[0], (Values{{"review:good", 1}, {"review:film", 1}}));
  options = {};
  options.sublinear = true;
  EXPECT_DOUBLE_EQ(made(options).rows[0]["review:good"], 1.0 + std::log(2.0));
  options = {};
  options.normalise = Normalise::sum;
  EXPECT_DOUBLE_EQ(made(options).rows[0]["review:good"], 2.0 / 3.0);
  options.normalise = Normalise::length;
  EXPECT_DOUBLE_EQ(made(options).rows[0]["review:good"], 2.0 / std::sqrt(5.0));
}

// scikit-learn: idf = ln((1 + n) / (1 + df)) + 1, rows divided by their length.
TEST_F(TextFeatures, TfIdfIsThatOfScikitLearn) {
  TextOptions options;
  options.tfidf = true;
  const Made found = made(options);
  const double good = 2 * (std::log(6.0 / 4.0) + 1), film = std::log(6.0 / 3.0) + 1, length = std::hypot(good, film);
  EXPECT_NEAR(found.rows[0].at("review:good"), good / length, 1e-15);
  EXPECT_NEAR(found.rows[0].at("review:film"), film / length, 1e-15);
  EXPECT_EQ(found.rows[3], Values{});
  for (const Values& row : found.rows) {
    double squares = 0;
    for (const auto& [name, value] : row) squares += value * value;
    EXPECT_NEAR(squares, row.empty() ? 0.0 : 1.0, 1e-15);
  }
}

std::string many_reviews() {
  const char* const words[] = {"good", "bad", "film", "plot", "acting", "dull", "Zug", "caf\xC3\xA9", "x1", "fine"};
  std::string text = "stars,review\n";
  std::uint64_t state = 1;
  for (int row = 0; row < 3000; ++row) {
    text += std::to_string(row % 5) + ",";
    for (int word = 0; word < 3 + row % 7; ++word) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += std::string(word == 0 ? "" : " ") + words[state >> 60 & 7] + (state >> 33 & 1 ? "" : "s");
    }
    text += "\n";
  }
  return text;
}

TEST_F(TextFeatures, HaveTheSameBitsForAnyThreadsAndPieces) {
  const std::string path = file(many_reviews());
  TextOptions options;
  options.tfidf = true;
  options.ngrams = {1, 2};
  options.min_df = {3, false};
  const Made expected = made(path, options);
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u}))
    for (const std::size_t piece : {std::size_t{997}, std::size_t{50'000}}) {
      const Made found = made(path, options, only_review(), threads, piece);
      EXPECT_TRUE(found.map.parts() == expected.map.parts()) << threads << " threads, pieces of " << piece;
      EXPECT_TRUE(found.rows == expected.rows) << threads << " threads, pieces of " << piece;
    }
}

// A fold learns the same as from a file of its rows alone, using counts made once for all rows.
TEST_F(TextFeatures, OfSomeRowsTeachWhatAFileOfThoseRowsDoes) {
  const std::string all = many_reviews();
  std::vector<bool> chosen;
  std::string some;
  std::size_t line = 0;
  for (std::size_t at = 0; at < all.size(); ++line) {
    const std::size_t end = all.find('\n', at) + 1;
    if (line > 0) chosen.push_back(line % 3 != 0 && line > 500);
    if (line == 0 || chosen.back()) some += all.substr(at, end - at);
    at = end;
  }
  TextOptions options;
  options.tfidf = true;
  options.min_df = {0.05, true};
  options.max_terms = 12;
  const Made fold = made(file(all, "all.csv"), options, only_review(), 2, 4000, chosen);
  const Made alone = made(file(some, "some.csv"), options);
  EXPECT_TRUE(fold.map.parts() == alone.map.parts());
}

TEST_F(TextFeatures, AtPredictionHaveTheValuesTheyHadInTraining) {
  const std::string path = file(many_reviews());
  TextOptions options;
  options.tfidf = true;
  options.sublinear = true;
  const Made trained = made(path, options);
  Executor executor(2);
  const plumb::Run run{executor};
  const auto source = open_source({path});
  const TableLayout layout = trained.map.select_from(*source);
  FeatureMap::Unseen unseen;
  EXPECT_TRUE(named(trained.map, trained.map.apply(read_all(*source, run), layout, unseen, run)) == trained.rows);
  EXPECT_EQ(unseen.unknown_terms, 0u);
}

// Rows made while texts are parsed equal those made from the texts, whatever terms are.
TEST_F(TextFeatures, AreTheSameWhetherTextsAreKeptOrNot) {
  const std::string path = file(many_reviews());
  std::vector<TextOptions> all(6);
  all[1].ngrams = {1, 2};
  all[2].hash_bits = 5;
  all[3].tokens = Tokens::character_word;
  all[4].positions = 3;
  all[5].tfidf = true;
  all[5].stem = "english";
  Executor executor(2);
  const plumb::Run run{executor};
  for (const TextOptions& options : all) {
    const Made trained = made(path, options);
    ReadOptions read;
    read.piece_size = 1000;
    const auto source = open_source({path}, read);
    const TableLayout layout = trained.map.select_from(*source);
    FeatureMap::Unseen made_early, made_late;
    const Tables tables = read_all(*source, run);
    const auto whole = open_source({path}, read);
    whole->select({{source->columns().size() - 1, Kind::text}});
    const Tables texts = read_all(*whole, run);
    ASSERT_EQ(tables.pieces.size(), texts.pieces.size());
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < tables.pieces.size(); ++i) {
      ASSERT_NE(tables.pieces[i].columns[0].extract, nullptr);
      const Piece early = trained.map.apply(tables.pieces[i], layout, made_early);
      const Piece late = trained.map.apply(texts.pieces[i], layout, made_late);
      EXPECT_EQ(early.offsets, late.offsets);
      EXPECT_EQ(early.index, late.index);
      ASSERT_EQ(early.values.size(), late.values.size());
      for (std::size_t k = 0; k < early.values.size(); ++k) ASSERT_EQ(early.values[k], late.values[k]);
      // A used-up column that others share stays valid.
      Table copy = tables.pieces[i];
      FeatureMap::Unseen unseen;
      EXPECT_EQ(trained.map.use_up(copy, layout, unseen).index, late.index);
      EXPECT_EQ(trained.map.apply(tables.pieces[i], layout, unseen).index, late.index);
      row += early.rows;
    }
    EXPECT_EQ(row, trained.rows.size());
    EXPECT_EQ(made_early.terms, made_late.terms);
    EXPECT_EQ(made_early.unknown_terms, made_late.unknown_terms);
  }
}

TEST_F(TextFeatures, WordsThatAreNotKnownAreCountedAndDoNotCount) {
  const Made trained = made();
  Executor executor(1);
  const plumb::Run run{executor};
  const auto source = open_source({file("review,stars\na good book and good bindings,1\n", "other.csv")});
  const TableLayout layout = trained.map.select_from(*source);
  FeatureMap::Unseen unseen;
  const auto rows = named(trained.map, trained.map.apply(read_all(*source, run), layout, unseen, run));
  EXPECT_EQ(rows[0], (Values{{"review:good", 2}}));
  EXPECT_EQ(unseen.terms, 5u);
  EXPECT_EQ(unseen.unknown_terms, 3u);
  EXPECT_EQ(unseen.values, 0u);
  EXPECT_EQ(unseen.terms_text(), "3 of 5 terms in the texts are not in the model");
}

TEST_F(TextFeatures, WordsInTheirPlacesSayWhatABagGivesUp) {
  TextOptions options;
  options.positions = 2;
  const Made found = made(options);
  EXPECT_EQ(found.rows[0], (Values{{"review:1=good", 1}, {"review:2=good", 1}}));
  EXPECT_EQ(found.rows[1], (Values{{"review:1=bad", 1}, {"review:2=film", 1}}));
  EXPECT_EQ(found.rows[3], Values{});
  EXPECT_EQ(found.map.name(0), "review:1=good") << "three texts begin so";
}

TEST_F(TextFeatures, AGivenVocabularyIsTheFeaturesInItsOrder) {
  TextOptions options;
  options.vocabulary = file("plot\nnowhere\ngood\n", "terms.txt");
  options.tfidf = true;
  const Made found = made(options);
  EXPECT_EQ(found.map.names(), (std::vector<std::string>{"review:plot", "review:nowhere", "review:good"}));
  const BagOfWords& term = *std::get<TextTerm>(found.map.parts().terms[0]).bag;
  EXPECT_EQ(term.document_frequency, (std::vector<std::uint64_t>{1, 0, 3}));
  EXPECT_EQ(term.documents, 5u);
}

TEST_F(TextFeatures, HashedTermsAreNamedByTheFirstTermMet) {
  TextOptions options;
  options.hash_bits = 12;
  const Made found = made(options);
  EXPECT_EQ(found.map.features(), 4096u);
  EXPECT_EQ(found.rows, made().rows);
  options.hash_bits = 1;
  options.tfidf = true;
  const Made crowded = made(options);
  EXPECT_EQ(crowded.map.features(), 2u);
  EXPECT_EQ(crowded.said.at(0),
            "column \"review\" is text: 2 hashed features, 2 of them in use and 2 shared by different terms");
}

TEST_F(TextFeatures, StopWordsAreKeptByContent) {
  TextOptions options;
  options.stop_words = file("good\n  film in\n", "stop.txt");
  const Made found = made(options);
  EXPECT_EQ(found.rows[0], Values{});
  EXPECT_EQ(std::get<TextTerm>(found.map.parts().terms[0]).bag->rules.stop_words,
            (std::vector<std::string>{"good", "film", "in"}));
}

TEST_F(TextFeatures, TermsThatTellMostAboutTheTargetAreKept) {
  TextOptions options;
  options.max_terms = 1;
  options.rank_terms = TermRanking::chi2;
  const std::string path = file("stars,review\n1,the good\n1,the good\n2,the bad\n2,the worst\n", "chi2.csv");
  EXPECT_EQ(made(path, options).map.names(), (std::vector<std::string>{"review:good"}));
  options.rank_terms = TermRanking::mutual_information;
  EXPECT_EQ(made(path, options).map.names(), (std::vector<std::string>{"review:good"}));
}

TEST_F(TextFeatures, AVocabularyThatIsEmptiedIsAnError) {
  TextOptions options;
  options.min_df = {9, false};
  EXPECT_EQ(message([&] { made(options); }),
            "column \"review\" holds 8 terms in 5 training rows, of which none is left by --min-df 9, --max-df 1.0, "
            "--min-count 1 and --drop-top 0 | --min-df 1 --max-df 1.0 --min-count 1 --drop-top 0 takes every term");
  options = {};
  options.positions = 2;
  options.ngrams = {1, 2};
  EXPECT_THROW(made(options), Error);
  EXPECT_EQ(message([&] { made(file("stars,review\n1,a\n2,\n"), {}); }),
            "column \"review\" holds no terms in 2 training rows; some were expected | --drop review leaves it out, "
            "--min-length 1 takes words of one letter");
}

TEST_F(TextFeatures, OptionsWithoutATextAreAnError) {
  FeatureOptions features;
  features.target = "stars";
  features.features = {"size"};
  TextOptions options;
  options.tfidf = true;
  const std::string said = message([&] { made(options, features); });
  EXPECT_NE(said.find("options about text are given, and no feature is text"), said.npos) << said;
}

TEST_F(TextFeatures, AFeatureOfTheSameNameIsAnError) {
  const std::string path = file("stars,review:good,review\n1,2,good film\n2,3,bad film\n", "twice.csv");
  FeatureOptions features;
  features.target = "stars";
  features.text = {"review"};
  EXPECT_NE(message([&] { made(path, {}, features); }).find("two features are called \"review:good\""),
            std::string::npos);
}

TEST(TextOptions, LimitsOfDocumentsAreNumbersOrShares) {
  using Text = OptionText<DocumentLimit>;
  EXPECT_EQ(Text::read("5"), (DocumentLimit{5, false}));
  EXPECT_EQ(Text::read("0.25"), (DocumentLimit{0.25, true}));
  EXPECT_EQ(Text::read("25%"), (DocumentLimit{0.25, true}));
  EXPECT_EQ(Text::read("1.0").of(200), 200.0);
  for (const char* const bad : {"", "-1", "1.5", "101%", "x", "1e400"})
    EXPECT_THROW(Text::read(bad), OptionFault) << bad;
  for (const char* const text : {"1", "0.5", "1.0", "17"}) EXPECT_EQ(Text::text(Text::read(text)), text);
}

TEST(TextOptions, NgramsAreARangeOrOneLength) {
  using Text = OptionText<NgramRange>;
  EXPECT_EQ(Text::read("1-2"), (NgramRange{1, 2}));
  EXPECT_EQ(Text::read("3"), (NgramRange{3, 3}));
  for (const char* const bad : {"", "0", "2-1", "1-", "-2", "1-2-3", "1.5", "999"})
    EXPECT_THROW(Text::read(bad), OptionFault) << bad;
}

TEST(TextOptions, ThoseThatExcludeEachOtherAreAnError) {
  TextOptions options;
  options.hash_bits = 4;
  options.min_df = {2, false};
  EXPECT_THROW(text_recipe(options), Error);
  options = {};
  options.binary = options.sublinear = true;
  EXPECT_THROW(text_recipe(options), Error);
  options = {};
  options.rank_terms = TermRanking::chi2;
  EXPECT_THROW(text_recipe(options), Error);
  options = {};
  options.stem = "klingon";
  EXPECT_THROW(text_recipe(options), Error);
  options = {};
  options.vocabulary = "/nowhere/at/all";
  EXPECT_THROW(text_recipe(options), Error);
}

}  // namespace
}  // namespace plumb::text_test
