// Tests for every trainer in THE list. A trainer added there is tested here automatically.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/model/model_file.h"
#include "plumb/train/trainer.h"

namespace plumb::trainers_test {
namespace {

constexpr std::uint32_t kFeatures = 3;

FeatureMap map_of_numbers() {
  FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < kFeatures; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    parts.terms.push_back(ProductTerm{{{j, 1}}});
  }
  return FeatureMap(parts);
}

// Rows that every trainer can learn from; the target is a number, or one of two labels by position.
Examples rows_for(Kind target, std::size_t cut) {
  const RandomKey random{2024, 1};
  std::vector<Piece> pieces;
  for (std::uint64_t r = 0; r < 10'000; ++r) {
    if (r % cut == 0) {
      pieces.emplace_back();
      pieces.back().features = kFeatures;
    }
    Piece& piece = pieces.back();
    ++piece.rows;
    double score = 0.5;
    for (std::uint32_t j = 0; j < kFeatures; ++j) {
      const double x = random.uniform(10 * r + j);
      piece.values.push(x);
      score += (j - 1.0) * x;
    }
    const double noisy = score + 0.1 * (random.uniform(10 * r + 9) - 0.5);
    piece.targets.push_back(target == Kind::number ? noisy + 1.0
                                                   : (noisy > 0.5 ? 1.0 : 0.0));  // counts are not negative
    piece.weights.push_back(static_cast<double>(r % 3));
  }
  return Examples(std::move(pieces), kFeatures);
}

// Rows of numbers that the `narrowest` form can represent; pieces use the wider forms of `forced` in turn.
Examples rows_in_form(Kind target, bool sparse, Values::Form narrowest, const std::vector<Values::Form>& forced) {
  const RandomKey random{99, 5};
  std::vector<Piece> pieces;
  for (std::uint64_t r = 0; r < 9'000; ++r) {
    if (r % 1'234 == 0) {
      pieces.emplace_back();
      pieces.back().features = kFeatures;
      if (sparse) pieces.back().offsets.push_back(0);
      if (narrowest == Values::Form::bytes) pieces.back().values.widen(narrowest);  // counts that came as bytes
    }
    Piece& piece = pieces.back();
    ++piece.rows;
    double score = random.uniform(10 * r + 9);
    for (std::uint32_t j = 0; j < kFeatures; ++j) {
      const double draw = random.uniform(10 * r + j);
      double x = draw < 0.4 ? 0.0 : 1.0;
      if (x != 0 && narrowest == Values::Form::bytes) x = std::floor(draw * 16);
      if (x != 0 && narrowest == Values::Form::floats) x = std::floor(draw * 64) / 8;
      if (x != 0 && narrowest == Values::Form::doubles) x = draw;
      score += (j + 1.0) * x;
      if (sparse && x == 0) continue;
      if (sparse) piece.index.push_back(j);
      piece.values.push(x);
    }
    if (sparse) piece.offsets.push_back(piece.index.size());
    piece.targets.push_back(target == Kind::number ? score : (score > 3 ? 1.0 : 0.0));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].values.widen(forced[i % forced.size()]);
  return Examples(std::move(pieces), kFeatures);
}

class EveryTrainer : public testing::TestWithParam<std::size_t> {
 protected:
  const TrainerEntry& entry() const { return trainer_list()[GetParam()]; }
  std::unique_ptr<Trainer> made() const {
    const std::unique_ptr<TrainerSetup> setup = entry().setup();
    const OptionGroup group = setup->options();
    for (const OptionInfo& info : group.options)
      if (entry().name == "ridge" && info.name == "l2") info.set(group.owner, "0.5");  // it must be told
    return setup->make();
  }
  std::span<const std::string> labels() const {
    static const std::vector<std::string> two = {"low", "high"};
    return entry().target == Kind::category ? std::span(two) : std::span<const std::string>();
  }
  Trained trained(std::size_t cut = 10'000, unsigned threads = 1) const {
    Executor executor(threads);
    const Examples examples = rows_for(entry().target, cut);
    const FeatureMap map = map_of_numbers();
    return made()->train({examples, map, labels()}, plumb::Run{executor});
  }
};

TEST_P(EveryTrainer, IsFoundByItsName) {
  EXPECT_EQ(&find_trainer(entry().name), &entry());
  EXPECT_FALSE(entry().meaning.empty());
}

TEST_P(EveryTrainer, DescribesEachOptionOnce) {
  const std::unique_ptr<TrainerSetup> setup = entry().setup();
  std::set<std::string> names;
  for (const OptionInfo& info : setup->options().options) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.meaning.empty()) << info.name;
  }
}

TEST_P(EveryTrainer, GivesTheSameBitsForAnyThreadsAndPieces) {
  const Trained reference = trained();
  const std::string bytes = model_bytes(reference.model, reference.record);
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u}))
    for (const std::size_t cut : {std::size_t{777}, std::size_t{4096}}) {
      const Trained again = trained(cut, threads);
      EXPECT_EQ(model_bytes(again.model, again.record), bytes) << threads << " threads, pieces of " << cut;
    }
}

TEST_P(EveryTrainer, GivesTheSameBitsWhateverFormTheValuesHave) {
  using enum Values::Form;
  const Values::Form counts = Values::Form::bytes;
  const FeatureMap map = map_of_numbers();
  for (const bool sparse : {false, true})
    for (const Values::Form narrowest : sweep_of({ones, counts, floats, doubles})) {
      std::string bytes;
      for (const std::vector<Values::Form>& forced : std::vector<std::vector<Values::Form>>{
               {doubles}, {ones}, {counts}, {floats}, {ones, counts, floats, doubles}})
        for (const unsigned threads : sweep_of({1u, 2u, 7u})) {
          if (threads > 1 && forced.size() == 1) continue;  // the test above covers threads on equal pieces
          Executor executor(threads);
          const Examples examples = rows_in_form(entry().target, sparse, narrowest, forced);
          const Trained fit = made()->train({examples, map, labels()}, plumb::Run{executor});
          const std::string again = model_bytes(fit.model, fit.record);
          if (bytes.empty()) bytes = again;
          EXPECT_EQ(again, bytes) << (sparse ? "sparse, form " : "dense, form ") << static_cast<int>(examples.form())
                                  << ", " << threads << " threads";
        }
      EXPECT_EQ(rows_in_form(entry().target, sparse, narrowest, {ones}).form(),
                !sparse && narrowest == ones ? floats : narrowest);  // dense rows hold zeros too
    }
}

TEST_P(EveryTrainer, LeavesAModelThatLoadsAndPredictsTheSame) {
  const Trained fit = trained();
  const SavedModel loaded = parse_model(model_bytes(fit.model, fit.record), "test");
  Predictor before(fit.model), after(loaded.model);
  const RandomKey random{7, 7};
  for (std::uint64_t r = 0; r < 100; ++r) {
    const std::vector<double> x = {random.uniform(3 * r), random.uniform(3 * r + 1), random.uniform(3 * r + 2)};
    const Row row{{}, x};
    EXPECT_EQ(before.predict(row).value, after.predict(row).value);
    EXPECT_TRUE(std::isfinite(before.predict(row).value));
  }
}

TEST_P(EveryTrainer, SaysHowItEnded) {
  const Trained fit = trained();
  EXPECT_FALSE(fit.record.solver.empty());
  EXPECT_EQ(fit.record.train_rows, 10'000u);
  EXPECT_TRUE(std::isfinite(fit.record.objective));
  EXPECT_EQ(fit.model.features(), kFeatures);
}

TEST_P(EveryTrainer, RefusesNoRowsAndBadWeights) {
  Executor executor;
  const plumb::Run run{executor};
  const FeatureMap map = map_of_numbers();
  const std::unique_ptr<Trainer> trainer = made();
  const Examples all = rows_for(entry().target, 10'000);
  const Examples none({}, kFeatures);
  EXPECT_THROW(trainer->train({none, map, labels()}, run), Error);
  Piece piece;
  piece.rows = 2;
  piece.features = kFeatures;
  piece.values = {1, 2, 3, 4, 5, 6};
  piece.targets = {0, 1};
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    piece.weights = {1, bad};
    const Examples weighted({piece}, kFeatures);
    EXPECT_THROW(trainer->train({weighted, map, labels()}, run), Error) << bad;
  }
}

TEST_P(EveryTrainer, SaysWhatItNeedsBeforeItTakesIt) {
  Executor executor(2);
  plumb::Run run{executor};
  const FeatureMap map = map_of_numbers();
  const Examples examples = rows_for(entry().target, 10'000);
  const std::unique_ptr<Trainer> trainer = made();
  const std::uint64_t needed = examples.bytes() + trainer->memory(FitSize::of(examples, labels().size()), executor);
  FitSize larger = FitSize::of(examples, labels().size());
  larger.features *= 1000;
  larger.entries *= 1000;
  EXPECT_LT(needed, examples.bytes() + trainer->memory(larger, executor));
  run.memory = MemoryBudget(needed);
  EXPECT_NO_THROW(trainer->train({examples, map, labels()}, run));
  run.memory = MemoryBudget(needed - 1);
  try {
    trainer->train({examples, map, labels()}, run);
    FAIL() << "it trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
    EXPECT_TRUE(error.message().starts_with("the fit of 3 features to 10,000 rows needs about ")) << error.message();
  }
}

TEST_P(EveryTrainer, StopsOnRequest) {
  Executor executor;
  plumb::Run run{executor};
  run.watch = [](const Progress&) { return false; };
  const FeatureMap map = map_of_numbers();
  const Examples examples = rows_for(entry().target, 10'000);
  try {
    made()->train({examples, map, labels()}, run);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

INSTANTIATE_TEST_SUITE_P(Trainers, EveryTrainer, testing::Range(std::size_t{0}, trainer_list().size()),
                         [](const auto& instance) {
                           std::string name(trainer_list()[instance.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumb::trainers_test
