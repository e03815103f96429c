// rows: N1 N2
#include "plumb/train/naive_bayes_merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::naive_bayes_merge_test {
namespace {

Sheet sheet_of(std::size_t begin, std::size_t end, bool numbers) {
  const RandomKey key{77, 1};
  Sheet sheet;
  if (numbers) sheet.numbers.emplace_back("x", std::vector<double>());
  sheet.categories.emplace_back("c", std::vector<std::string>());
  for (std::size_t r = begin; r < end; ++r) {
    // The last third of the rows has a label, levels and entries of its own.
    const std::size_t k = r < 40 ? r % 2 : r % 3;
    sheet.target.push_back(std::string(1, static_cast<char>('a' + k)));
    if (numbers) sheet.numbers[0].second.push_back(100 + key.uniform(4 * r) + static_cast<double>(k));
    sheet.categories[0].second.push_back(std::string(1, static_cast<char>('p' + key.below(4 * r + 1, r < 40 ? 3 : 6))));
    sheet.entries.push_back(
        {{1 + static_cast<std::uint32_t>(key.below(4 * r + 2, 4)), 1.0 + static_cast<double>(r % 3)},
         {10 + static_cast<std::uint32_t>(r / 10), 2.0}});
  }
  return sheet;
}

SavedModel trained(const Sheet& sheet) {
  Trained fit = fit_sheet(sheet, {.keep_statistics = true});
  fit.record.target = "y";
  fit.record.options = {{"keep-statistics", ""}};
  return {std::move(fit.model), std::move(fit.record)};
}

void expect_same(const LinearModel& found, const LinearModel& expected, double tolerance) {
  EXPECT_EQ(found.parts().labels, expected.parts().labels);
  ASSERT_EQ(found.parts().map.names().size(), expected.parts().map.names().size());
  const Sheet rows =
      sheet_of(0, 60, !found.parts().map.parts().inputs.empty() && found.parts().map.parts().inputs[0].name == "x");
  const auto a = probabilities_of(found, rows), b = probabilities_of(expected, rows);
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t k = 0; k < a[r].size(); ++k) EXPECT_NEAR(a[r][k], b[r][k], tolerance) << r;
}

TEST(MergedModels, AreTheModelOfAllRows) {
  for (const bool numbers : {false, true}) {
    const Trained merged = merge_models(trained(sheet_of(0, 40, numbers)), trained(sheet_of(40, 60, numbers)));
    expect_same(merged.model, trained(sheet_of(0, 60, numbers)).model, numbers ? 1e-12 : 0.0);
    EXPECT_EQ(merged.record.train_rows, 60u);
  }
}

// Sums of weights such as 0.3 are stored with their rounding errors.
TEST(MergedModels, WeighRowsOfColumnsFarFromZero) {
  const auto part = [](std::size_t begin, std::size_t end) {
    Sheet sheet;
    sheet.numbers.emplace_back("x", std::vector<double>());
    for (std::size_t r = begin; r < end; ++r) {
      sheet.numbers[0].second.push_back(0x1p30 + static_cast<double>(r * r % 37) / 8);
      sheet.target.emplace_back(r % 2 == 0 ? "a" : "b");
      sheet.weight.push_back(0.1 * static_cast<double>(1 + r % 7));
    }
    return trained(sheet);
  };
  const auto variances = [](const Record& record) {
    return std::get<std::vector<double>>(find_statistic(record, "bayes.variance")->values);
  };
  const std::vector<double> merged = variances(merge_models(part(0, 25), part(25, 60)).record),
                            all = variances(part(0, 60).record);
  ASSERT_EQ(merged.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(merged[k], all[k], 1e-12 * all[k]);
}

// The model without the rows of a sheet, which it was trained on.
Trained forgotten(const SavedModel& whole, const Sheet& gone) {
  TableLayout layout;
  for (std::size_t i = 0; i < gone.plan().inputs.size(); ++i) layout.inputs.push_back(i);
  layout.target = layout.inputs.size();
  layout.labels = whole.model.parts().labels;
  FeatureMap::Unseen unseen;
  Executor executor(1);
  const plumb::Run run{executor};
  return forget_rows(whole, whole.model.parts().map.apply(gone.tables(), layout, unseen, run), run);
}

// Columns of numbers far from 0 relative to their spread, with and without weights.
Sheet far_sheet(std::size_t begin, std::size_t end, double far, bool weighted) {
  const RandomKey key{78, 1};
  Sheet sheet;
  for (const char* const name : {"x", "y"}) sheet.numbers.emplace_back(name, std::vector<double>());
  for (std::size_t r = begin; r < end; ++r) {
    sheet.numbers[0].second.push_back(far + 3 * key.uniform(2 * r) + static_cast<double>(r % 2));
    sheet.numbers[1].second.push_back(key.uniform(2 * r + 1) < 0.05 ? 1e6 : key.uniform(2 * r + 1));
    sheet.target.emplace_back(r % 2 == 0 ? "a" : "b");
    if (weighted) sheet.weight.push_back(0.1 * static_cast<double>(1 + r % 7));
  }
  return sheet;
}

void expect_same_estimates(const Trained& found, const Record& expected, double tolerance) {
  for (const char* const name : {"bayes.mean", "bayes.variance", "bayes.centre"}) {
    const auto& a = std::get<std::vector<double>>(find_statistic(found.record, name)->values);
    const auto& b = std::get<std::vector<double>>(find_statistic(expected, name)->values);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * std::abs(b[i])) << name << ' ' << i;
  }
}

TEST(MergedModels, HaveTheEstimatesOfAllRowsHoweverFarFromZero) {
  for (const bool weighted : {false, true})
    for (const double far : {0.0, 1e3, 1e6, 1e9, 1e12, 1e15}) {
      SCOPED_TRACE(far);
      const auto part = [&](std::size_t begin, std::size_t end) { return far_sheet(begin, end, far, weighted); };
      const Trained merged = merge_models(trained(part(0, 37)), trained(part(37, 100)));
      const SavedModel all = trained(part(0, 100));
      expect_same_estimates(merged, all.record, 2e-15);
      EXPECT_EQ(merged.model.parts().map.names(), all.model.parts().map.names()) << "squares are about the same";
      if (!weighted) expect_same_estimates(forgotten(all, part(37, 100)), trained(part(0, 37)).record, 2e-15);
    }
}

// `plumb train --continue` on rows that have labels, levels and entries of their own.
Trained trained_further(const SavedModel& start, const Sheet& sheet, const NaiveBayesOptions& options) {
  const NaiveBayesTrainer trainer(options);
  Tables tables = sheet.tables();
  Learnt learnt = learn_features(tables, sheet.plan(), RowSet(sheet.rows(), true), trainer.wishes());
  std::vector<std::string> labels = start.model.parts().labels;
  for (const std::string& label : learnt.layout.labels)
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  learnt.layout.labels = labels;
  const FeatureMap map = grown_map(start, learnt.map);
  Executor executor(1);
  const plumb::Run run{executor};
  FeatureMap::Unseen unseen;
  const Examples examples = map.apply(std::move(tables), learnt.layout, unseen, run);
  EXPECT_EQ(unseen.values, 0u);
  return trainer.train({examples, map, labels, &start}, run);
}

TEST(TrainedFurther, IsTheModelOfAllRows) {
  for (const bool numbers : {false, true}) {
    const Trained grown =
        trained_further(trained(sheet_of(0, 40, numbers)), sheet_of(40, 60, numbers), {.keep_statistics = true});
    expect_same(grown.model, trained(sheet_of(0, 60, numbers)).model, numbers ? 1e-12 : 0.0);
    EXPECT_EQ(grown.record.train_rows, 60u);
    // and once more, from its own stored sums
    Record record = grown.record;
    record.target = "y";
    const SavedModel again{grown.model, record};
    EXPECT_EQ(merge_models(again, trained(sheet_of(0, 40, numbers))).record.train_rows, 100u);
  }
}

TEST(TrainedFurther, MustHaveCountedTheSameEvents) {
  const SavedModel start = trained(sheet_of(0, 40, false));
  EXPECT_THROW(trained_further(start, sheet_of(40, 60, false), {.event = {"entries=complement"}}), Error);
  const Trained smoother =
      trained_further(start, sheet_of(40, 60, false), {.smoothing = 2, .prior = {"uniform"}, .keep_statistics = true});
  expect_same(smoother.model,
              fit_sheet(sheet_of(0, 60, false), {.smoothing = 2, .prior = {"uniform"}, .keep_statistics = true}).model,
              0.0);
  Trained without = fit_sheet(sheet_of(0, 40, false));
  EXPECT_THROW(trained_further({without.model, without.record}, sheet_of(40, 60, false), {}), Error);
}

TEST(ForgottenRows, LeaveTheModelOfTheRest) {
  for (const bool numbers : {false, true}) {
    const Trained rest = forgotten(trained(sheet_of(0, 60, numbers)), sheet_of(40, 60, numbers));
    const SavedModel expected = trained(sheet_of(0, 40, numbers));
    EXPECT_EQ(rest.model.parts().labels, (std::vector<std::string>{"a", "b"}));
    expect_same(rest.model, expected.model, numbers ? 1e-12 : 0.0);
    EXPECT_THROW(forgotten({rest.model, rest.record}, sheet_of(0, 40, numbers)), Error) << "nothing would be left";
  }
}

// Levels that are all numbers are in numeric order, others in bytewise order.
TEST(ForgottenRows, LeaveLevelsInTheOrderOfTheRest) {
  Sheet all;
  all.categories.emplace_back("c", std::vector<std::string>{"2", "10", "9", "10", "x", "9"});
  all.categories.emplace_back("d", std::vector<std::string>{"u", "v", "u", "v", "v", "u"});
  all.target = {"a", "b", "a", "a", "b", "b"};
  const Trained rest = forgotten(trained(all), all.without({true, true, true, true, false, true}));
  const SavedModel expected = trained(all.without({false, false, false, false, true, false}));
  EXPECT_EQ(rest.model.parts().map.names(), expected.model.parts().map.names());
  std::vector<double> found(rest.model.features()), wanted(expected.model.features());
  rest.model.parts().weights.row(0, found);
  expected.model.parts().weights.row(0, wanted);
  EXPECT_EQ(found, wanted);
}

// Numbers begin at 1, so a 0 goes with the last row that has it.
TEST(ForgottenRows, TakeTheNumberZeroWithThem) {
  Sheet all = sheet_of(0, 40, false);
  all.entries[0].emplace(all.entries[0].begin(), 0, 1.0);
  std::vector<bool> first(all.rows(), false), others(all.rows(), true);
  first[0] = true;
  others[0] = false;
  const Trained rest = forgotten(trained(all), all.without(others));
  const SavedModel expected = trained(all.without(first));
  EXPECT_EQ(rest.model.parts().map.names(), expected.model.parts().map.names());
  expect_same(rest.model, expected.model, 0.0);
}

// Numeric entries with a mean and a variance: they, and their squares, are removed with the last row that has them;
// those that --entries asks for stay.
TEST(ForgottenRows, TakeNumbersOfEntriesWithThem) {
  const Sheet all = sheet_of(0, 60, false), rest = sheet_of(0, 40, false), gone = sheet_of(40, 60, false);
  for (const VarianceOf variance : {VarianceOf::class_feature, VarianceOf::feature})
    for (const std::uint32_t entries : {0u, 14u, 30u}) {
      const auto saved = [&](const Sheet& sheet) {
        Trained fit = fit_sheet(
            sheet, {.event = {"entries=gaussian"}, .variance = variance, .entries = entries, .keep_statistics = true});
        fit.record.target = "y";
        fit.record.options = {{"event", "entries=gaussian"}};
        if (variance == VarianceOf::feature) fit.record.options.emplace_back("variance", "feature");
        if (entries > 0) fit.record.options.emplace_back("entries", std::to_string(entries));
        return SavedModel{std::move(fit.model), std::move(fit.record)};
      };
      const Trained found = forgotten(saved(all), gone);
      const SavedModel expected = saved(rest);
      EXPECT_EQ(found.model.parts().map.names(), expected.model.parts().map.names()) << entries;
      expect_same(found.model, expected.model, 1e-12);
    }
}

// After a row of 1e17 is removed, nothing certain is left of the sums of 1, 2 and 4.
TEST(ForgottenRows, AreRefusedWhereTooFewDigitsOfTheOthersWouldBeLeft) {
  for (const double far : {1e3, 1e8, 1e12, 1e17, 1e20}) {
    Sheet all;
    all.numbers.emplace_back("x", std::vector<double>{far, 1, 2, 4, 1.5, 2.5, 5});
    all.target = {"a", "a", "a", "a", "b", "b", "b"};
    const std::vector<bool> first = {true, false, false, false, false, false, false};
    std::vector<bool> others = first;
    others.flip();
    if (far > 1e10) {
      EXPECT_THROW(forgotten(trained(all), all.without(others)), Error) << far;
    } else {
      expect_same_estimates(forgotten(trained(all), all.without(others)), trained(all.without(first)).record, 1e-12);
    }
  }
  Sheet constant;
  constant.numbers.emplace_back("x", std::vector<double>{7.3, 0.1, 0.1, 0.1, 1, 2});
  constant.target = {"a", "a", "a", "a", "b", "b"};
  const Trained rest = forgotten(trained(constant), constant.without({false, true, true, true, true, true}));
  EXPECT_EQ(rest.record.train_rows, 5u) << "what is left is constant, which is no loss";
}

TEST(MergedModels, HaveTheLabelsOfAllRows) {
  const auto labelled = [](const std::vector<std::string>& labels) {
    Sheet sheet;
    sheet.categories.emplace_back("c", std::vector<std::string>(labels.size(), "p"));
    sheet.target = labels;
    return sheet;
  };
  const auto merged = [&](const std::vector<std::string>& one, const std::vector<std::string>& two) {
    return merge_models(trained(labelled(one)), trained(labelled(two))).model.parts().labels;
  };
  EXPECT_EQ(merged({"1.0", "2"}, {"1", "x"}), (std::vector<std::string>{"1", "1.0", "2", "x"}));
  EXPECT_EQ(merged({"1", "2"}, {"1.0", "2", "02"}), (std::vector<std::string>{"1", "02"}));
}

TEST(ForgottenRows, AreRefusedWhereTheyArePartOfWhatStandsInForMissingValues) {
  const Sheet sheet = sheet_of(0, 40, true);
  SavedModel model = trained(sheet);
  FeatureMap::Parts parts = model.model.parts().map.parts();
  parts.inputs[0].fill = 100.0;
  LinearModel::Parts filled = model.model.parts();
  filled.map = FeatureMap(std::move(parts));
  Executor executor(1);
  for (const char* const missing : {"mean", "median"}) {
    Record record = model.record;
    record.options.emplace_back("missing", missing);
    const LearntSheet rows(sheet, NaiveBayesTrainer());
    EXPECT_THROW(forget_rows({LinearModel(filled), record}, rows.examples, plumb::Run{executor}), Error) << missing;
  }
}

TEST(MergedModels, MustHaveKeptTheirSums) {
  Trained fit = fit_sheet(sheet_of(0, 40, false));
  fit.record.target = "y";
  const SavedModel without{fit.model, fit.record};
  try {
    merge_models(without, trained(sheet_of(40, 60, false)));
    FAIL() << "it was merged";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_TRUE(error.message().starts_with("the model kept no statistics")) << error.message();
  }
}

}  // namespace
}  // namespace plumb::naive_bayes_merge_test
