// rows: R1
#include "plumb/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/base/json.h"

namespace plumb::report_test {
namespace {

FeatureMap numbers(const std::vector<std::string>& names) {
  FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < names.size(); ++j) {
    parts.inputs.push_back({names[j], Kind::number, {}});
    parts.terms.push_back(ProductTerm{{{j, 1}}});
  }
  return FeatureMap(parts);
}

// A model of two features with these rows of weights.
LinearModel model_of(Link link, std::uint64_t rows, std::vector<std::string> labels, std::vector<double> weights) {
  LinearModel::Parts parts;
  parts.map = numbers({"x", "y"});
  parts.weights = Weights::dense(rows, 2, std::move(weights));
  parts.bias.assign(rows, 0.5);
  parts.link = link;
  parts.labels = std::move(labels);
  if (link == Link::vote) parts.votes.assign(rows, 2.0);
  return LinearModel(std::move(parts));
}

std::string text_of(const SavedModel& saved, std::uint64_t top = 0) {
  return to_text(InspectReport{saved, "m.plumb", top}, Style{});
}
JsonValue json_of(const SavedModel& saved, std::uint64_t top = 0) {
  return parse_json(to_json(InspectReport{saved, "m.plumb", top}));
}
ExplainReport explained(const SavedModel& saved, const std::vector<double>& x, std::uint64_t top = 0) {
  return {std::make_shared<SavedModel>(saved), {{1, explain(saved.model, {{}, x})}}, top, false};
}
bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Inspect, ShowsARowOfEveryLinkUnderItsLabel) {
  const std::vector<double> w = {1, 2, 3, 4, 5, 6};
  const std::vector<double> one = {1, 2};
  struct Case {
    LinearModel model;
    std::vector<std::string> headings;
    std::vector<const char*> labels;  // nullptr: none
  };
  for (const Case& each :
       {Case{model_of(Link::identity, 1, {}, one), {}, {nullptr}},
        Case{model_of(Link::sign, 1, {"no", "yes"}, one), {"\nyes\n"}, {"yes"}},
        Case{model_of(Link::logistic, 1, {"no", "yes"}, one), {"\nyes\n"}, {"yes"}},
        Case{model_of(Link::softmax, 3, {"a", "", "c"}, w), {"\na\n", "\nc\n"}, {"a", "", "c"}},
        Case{model_of(Link::vote, 3, {"no", "yes"}, w), {"\nvoter 3 of 3, 2 votes\n"}, {nullptr, nullptr, nullptr}}}) {
    const SavedModel saved{each.model, {}};
    const std::string text = text_of(saved);
    for (const std::string& heading : each.headings) EXPECT_TRUE(holds(text, heading)) << text;
    const JsonValue json = json_of(saved);
    ASSERT_EQ(json.at("rows").items().size(), each.labels.size());
    for (std::size_t r = 0; r < each.labels.size(); ++r) {
      const JsonValue& label = json.at("rows").items()[r].at("label");
      ASSERT_EQ(label.is_null(), each.labels[r] == nullptr);
      if (!label.is_null()) {
        EXPECT_EQ(label.as_string(), each.labels[r]);
      }
    }
  }
}

TEST(Inspect, ShowsSparseRowsAndIncrementsAsTheDenseRowsTheyStandFor) {
  LinearModel::Parts parts = model_of(Link::vote, 3, {"a", "b"}, {1, 0, 1, 2, -3, 2}).parts();
  const SavedModel dense{LinearModel(parts), {}};
  parts.weights = Weights::sparse(3, 2, {{0, 1, 3, 5}, {0, 0, 1, 0, 1}, {1, 1, 2, -3, 2}});
  const SavedModel sparse{LinearModel(parts), {}};
  parts.weights = Weights::increments(3, 2, {{0, 1, 2, 3}, {0, 1, 0}, {1, 2, -4}});
  const SavedModel increments{LinearModel(parts), {}};
  for (const std::uint64_t top : {0u, 1u}) {
    EXPECT_EQ(text_of(dense, top), text_of(sparse, top));
    EXPECT_EQ(text_of(dense, top), text_of(increments, top));
    const InspectReport report{dense, "m.plumb", top};
    EXPECT_EQ(to_json(report), to_json(InspectReport{sparse, "m.plumb", top}));
    EXPECT_EQ(to_json(report), to_json(InspectReport{increments, "m.plumb", top}));
  }
}

TEST(Inspect, JsonHoldsTheLargestWeightsOfEachRowAndHowManyMore) {
  SavedModel saved{model_of(Link::softmax, 2, {"a", "b"}, {1, -5, 4, 4}), {}};
  saved.record.standard_errors = {{1, 2}, {0.1, 0.2, 0.3, 0.4}};
  const JsonValue json = json_of(saved, 1);
  for (const char* key : {"rows", "standard_errors"}) {
    const std::vector<JsonValue>& rows = json.at(key).items();
    ASSERT_EQ(rows.size(), 2u);
    for (const JsonValue& row : rows) {
      EXPECT_EQ(row.at("weights").members().size(), 1u);
      EXPECT_EQ(row.at("more").as_u64(), 1u);
    }
    EXPECT_EQ(rows[0].at("weights").members()[0].key, "y");
    EXPECT_EQ(rows[1].at("weights").members()[0].key, "x") << "the first of equals";
  }
  EXPECT_EQ(json.at("rows").items()[0].at("weights").at("y").as_double(), -5.0);
  EXPECT_EQ(json.at("standard_errors").items()[0].at("weights").at("y").as_double(), 0.2);
  const JsonValue in_order = json_of(saved, 2);
  EXPECT_EQ(in_order.at("rows").items()[0].at("weights").members()[0].key, "y") << "largest first";
  const JsonValue all = json_of(saved);
  EXPECT_EQ(all.at("rows").items()[0].at("weights").members()[0].key, "x") << "all are in feature order";
  EXPECT_EQ(all.at("rows").items()[0].find("more"), nullptr);
}

// A model may come from anybody; its names must not reach a terminal as commands.
TEST(Reports, NothingInAModelReachesTheTerminalUnescaped) {
  const std::string evil =
      "\x1b]0;owned\x07\x1b[2J\r\xC2\x9B"
      "31m";
  LinearModel::Parts parts = model_of(Link::logistic, 1, {evil + "a", evil + "b"}, {1, 2}).parts();
  parts.map = numbers({evil, evil + "2"});
  Record record;
  record.model = record.solver = record.target = record.data_digest = record.certificate.kind = evil;
  record.options = {{evil, evil}, {"l2", evil}};
  record.fit = {{evil, 1.0}};
  const std::vector<double> x = {1, 2};
  for (const Link link : {Link::logistic, Link::identity}) {
    LinearModel::Parts each = parts;
    each.link = link;
    if (link == Link::identity) each.labels.clear();
    const SavedModel saved{LinearModel(each), record};
    const TrainReport train{saved.model, saved.record, {}, {}, "", {}, {}, 0.0, evil, 1};
    for (const std::string& text : {text_of(saved), to_text(train, Style{}), to_text(explained(saved, x), Style{})}) {
      EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
        return c != '\n' && static_cast<unsigned char>(c) < ' ';
      })) << text;
      EXPECT_FALSE(holds(text, "\xC2\x9B")) << text;
      EXPECT_TRUE(holds(text, "\\x1b]0;owned")) << text;
    }
  }
}

TEST(Explain, NamesWhatWasPredictedAndTheRowThatIsExplained) {
  const std::vector<double> x = {1, 0};
  SavedModel saved{model_of(Link::softmax, 3, {"a", "b", "c"}, {1, 0, 3, 0, 2, 0}), {}};
  saved.record.target = "kind";
  EXPECT_TRUE(
      holds(to_text(explained(saved, x), Style{}), "row 1: kind = b, score 1 for b, above the mean of all labels\n"));
  const JsonValue json = parse_json(to_json(explained(saved, x)));
  const JsonValue& row = json.at("rows").items()[0];
  EXPECT_EQ(row.at("prediction").as_string(), "b");
  EXPECT_EQ(row.at("label").as_string(), "b");
  EXPECT_EQ(row.at("score").as_double(), 1.0);
  EXPECT_EQ(row.at("mean_score").as_double(), 2.5);
  EXPECT_EQ(row.at("bias").as_double(), 0.0);
  EXPECT_EQ(row.at("contributions").items()[0].at("contribution").as_double(), 1.0);

  const SavedModel two{model_of(Link::logistic, 1, {"no", "yes"}, {-2, 0}), saved.record};
  EXPECT_TRUE(holds(to_text(explained(two, x), Style{}), "row 1: kind = no, score -1.5 for yes\n"));
  const SavedModel voters{model_of(Link::vote, 3, {"no", "yes"}, {-2, 0, 1, 0, 2, 0}), saved.record};
  EXPECT_TRUE(
      holds(to_text(explained(voters, x), Style{}), "row 1: kind = yes, score 1.5 for voter 2 of 3, 2 votes\n"));
  EXPECT_EQ(parse_json(to_json(explained(voters, x))).at("rows").items()[0].at("model_row").as_u64(), 2u);
}

TEST(Explain, SaysWhereVetoesAndNotScoresDecided) {
  LinearModel::Parts parts = model_of(Link::softmax, 3, {"a", "b", "c"}, {1, 0, 3, 0, 2, 0}).parts();
  parts.vetoes = {{0, 0, 2, 2}, {0, 1}, {1, 1}};  // x and y rule out b
  SavedModel saved{LinearModel(parts), {}};
  saved.record.target = "kind";
  const std::vector<double> vetoed = {1, 2}, free = {0, 0};
  const std::string text = to_text(explained(saved, vetoed), Style{});
  EXPECT_TRUE(
      holds(text,
            "row 1: kind = c, score 0 for c, above the mean of all labels\ndecided by vetoes, not by scores: b, "
            "which has the best score, is ruled out by x, y\n"))
      << text;
  const JsonValue row = parse_json(to_json(explained(saved, vetoed))).at("rows").items()[0];
  EXPECT_EQ(row.at("decided_by").as_string(), "vetoes");
  EXPECT_EQ(row.at("vetoed").at("label").as_string(), "b");
  EXPECT_EQ(row.at("vetoed").at("features").items()[1].as_string(), "y");
  EXPECT_FALSE(holds(to_text(explained(saved, free), Style{}), "veto"));
  EXPECT_EQ(parse_json(to_json(explained(saved, free))).at("rows").items()[0].at("decided_by").as_string(), "scores");
}

// A softmax does not change when a number is added to all rows, so the largest of a row are those most above their
// mean.
TEST(Inspect, RanksTheWeightsOfASoftmaxAboveTheirMean) {
  const SavedModel saved{model_of(Link::softmax, 3, {"a", "b", "c"}, {-9, 1, -9, 0, -9.5, -1}), {}};
  const JsonValue top = json_of(saved, 1);
  EXPECT_EQ(top.at("rows").items()[0].at("weights").at("y").as_double(), 1.0);
  const std::string text = text_of(saved, 1);
  EXPECT_TRUE(holds(text, "feature  weight  above mean\n")) << text;
  EXPECT_TRUE(holds(text, "y             1           1\n")) << text;
  EXPECT_FALSE(holds(text_of(saved), "above mean"));
}

TEST(Inspect, ShowsVetoes) {
  LinearModel::Parts parts = model_of(Link::softmax, 3, {"a", "b", "c"}, {1, 0, 3, 0, 2, 0}).parts();
  parts.vetoes = {{0, 0, 1, 2}, {1, 0}, {1, -1}};
  parts.veto_base = {0, 0, 1};
  const SavedModel saved{LinearModel(parts), {}};
  const std::string text = text_of(saved);
  EXPECT_TRUE(holds(text, "feature  weight  vetoes\n")) << text;
  EXPECT_TRUE(holds(text, "vetoes: how many present features rule the label out")) << text;
  EXPECT_TRUE(holds(text_of(saved, 1), "y             0           0       1\n")) << text_of(saved, 1);
  const JsonValue json = json_of(saved);
  EXPECT_EQ(json.at("rows").items()[1].at("vetoes").at("features").at("y").as_double(), 1.0);
  EXPECT_EQ(json.at("rows").items()[2].at("vetoes").at("base").as_double(), 1.0);
  EXPECT_EQ(json.at("rows").items()[2].at("vetoes").at("features").at("x").as_double(), -1.0);
}

TEST(Explain, JsonAddsUpWithTheRestThatTopLeavesOut) {
  const SavedModel saved{model_of(Link::identity, 1, {}, {2, -8}), {}};
  const std::vector<double> x = {3, 1};
  for (const std::uint64_t top : {0u, 1u, 2u}) {
    ExplainReport report = explained(saved, x, top);
    report.more_rows = top == 1;
    const JsonValue json = parse_json(to_json(report));
    EXPECT_EQ(json.at("more_rows").as_bool(), top == 1);
    const JsonValue& row = json.at("rows").items()[0];
    double sum = row.at("bias").as_double() + row.at("rest").at("contribution").as_double();
    for (const JsonValue& each : row.at("contributions").items()) sum += each.at("contribution").as_double();
    EXPECT_EQ(sum, row.at("score").as_double());
    EXPECT_EQ(row.at("prediction").as_double(), row.at("score").as_double());
    EXPECT_EQ(row.at("contributions").items().size() + row.at("rest").at("count").as_u64(), 2u);
    EXPECT_EQ(row.at("rest").at("count").as_u64(), top == 1 ? 1u : 0u);
  }
}

// What train prints, on a terminal of any width.
std::string train_text(const Record& record) {
  const LinearModel model = model_of(Link::identity, 1, {}, {1, 2});
  return to_text(TrainReport{model, record, {}, {}, "", {}, {}, 0.0, "", 0}, Style{});
}

TEST(TrainText, ClaimsAnOptimumOnlyWithACertificate) {
  Record record;
  record.model = "m";
  record.solver = "s";
  record.target = "t";
  record.iterations = 7;
  record.converged = true;
  EXPECT_TRUE(train_text(record).starts_with("no held-out rows"));
  EXPECT_TRUE(holds(train_text(record), "  model     m: t from 2 features, trained on 0 rows\n"));
  EXPECT_TRUE(holds(train_text(record), "  solver    s: finished after 7 passes\n"));
  record.certificate = {"gap", 0.25};
  EXPECT_TRUE(holds(train_text(record), "m, no penalty: t from 2 features"));
  EXPECT_TRUE(holds(train_text(record), "s: optimum certified, relative gap 0.25 after 7 passes\n"));
  record.certificate = {"gradient", 0.25};
  EXPECT_TRUE(holds(train_text(record), "s: converged, gradient 0.25 after 7 passes"));
  record.converged = false;
  EXPECT_TRUE(holds(train_text(record), "s: did not converge, gradient 0.25 after 7 passes"));
  record.certificate = {"gap", 0.25};
  EXPECT_TRUE(holds(train_text(record), "s: did not converge, relative gap 0.25 after 7 passes"));
  EXPECT_FALSE(holds(train_text(record), "certified"));
  record.certificate = {};
  EXPECT_TRUE(holds(train_text(record), "s: stopped after 7 passes"));
  record.fit = {{"passes", 325.0}};  // counted apart from the steps
  EXPECT_TRUE(holds(train_text(record), "s: stopped after 7 steps"));
}

TEST(TrainText, StatesThePenaltyThatWasUsed) {
  Record record;
  record.certificate = {"gap", 0.0};
  record.fit = {{"l2", 0.0}};
  EXPECT_TRUE(holds(train_text(record), ", no penalty:"));
  record.fit = {{"l2", 0.5}, {"l1", 2.0}};
  EXPECT_TRUE(holds(train_text(record), ", l2 0.5, l1 2:"));
  record.fit = {};
  record.options = {{"l1", "3"}};
  EXPECT_TRUE(holds(train_text(record), ", l1 3:")) << "asked for, though the fit does not name it";
}

TEST(TrainText, BeginsWithTheScoreBesideTheBaselineAndNamesThePositiveLabelWhereClassesAreUnbalanced) {
  Record record;
  record.test_rows = 50;
  const LinearModel model = model_of(Link::logistic, 1, {"no", "yes"}, {1, 2});
  const auto text = [&](std::vector<double> weights) {
    record.statistics = {{"class_weights", {2}, std::move(weights)}};
    const auto metric = [](const char* name, double value) { return Metric{name, value, {}, {}}; };
    TrainReport report{model, record, {}, {metric("accuracy", 0.8)}, "", {}, {}, 0.0, "", 0};
    report.heldout = {metric("accuracy", 0.9), metric("precision", 0.75), metric("recall", 0.5), metric("f1", 0.6)};
    return to_text(report, Style{});
  };
  EXPECT_TRUE(text({10, 90}).starts_with("accuracy 0.9 on 50 held-out rows (baseline 0.8)\n"));
  EXPECT_TRUE(holds(text({90, 10}), "  positive  precision 0.75   recall 0.5   f1 0.6   of \"yes\"\n"));
  EXPECT_FALSE(holds(text({50, 50}), "positive"));
}

TEST(TrainText, ShowsWhatTheTrainerFoundOrElseTheObjective) {
  Record record;
  record.train_rows = 3;
  record.objective = 1.5;
  const LinearModel model = model_of(Link::identity, 1, {}, {1, 2});
  const auto text = [&] { return to_text(TrainReport{model, record, {}, {}, "", {}, {}, 0.0, "", 0}, Style{}); };
  EXPECT_TRUE(holds(text(), "  training  objective 1.5   on 3 rows\n"));
  record.fit = {{"rank", 2}, {"r_squared", 0.75}, {"residual_sum_of_squares", 3}};
  EXPECT_TRUE(holds(text(), "  training  squared error 3   R^2 0.75   on 3 rows\n"));
}

}  // namespace
}  // namespace plumb::report_test
