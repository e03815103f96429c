#include "plumb/train/perceptron.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/solver/count_rows.h"
#include "plumb/solver/online.h"
#include "plumb/solver/row_arithmetic.h"
#include "plumb/train/ledger.h"
#include "plumb/train/mistake_bound.h"
#include "plumb/train/plane_weights.h"
#include "plumb/train/voters.h"

namespace plumb {
namespace {

constexpr std::string_view kLast = "last";                  // of add_planes()
constexpr std::string_view kVariances = "variances";        // arow's, in its own order
constexpr std::string_view kAveraged = "averaged_vectors";  // Record::fit
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostBoundaries = 256;
constexpr std::uint64_t kDeal = std::numeric_limits<std::uint64_t>::max();  // number of an order that no pass reaches
constexpr std::uint64_t kChunk = OnlineLearner::kPart;                      // rows between two checks whether to stop
constexpr std::uint64_t kWorthCopying = 4;  // the number of passes from which a copy of the rows pays

Loss loss_of(OnlineLoss loss) {
  switch (loss) {
    case OnlineLoss::perceptron: return Loss::perceptron;
    case OnlineLoss::hinge: return Loss::hinge;
    case OnlineLoss::squared: return Loss::squared;
    case OnlineLoss::logistic: break;
  }
  return Loss::logistic;
}

class Training {
 public:
  Training(const PerceptronOptions& options, const Problem& problem, std::uint64_t memory, const Run& run)
      : options_(options),
        problem_(problem),
        run_(run),
        features_(problem.examples.features()),
        planes_(problem.labels.size() == 2 ? 1 : static_cast<std::uint32_t>(problem.labels.size())),
        rule_{.update = options.loss == OnlineLoss::perceptron ? options.update : Update::loss,
              .loss = loss_of(options.loss),
              .rate = options.rate,
              .margin = options.margin,
              .relative = options.relative,
              .aggressiveness = options.aggressiveness,
              .bias = options.bias,
              .average = options.variant == Variant::averaged},
        rows_(problem.examples),
        memory_(memory),
        learner_(rule_, features_, planes_),
        voters_(planes_) {
    if (problem.labels.size() < 2) throw Error(ErrorCode::data, "all rows have one label; at least two were expected");
    check_rows();
    if (learner_.can_owe()) owed_.resize(rows_.size());
    begin();
  }

  Trained fit() {
    bool clean = false;
    std::uint64_t pass = 0;
    while (pass < options_.passes && !clean && !stopped_) {
      seen_ = 0;
      OnlineLearner::Pass done;
      try {
        copy_rows(options_.passes - pass);
        options_.shards > 1 ? sharded_pass(pass, done) : whole_pass(pass, done);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::interrupted || (pass == 0 && seen_ == 0)) throw;
        stopped_ = true;  // with the current weights
        run_.watch = {};
        if (seen_ == 0) break;
      }
      learner_.expect_finite();
      ledger_.add(done.mistakes, done.updates, learner_.norm());
      clean = done.updates == 0 && done.mistakes == 0 && !stopped_;
      add_trace(++pass, done);
    }
    record_.solver = options_.loss == OnlineLoss::perceptron
                         ? std::string(EnumNames<Update>::names[static_cast<std::size_t>(options_.update)])
                         : "sgd";
    record_.train_rows = problem_.examples.size();
    record_.converged = clean;
    record_.iterations = passes_before_ + pass;
    RowReader reader(rows_);
    learner_.settle(reader, owed_);
    Trained fit{model(), std::move(record_), {}};
    fit.record.objective = static_cast<double>(training_errors(fit.model));
    fit.record.fit.emplace_back("training_errors", fit.record.objective);
    fit.record.fit.emplace_back("mistakes", static_cast<double>(ledger_.all_mistakes()));
    fit.record.fit.emplace_back("updates", static_cast<double>(ledger_.all_updates()));
    add_bound(fit.record);
    ledger_.write(fit.record);
    fit.trace = std::move(trace_);
    fit.stopped = stopped_;
    if (options_.relative && options_.margin == 0.0)
      fit.warnings.emplace_back("--margin-relative needs --margin above 0");
    if (stopped_)
      fit.warnings.push_back("the fit was stopped " +
                             (seen_ == 0 ? "after " + count_text(pass) + (pass == 1 ? " pass" : " passes")
                                         : "in pass " + count_text(pass) + ", after " + count_text(seen_) + " of its " +
                                               counted(rows_.size(), "row")) +
                             "; --continue goes on from the model that is saved");
    return fit;
  }

 private:
  void check_rows() const {
    if (problem_.examples.size() == 0) throw Error(ErrorCode::data, "there are no rows to train on");
    if (rows_.size() == 0)
      throw Error(ErrorCode::data, "every row has weight 0; there is nothing to train on",
                  "give the rows that should count a weight above 0");
    for (std::uint64_t i = 0; i < rows_.size(); ++i)
      if (const double weight = rows_.weight(i); !(weight > 0.0 && std::isfinite(weight)))
        throw Error(ErrorCode::data,
                    "a row has the weight " + number_text(weight, 3) + "; weights of at least 0 were expected",
                    "leave the row out with weight 0");
    expect_finite_norms(rows_);
  }

  // Rows that the model itself, the average or the vote, predicts wrongly.
  std::int64_t training_errors(const LinearModel& model) const {
    double errors = 0.0;
    run_.reduce(Phase::fitting, problem_.examples.blocks(), {&errors, 1}, [&](std::size_t b, std::span<double> out) {
      Predictor predictor(model);
      problem_.examples.block(b).for_each([&](const Example& example) {
        if (example.weight != 0.0 && predictor.predict(example.x).label != static_cast<std::size_t>(example.target))
          out[0] += 1.0;
      });
    });
    return static_cast<std::int64_t>(errors);
  }

  // The theory has a bound for fixed steps from zero on equally weighted rows, and a fixed margin.
  void add_bound(Record& record) const {
    if (planes_ > 1 || rule_.update != Update::perceptron || options_.relative || options_.shards > 1 ||
        options_.start != StartWeights::zero || problem_.start != nullptr || problem_.examples.weighted())
      return;
    Planes plane = learner_.weights();
    if (rule_.average && !record.converged) plane = learner_.average();
    const MistakeBound bound =
        mistake_bound(rows_, plane, options_.bias, options_.margin / options_.rate, record.iterations, run_);
    record.fit.emplace_back("radius", bound.radius);
    if (bound.updates == 0.0 || !std::isfinite(bound.updates)) return;
    if (bound.margin.low > 0.0) {
      record.fit.emplace_back("margin_low", bound.margin.low);
      if (std::isfinite(bound.margin.high)) record.fit.emplace_back("margin_high", bound.margin.high);
    } else if (bound.margin.high == 0.0) {
      record.fit.emplace_back("margin_high", 0.0);  // it was proved that no hyperplane separates the rows
    }
    if (bound.any_passes > 0.0 && std::isfinite(bound.any_passes))
      record.fit.emplace_back("margin_bound", bound.any_passes);
    if (bound.aim > 0.0) {
      record.fit.emplace_back("slack_margin", bound.aim);
      record.fit.emplace_back("slack", bound.slack);
    }
    record.fit.emplace_back("mistake_bound", bound.updates);
  }

  bool voted() const { return options_.variant == Variant::voted; }

  // Zero, random, or where another model ended.
  void begin() {
    if (problem_.start != nullptr) return go_on(*problem_.start);
    if (options_.start == StartWeights::zero && !voted()) return;  // where the learner is
    Planes planes{planes_, std::vector<double>(std::size_t{features_} * planes_), std::vector<double>(planes_)};
    if (options_.start == StartWeights::random) {
      const RandomKey key = run_.random.with_stream(Stream::start);
      for (std::size_t i = 0; i < planes.weights.size(); ++i) planes.weights[i] = key.uniform(i);
      for (std::size_t k = 0; k < planes_ && options_.bias; ++k)
        planes.bias[k] = key.uniform(planes.weights.size() + k);
    }
    if (voted()) voters_.begin(planes);
    learner_.start(std::move(planes));
  }

  void go_on(const SavedModel& saved) {
    const LinearModel& model = saved.model;
    const bool votes = model.parts().link == Link::vote;
    if (votes != voted())
      throw Error(ErrorCode::usage,
                  std::string("the model to continue is ") + (votes ? "a vote" : "not a vote") +
                      ", and --variant asks for the other",
                  std::string("--variant ") + (votes ? "voted" : "averaged"));
    std::optional<Planes> last = kept_planes(saved.record, kLast, planes_, features_);
    if (votes) {
      voters_ = Voters(model.parts(), planes_);
      learner_.start(last ? std::move(*last) : voters_.last(features_));
    } else {
      const double* const counted = find_number(saved.record, kAveraged);
      if (last && counted != nullptr && rule_.average) {
        learner_.resume(std::move(*last), planes_of(model), *counted);
      } else {
        learner_.start(last ? std::move(*last) : planes_of(model));
      }
    }
    if (const Statistic* const variances = find_statistic(saved.record, kVariances);
        variances != nullptr && options_.update == Update::arow)
      learner_.set_variances(std::get<std::vector<double>>(variances->values));
    if (saved.record.model == "perceptron") {
      ledger_ = Ledger::of(saved.record);
      passes_before_ = saved.record.iterations;
    }
    ledger_.continued = true;
  }

  // A pass minimises nothing: its mistakes take the place of a loss.
  void add_trace(std::uint64_t pass, const OnlineLearner::Pass& done) {
    SolverStep step{
        .iteration = passes_before_ + pass,
        .loss = static_cast<double>(done.mistakes),
        .gradient_norm = kNotANumber,
        .step = rule_.update == Update::perceptron || rule_.update == Update::loss ? rule_.rate : kNotANumber,
        .passes = static_cast<double>(passes_before_ + pass),
        .gap = HUGE_VAL,
        .weights = {},
        .norm = learner_.norm()};
    if (planes_ == 1 && features_ + (options_.bias ? 1 : 0) <= SolverStep::kTracedWeights) {
      Planes now = learner_.weights();
      step.weights = std::move(now.weights);
      if (options_.bias) step.weights.push_back(now.bias[0]);
    }
    trace_.push_back(std::move(step));
  }

  // Many passes use a copy of the rows, if memory allows.
  void copy_rows(std::uint64_t passes) {
    if (copy_tried_ || passes < kWorthCopying || !learner_.takes_counts() || voted() || drawn()) return;
    copy_tried_ = true;
    const Examples& examples = problem_.examples;
    // In every pass a learner lays its weights out again.
    if (examples.entries() < 2 * options_.shards * features_) return;
    const std::uint64_t held = examples.bytes() + memory_;
    if (run_.memory.allows(held + CountRows::bytes(examples))) copy_ = CountRows::of(rows_, Run{run_.executor});
  }

  // In chunks, so that it can be stopped.
  void whole_pass(std::uint64_t pass, OnlineLearner::Pass& total) {
    const std::vector<std::uint64_t> order =
        order_of(options_.order, 0, rows_.size(), run_.random, passes_before_ + pass);
    const auto report = [&](std::uint64_t row) {
      const std::uint64_t done = pass * order.size() + row, all = options_.passes * order.size();
      report_part(run_, Phase::fitting, static_cast<double>(done) / static_cast<double>(all));
    };
    RowReader reader(rows_), again(rows_);
    if (copy_) {
      const auto on_part = [&](std::size_t t, const OnlineLearner::Pass& done) {
        total = done;
        seen_ = t;
        report(t);
      };
      total = learner_.pass(*copy_, order, owed_, on_part);
      seen_ = order.size();
      return;
    }
    for (std::uint64_t begin = 0; begin < order.size(); begin += kChunk) {
      report(begin);
      const auto chunk = std::span(order).subspan(begin, std::min<std::uint64_t>(kChunk, order.size() - begin));
      std::size_t counted = 0;  // rows of the chunk that have voted
      const auto on_update = [&](std::size_t t, In steps) {
        if (!voted()) return keep_boundary();
        voters_.survive(t - counted);
        const Row x = again.row(chunk[t]);
        expect_room_for(x, steps);
        voters_.add(x, steps, options_.bias);
        counted = t;
      };
      const OnlineLearner::Pass found =
          learner_.pass(reader, chunk, owed_, voted() || drawn() ? OnlineLearner::OnUpdate(on_update) : nullptr);
      if (voted()) voters_.survive(chunk.size() - counted);
      total.mistakes += found.mistakes;
      total.updates += found.updates;
      seen_ += chunk.size();
    }
  }

  // Hypotheses grow with mistakes, whose number is not known in advance.
  void expect_room_for(const Row& x, In steps) const {
    const auto rows =
        static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](double s) { return s != 0; }));
    const std::uint64_t held = problem_.examples.bytes() + memory_ + voters_.bytes_with(rows, rows * x.value.size());
    if (!run_.memory.allows(held))
      run_.memory.expect(
          held,
          "training needs, with the " + count_text(voters_.size() + rows) + " hypotheses of a voted perceptron so far,",
          "fewer --passes, or --variant averaged, which keeps one hypothesis");
  }

  // Two features can be drawn: then the path of the boundary is kept, as the weights after each update, (w, w, bias).
  // Beyond kMostBoundaries every second one, or fourth, ...
  bool drawn() const { return planes_ == 1 && features_ == 2 && options_.shards == 1; }
  void add_boundary() {
    const Planes now = learner_.weights();
    path_.insert(path_.end(), {now.weights[0], now.weights[1], now.bias[0]});
  }
  void keep_boundary() {
    if (updates_++ % every_ != 0) return;
    add_boundary();
    if (path_.size() < 3 * kMostBoundaries) return;
    for (std::size_t k = 0; k < kMostBoundaries / 2; ++k)
      std::copy_n(path_.begin() + static_cast<std::ptrdiff_t>(6 * k), 3,
                  path_.begin() + static_cast<std::ptrdiff_t>(3 * k));
    path_.resize(3 * (kMostBoundaries / 2));
    every_ *= 2;
  }

  // Shard k has rows n k / K up to n (k + 1) / K, whatever the number of threads: of the file, or, since a file may be
  // sorted by its labels, of all rows shuffled once.
  void sharded_pass(std::uint64_t pass, OnlineLearner::Pass& total) {
    const std::uint64_t shards = options_.shards, n = rows_.size();
    std::vector<OnlineLearner> parts(shards, learner_);
    std::vector<OnlineLearner::Pass> done(shards);
    report_part(run_, Phase::fitting, static_cast<double>(pass) / static_cast<double>(options_.passes));
    if (dealt_.empty()) dealt_ = order_of(options_.order, 0, n, run_.random, kDeal);
    run_.for_each(Phase::fitting, shards, [&](std::size_t k) {
      parts[k].forget_average();
      RowReader reader(rows_);
      std::vector<std::uint64_t> order = order_of(options_.order, n * k / shards, n * (k + 1) / shards, run_.random,
                                                  (passes_before_ + pass) * shards + k);
      for (std::uint64_t& row : order) row = dealt_[row];
      done[k] = copy_ ? parts[k].pass(*copy_, order, owed_) : parts[k].pass(reader, order, owed_);
    });
    learner_.mix(parts);
    for (const OnlineLearner::Pass& each : done) {
      total.mistakes += each.mistakes;
      total.updates += each.updates;
    }
    seen_ = n;
  }

  LinearModel model() {
    LinearModel::Parts parts;
    parts.map = problem_.map;
    parts.labels.assign(problem_.labels.begin(), problem_.labels.end());
    parts.link = voted() ? Link::vote : Link::sign;
    if (voted()) {
      // The sum of the steps, each of which was rounded, may differ from the learner's weights.
      const Planes sum = voters_.last(features_), last = learner_.weights();
      if (sum.weights != last.weights || sum.bias != last.bias) keep_last();
      voters_.move_to(parts, features_);
      return LinearModel(std::move(parts));
    }
    Planes planes = rule_.average ? learner_.average() : learner_.weights();
    if (rule_.average) {
      keep_last();
      record_.fit.emplace_back(kAveraged, learner_.counted());
    }
    if (updates_ > 0 && (updates_ - 1) % every_ != 0) add_boundary();  // the last belongs to it
    if (!path_.empty()) record_.statistics.push_back({std::string(kBoundaryPath), {path_.size() / 3, 3}, path_});
    if (options_.update == Update::arow)
      record_.statistics.push_back({std::string(kVariances),
                                    {learner_.variances().size()},
                                    std::vector<double>(learner_.variances().begin(), learner_.variances().end())});
    parts.weights = weights_of(planes);
    parts.bias = std::move(planes.bias);
    return LinearModel(std::move(parts));
  }

  // The data for --continue beside the average, or the votes.
  void keep_last() { add_planes(record_, kLast, learner_.weights()); }

  const PerceptronOptions& options_;
  const Problem& problem_;
  Run run_;  // of its own: no longer called once it asked to stop
  std::uint32_t features_;
  std::uint32_t planes_;
  OnlineRule rule_;
  RowTable rows_;
  std::optional<CountRows> copy_;
  bool copy_tried_ = false;
  std::uint64_t memory_;  // of the fit without it
  OnlineLearner learner_;
  std::vector<double> owed_;  // to its average, along each row
  Voters voters_;
  Ledger ledger_;
  Record record_;
  std::vector<SolverStep> trace_;
  bool stopped_ = false;
  std::uint64_t seen_ = 0;            // rows of this pass
  std::vector<std::uint64_t> dealt_;  // see sharded_pass
  std::uint64_t passes_before_ = 0;
  std::vector<double> path_;  // see keep_boundary
  std::uint64_t updates_ = 0, every_ = 1;
};

}  // namespace

PerceptronTrainer::PerceptronTrainer(PerceptronOptions options) : options_(options) {
  if (options.loss != OnlineLoss::perceptron && (options.update != Update::perceptron || options.margin != 0.0))
    throw Error(ErrorCode::usage, "--loss cannot be combined with --update or --margin", "leave out --loss");
  if (options.update != Update::perceptron && (options.margin != 0.0 || options.relative || options.rate != 1.0))
    throw Error(ErrorCode::usage,
                "--margin, --margin-relative and --rate are for --update perceptron; pa1, pa2 and arow "
                "find their own steps",
                "--aggressiveness 0.1");
  if (options.aggressiveness != 1.0 && (options.update == Update::perceptron || options.loss != OnlineLoss::perceptron))
    throw Error(ErrorCode::usage, "--aggressiveness is for --update pa1, pa2 and arow", "--update pa1");
  if (options.variant == Variant::voted && options.update == Update::arow)
    throw Error(ErrorCode::usage, "--variant voted does not support --update arow", "--variant averaged");
  if (options.variant == Variant::voted && options.shards > 1)
    throw Error(ErrorCode::usage, "--shards does not support --variant voted", "--shards 1");
}

// Weights, their average, and what the model and its record have of both.
std::uint64_t PerceptronTrainer::memory(const FitSize& size, const Executor&) const {
  const std::uint64_t vectors = 3 + (options_.variant == Variant::averaged ? 2 : 0) +
                                (options_.update == Update::arow ? 1 : 0) +
                                (options_.shards > 1 ? 2 * options_.shards : 0);
  return vectors * 8 * size.features * size.planes() + (options_.variant == Variant::averaged ? 32 : 24) * size.rows;
}

Trained PerceptronTrainer::train(const Problem& problem, const Run& run) const {
  const std::size_t classes = problem.labels.size();
  expect_memory(*this, problem.examples, classes, run);
  return Training(options_, problem, memory(FitSize::of(problem.examples, classes), run.executor), run).fit();
}

}  // namespace plumb
