#include "plumb/train/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/entry_names.h"
#include "plumb/feature/merge_maps.h"
#include "plumb/math/special.h"
#include "plumb/model/piece_scores.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/event_dependence.h"
#include "plumb/train/event_estimates.h"
#include "plumb/train/event_statistics.h"
#include "plumb/train/naive_bayes_merge.h"
#include "plumb/train/prior_file.h"

namespace plumb {
namespace {

// The parallel copies of the sums, and the weights; of two classes also those of the model and its record. The sums of
// numbers are larger, but no row has as many numbers.
std::uint64_t memory_of(std::uint32_t features, std::uint64_t rows, std::size_t classes) {
  const std::size_t chunks = counting_chunks(features, classes, static_cast<std::size_t>(rows / 4096 + 1),
                                             std::numeric_limits<std::uint64_t>::max());
  return sizeof(double) * features * classes * (chunks + (classes > 2 ? 1 : 4));
}

// Scores of the rows for all classes, beyond which they would take longer than everything else.
constexpr std::uint64_t kMostTrainingScores = std::uint64_t{1} << 27;

// sum w ln P(y | x) over the rows; none where the model holds one of the rows for impossible, or the classes are too
// many to score every row for.
std::optional<double> conditional_log_likelihood(const LinearModel& model, const Examples& examples, const Run& run) {
  // For two classes without vetoes the logarithms of a block are computed at once.
  if (examples.size() * model.rows() > kMostTrainingScores) return {};
  const bool log_odds = model.parts().link == Link::logistic && !model.has_vetoes() && has_one_dense_row(model);
  double sum = 0.0;
  run.reduce(Phase::fitting, examples.blocks(), {&sum, 1}, [&](std::size_t b, Out out) {
    if (log_odds) {
      std::vector<double> odds(kBlockRows), weights(kBlockRows, 1.0);
      std::size_t rows = 0;
      examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
        const Out own = Out(odds).subspan(rows, end - begin);  // of each row, those of its own class
        score_rows(model, piece, begin, own);
        for (std::size_t i = 0; i < own.size(); ++i) own[i] *= 2.0 * piece.targets[begin + i] - 1.0;
        if (!piece.weights.empty()) std::copy_n(&piece.weights[begin], own.size(), &weights[rows]);
        rows += own.size();
      });
      odds.resize(rows);
      math::log_sigmoid(odds, odds);
      for (std::size_t i = 0; i < rows; ++i)
        if (weights[i] != 0.0) out[0] += weights[i] * odds[i];
      return;
    }
    Predictor predictor(model);
    examples.block(b).for_each([&](const Example& example) {
      if (example.weight == 0.0) return;
      predictor.predict(example.x);
      const In scores = predictor.scores();
      const auto label = static_cast<std::size_t>(example.target);
      out[0] += example.weight * (model.has_vetoes() ? math::log(predictor.probabilities()[label])
                                                     : scores[label] - math::log_sum_exp(scores));
    });
  });
  return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

}  // namespace

BetaPrior OptionText<BetaPrior>::read(std::string_view text) {
  const std::size_t comma = text.find(',');
  const OptionFault fault{"two numbers of at least 1, such as 2,2"};
  if (comma == std::string_view::npos) throw fault;
  const ParsedNumber a = parse_number(text.substr(0, comma)), b = parse_number(text.substr(comma + 1));
  if (a.fault != NumberFault::none || b.fault != NumberFault::none || a.value < 1 || b.value < 1) throw fault;
  return {a.value, b.value};
}
std::string OptionText<BetaPrior>::text(const BetaPrior& prior) {
  return number_text(prior.a) + "," + number_text(prior.b);
}

PriorChoice OptionText<PriorChoice>::read(std::string_view text) {
  if (text.empty()) throw OptionFault{"empirical, uniform or a file"};
  return {std::string(text)};
}
std::string OptionText<PriorChoice>::text(const PriorChoice& choice) {
  return choice.empirical() || choice.uniform() ? choice.text : "file";
}

NaiveBayesTrainer::NaiveBayesTrainer(NaiveBayesOptions options)
    : options_(std::move(options)), events_(options_.event) {}

Wishes NaiveBayesTrainer::wishes() const {
  Wishes wishes{.full_coding = true};
  wishes.terms_by_text = options_.keep_statistics;  // so that models of parts of the rows add up to that of all
  wishes.adds_up = options_.keep_statistics;
  // Numbers that no row has are Gaussians at 0 for every class: only the requested number of them is kept.
  if (events_.of("", Kind::sparse) != Event::gaussian || options_.entries > 0) wishes.every_number = options_.entries;
  wishes.form = [events = events_, squares = needs_squares(options_.variance)](const std::string& name, Kind kind) {
    const Event event = events.of(name, kind);
    return event == Event::bernoulli             ? NumberForm::presence
           : event == Event::gaussian && squares ? NumberForm::with_square
                                                 : NumberForm::value;
  };
  return wishes;
}

std::uint64_t NaiveBayesTrainer::memory(const FitSize& size, const Executor&) const {
  return memory_of(size.features, size.rows, std::max<std::size_t>(size.classes, 2));
}

void NaiveBayesTrainer::check(const FeatureMap& map) const {
  Trainer::check(map);
  if (options_.virtual_examples >= 0.0 && options_.smoothing != NaiveBayesOptions().smoothing)
    throw Error(ErrorCode::usage, "--virtual and --smoothing are given; give only one of them",
                "leave out one of them");
  plan(map);
}

std::vector<std::string> NaiveBayesTrainer::notes(const FeatureMap& map) const {
  return {"events: " + event_text(plan(map), map)};
}

EventPlan NaiveBayesTrainer::plan(const FeatureMap& map) const {
  EventPlan plan = plan_events(map, events_, needs_squares(options_.variance));
  for (EventGroup& group : plan.groups)
    if (group.numbered && options_.entries > 0) group.declared = options_.entries + (group.has_zero ? 1 : 0);
  return plan;
}

EstimateRules NaiveBayesTrainer::rules(std::span<const std::string> labels,
                                       std::span<const std::string> elsewhere) const {
  EstimateRules rules{.smoothing = options_.smoothing,
                      .variance = options_.variance,
                      .divisor = options_.divisor,
                      .variance_add = options_.variance_add};
  if (options_.virtual_examples >= 0.0) rules.virtual_examples = options_.virtual_examples;
  if (!options_.virtual_prior.uniform()) {
    if (!(options_.virtual_examples > 0.0))
      throw Error(ErrorCode::usage, "--virtual-prior needs --virtual", "--virtual 10");
    VirtualPrior prior = virtual_prior_of_file(options_.virtual_prior.text, labels, elsewhere);
    rules.virtual_classes = std::move(prior.classes);
    rules.virtual_shares = std::move(prior.shares);
  }
  if (!options_.beta.none()) rules.beta = {options_.beta.a, options_.beta.b};
  if (options_.prior.uniform())
    rules.prior.assign(labels.size(), 1.0 / static_cast<double>(labels.size()));
  else if (!prior_.empty() && prior_.size() == labels.size())
    rules.prior = prior_;
  else if (!options_.prior.empirical())
    rules.prior = priors_of_file(options_.prior.text, labels, elsewhere);
  return rules;
}

// Options that are given without effect.
std::vector<std::string> NaiveBayesTrainer::idle_options(const EventPlan& plan) const {
  std::vector<std::string> warnings;
  const auto idle = [&](const std::string& option, const std::string& event) {
    warnings.push_back("--" + option + " changes nothing: no column is " + event);
  };
  if (!options_.beta.none() && !plan.has(Event::bernoulli)) idle("beta", "bernoulli");
  if (!plan.has(Event::gaussian)) {
    const NaiveBayesOptions usual;
    if (options_.variance != usual.variance) idle("variance", "gaussian");
    if (options_.divisor != usual.divisor) idle("variance-divisor", "gaussian");
    if (options_.variance_add != usual.variance_add) idle("variance-add", "gaussian");
  }
  return warnings;
}

Trained NaiveBayesTrainer::fit(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                               std::span<const std::string> labels, std::span<const std::string> elsewhere) const {
  if (labels.size() < 2)
    throw Error(ErrorCode::data, labels.empty() ? "there are no labels; at least two classes were expected"
                                                : "every row is of class " + in_quotes(labels[0]) +
                                                      "; at least two classes were expected");
  if (!(counts.total_weight() > 0.0))
    throw Error(ErrorCode::data, "there are no rows to train on; at least one with a weight above 0 was expected");
  const auto has_rows = [](math::DoubleDouble weight) { return weight.high > 0.0; };
  if (std::count_if(counts.weight.begin(), counts.weight.end(), has_rows) < 2) {
    const auto only = std::find_if(counts.weight.begin(), counts.weight.end(), has_rows) - counts.weight.begin();
    throw Error(ErrorCode::data, "every row with a weight above 0 is of class " +
                                     in_quotes(labels[static_cast<std::size_t>(only)]) +
                                     "; at least two classes were expected");
  }
  EventEstimates estimates = estimate_events(counts, plan, map, labels, rules(labels, elsewhere));
  Trained fit{to_model(estimates, map, {labels.begin(), labels.end()}), {}, std::move(estimates.warnings)};
  for (std::string& warning : idle_options(plan)) fit.warnings.push_back(std::move(warning));
  fit.record.model = "naive-bayes";
  fit.record.solver = "counting";
  fit.record.train_rows = counts.rows;
  fit.record.converged = true;
  fit.record.iterations = 1;
  fit.record.objective = -estimates.log_likelihood;
  if (!plan.has(Event::complement) && !estimates.impossible)
    fit.record.fit.emplace_back("joint_log_likelihood", estimates.log_likelihood);
  fit.record.fit.emplace_back("parameters", estimates.parameters + static_cast<double>(labels.size()) - 1);
  add_statistics(fit.record, estimates, plan, options_.keep_statistics ? &counts : nullptr);
  return fit;
}

Trained NaiveBayesTrainer::train(const Problem& problem, const Run& run) const {
  check(problem.map);
  expect_memory(*this, problem.examples, problem.labels.size(), run);
  const EventPlan events = plan(problem.map);
  EventCounts counts = count_events(problem.examples, events, problem.map, problem.labels.size(), run);
  if (problem.start != nullptr) {
    counts.add(counts_to_add_to(*problem.start, *this, problem.map, problem.labels));
    Trained further = fit(counts, events, problem.map, problem.labels);
    further.record.statistics.push_back({"class_weights", {counts.classes}, counts.weights()});
    return further;  // the earlier rows are no longer available
  }
  Trained found = fit(counts, events, problem.map, problem.labels, problem.labels_elsewhere);
  if (const auto conditional = conditional_log_likelihood(found.model, problem.examples, run))
    found.record.fit.emplace_back("conditional_log_likelihood", *conditional);
  add_dependence(found.record, find_dependence(problem.examples, events, counts, run));
  if (const auto column = normalised_idf_column(problem.map); column && options_.keep_statistics)
    found.warnings.push_back(
        "the statistics that are kept can not be merged, added to or made to forget, as the texts of column " +
        in_quotes(*column) +
        " are weighed by --tfidf and divided by their length; --normalise none leaves them as sums");
  if (!options_.virtual_prior.uniform() && options_.keep_statistics)
    found.warnings.push_back(
        "the statistics that are kept can not be merged, added to or made to forget, as the file of --virtual-prior is "
        "not kept with them");
  return found;
}

}  // namespace plumb
