#include "plumb/evaluate/predicted_classes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plumb/base/shared_watch.h"
#include "plumb/math/special.h"
#include "plumb/model/piece_scores.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;  // scores

// The largest of numbers, and the largest of the others.
struct TwoLargest {
  std::size_t place = 0;
  double first = -std::numeric_limits<double>::infinity(), second = first;

  explicit TwoLargest(In numbers) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (numbers[k] > first) {
        second = std::exchange(first, numbers[k]);
        place = k;
      } else if (numbers[k] > second) {
        second = numbers[k];
      }
    }
  }
  double besides(std::size_t k) const { return k == place ? second : first; }
};

}  // namespace

PredictedClasses::PredictedClasses(const LinearModel& model, std::uint64_t all_rows)
    : labels(model.parts().labels),
      known(labels.size()),
      probable(model.parts().link == Link::logistic || model.parts().link == Link::softmax),
      ranked(known == 2 || all_rows * known <= kMostScores) {}

void PredictedClasses::add(Predictor& predictor, const Row& x, double target, double counts) {
  if (!(counts > 0)) return;
  const auto is = static_cast<std::uint32_t>(target);
  const auto said = static_cast<std::uint32_t>(predictor.predict(x).label);
  predicted.push_back(said);
  actual.push_back(is);
  weight.push_back(counts);
  if (known == 2) {
    scores.push_back(predictor.decision());
  } else if (ranked && (rows() + 1) * known <= kMostScores) {
    // For each label against the others: its probability, or the distance of its score from the best of the others.
    const In found = probable ? predictor.probabilities() : predictor.label_scores();
    if (probable) {
      scores.insert(scores.end(), found.begin(), found.end());
    } else {
      const TwoLargest largest(found);
      for (std::size_t k = 0; k < known; ++k) scores.push_back(found[k] - largest.besides(k));
    }
  }
  if (!probable) return;
  log_loss.push_back(is < known ? -predictor.log_probability(is) : std::numeric_limits<double>::infinity());
  const In p = predictor.probabilities();
  double distance = 0.0;
  for (std::uint32_t k = 0; k < known; ++k) distance += (p[k] - (k == is)) * (p[k] - (k == is));
  if (is >= known) distance += 1.0;
  brier.push_back(known == 2 ? distance / 2 : distance);
  confidence.push_back(p[said]);
}

void PredictedClasses::make_room(std::uint64_t count) {
  for (std::vector<double>* const values : {&log_loss, &brier, &confidence})
    if (probable) values->resize(count);
  weight.resize(count);
  predicted.resize(count);
  actual.resize(count);
  scores.resize(known == 2 || count * known <= kMostScores ? count * scores_per_row() : 0);
}

void PredictedClasses::put_log_odds(std::uint64_t place, In odds, In targets, In counts) {
  const std::size_t n = odds.size();
  const auto own = [&](std::vector<double>& values) { return Out(values).subspan(place, n); };
  const Out losses = own(log_loss), squares = own(brier);
  math::odds_losses(odds, targets, losses, squares, own(confidence));
  std::copy(odds.begin(), odds.end(), own(scores).begin());
  std::copy(counts.begin(), counts.end(), own(weight).begin());
  std::uint32_t* const said = predicted.data() + place;
  std::uint32_t* const is = actual.data() + place;
  bool foreign = false;
  for (std::size_t i = 0; i < n; ++i) {
    said[i] = odds[i] >= 0 ? 1 : 0;
    is[i] = static_cast<std::uint32_t>(targets[i]);
    foreign |= is[i] > 1;
  }
  for (std::size_t i = 0; i < n && foreign; ++i) {
    if (is[i] < known) continue;  // otherwise of a label that the model does not know
    losses[i] = std::numeric_limits<double>::infinity();
    squares[i] += 0.5;
  }
}

// With m the largest score and r the sum of exp(score - m) of all other labels, the loss is m - score + log(1 + r).
void PredictedClasses::put_scores(std::uint64_t before, In found, In targets, In counts) {
  const std::size_t n = targets.size();
  std::copy(counts.begin(), counts.end(), weight.begin() + static_cast<std::ptrdiff_t>(before));
  std::vector<double> p(found.begin(), found.end());
  for (std::size_t i = 0; i < n; ++i) {
    const Out row = Out(p).subspan(i * known, known);
    std::size_t said = 0;
    for (std::size_t k = 1; k < known; ++k)
      if (row[k] >= row[said]) said = k;
    const double most = row[said];
    for (double& each : row) each -= most;
    predicted[before + i] = static_cast<std::uint32_t>(said);
  }
  math::exp(p, p);
  const Out losses = Out(log_loss).subspan(before, n);
  for (std::size_t i = 0; i < n; ++i) {
    const Out row = Out(p).subspan(i * known, known);
    const auto is = static_cast<std::uint32_t>(targets[i]);
    const std::uint32_t said = predicted[before + i];
    double others = 0.0, distance = is < known ? 0.0 : 1.0;
    for (std::uint32_t k = 0; k < known; ++k) others += k == said ? 0.0 : row[k];
    losses[i] = others;
    for (std::uint32_t k = 0; k < known; ++k) {
      row[k] /= 1 + others;
      distance += (row[k] - (k == is)) * (row[k] - (k == is));
    }
    actual[before + i] = is;
    brier[before + i] = distance;
    confidence[before + i] = row[said];
  }
  math::log1p(losses, losses);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t is = actual[before + i], said = predicted[before + i];
    losses[i] = is < known ? losses[i] + (found[i * known + said] - found[i * known + is])
                           : std::numeric_limits<double>::infinity();
  }
  if (!scores.empty()) std::copy(p.begin(), p.end(), scores.begin() + static_cast<std::ptrdiff_t>(before * known));
}

void PredictedClasses::put(std::uint64_t place, const PredictedClasses& rows) {
  const auto copy = [place](auto& to, const auto& from, std::size_t width) {
    if (!to.empty()) std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(place * width));
  };
  copy(predicted, rows.predicted, 1);
  copy(actual, rows.actual, 1);
  copy(weight, rows.weight, 1);
  copy(scores, rows.scores, scores_per_row());
  copy(log_loss, rows.log_loss, 1);
  copy(brier, rows.brier, 1);
  copy(confidence, rows.confidence, 1);
}

void PredictedClasses::reserve(std::uint64_t count) {
  for (std::vector<double>* values : {&log_loss, &brier, &confidence})
    if (probable) values->reserve(count);
  weight.reserve(count);
  scores.reserve(std::min(count * scores_per_row(), kMostScores));
  predicted.reserve(count);
  actual.reserve(count);
}

void PredictedClasses::append(PredictedClasses&& more) {
  const auto join = [](auto& all, auto& part) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  };
  join(predicted, more.predicted);
  join(actual, more.actual);
  join(weight, more.weight);
  join(scores, more.scores);
  join(log_loss, more.log_loss);
  join(brier, more.brier);
  join(confidence, more.confidence);
  if (rows() * scores_per_row() > kMostScores && known != 2) scores = {};
  if (more.labels.size() > labels.size()) labels = std::move(more.labels);
}

bool is_plain(const LinearModel& model) noexcept {
  const LinearModel::Parts& parts = model.parts();
  if (model.has_vetoes() || !parts.calibration.none() || parts.weights.form() != Weights::Form::dense) return false;
  if (parts.link == Link::softmax) return model.rows() == parts.labels.size() && parts.labels.size() > 2;
  return parts.link == Link::logistic && model.rows() == 1 && parts.threshold == 0.5;
}

std::vector<std::uint64_t> rows_before_blocks(const Examples& examples) {
  std::vector<std::uint64_t> before = {0};
  for (std::size_t b = 0; b < examples.blocks(); ++b) {
    std::uint64_t rows = before.back();
    examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
      if (piece.weights.empty()) rows += end - begin;
      for (std::uint64_t r = begin; r < end && !piece.weights.empty(); ++r) rows += piece.weights[r] > 0 ? 1 : 0;
    });
    before.push_back(rows);
  }
  return before;
}

PredictedClasses predict_classes(const LinearModel& model, const Examples& examples,
                                 const std::vector<std::string>& labels, const Run& run) {
  PredictedClasses all(model);
  SharedWatch watch(run, Phase::evaluating, examples.blocks());
  const std::uint64_t most = std::max<std::uint64_t>(kMostAtOnce / model.rows(), 1);  // rows
  if (is_plain(model)) {
    const std::vector<std::uint64_t> before = rows_before_blocks(examples);
    all.make_room(before.back());
    run.executor.for_each(examples.blocks(), [&](std::size_t b) {
      watch.expect_going_on();
      const std::size_t width = model.rows();
      std::vector<double> scores, targets, weights;  // exponentials of many rows are computed at once
      std::uint64_t place = before[b];
      const auto put = [&] {
        width == 1 ? all.put_log_odds(place, scores, targets, weights)
                   : all.put_scores(place, scores, targets, weights);
        place += targets.size();
        for (std::vector<double>* const each : {&scores, &targets, &weights}) each->clear();
      };
      examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
        for (std::uint64_t from = begin, to = begin; from < end; from = to) {
          if (targets.size() >= most) {
            put();
            watch.expect_going_on();
          }
          std::size_t kept = targets.size();
          to = std::min<std::uint64_t>(end, from + most - kept);
          scores.resize((kept + (to - from)) * width);
          const Out fresh = Out(scores).subspan(kept * width);
          score_rows_of_all(model, piece, from, fresh);
          for (std::uint64_t r = from; r < to; ++r) {
            const double weight = piece.weights.empty() ? 1.0 : piece.weights[r];
            if (!(weight > 0)) continue;
            std::copy_n(&fresh[(r - from) * width], width, &scores[kept++ * width]);
            targets.push_back(piece.targets.empty() ? 0.0 : piece.targets[r]);
            weights.push_back(weight);
          }
          scores.resize(kept * width);
        }
      });
      put();
      watch.done();
    });
  } else {
    std::vector<PredictedClasses> blocks(examples.blocks(), PredictedClasses(model, examples.size()));
    run.executor.for_each(blocks.size(), [&](std::size_t b) {
      Predictor predictor(model);
      std::uint64_t rows = 0;
      examples.block(b).for_each([&](const Example& e) {
        if (rows++ % most == 0) watch.expect_going_on();
        blocks[b].add(predictor, e.x, e.target, e.weight);
      });
      watch.done();
    });
    all.reserve(examples.size());
    for (PredictedClasses& block : blocks) all.append(std::move(block));
  }
  all.labels = labels;
  return all;
}

std::vector<double> class_weights(const Examples& examples, std::size_t classes, const Run& run) {
  std::vector<double> weights(classes);
  run.reduce(Phase::evaluating, examples.blocks(), weights, [&](std::size_t b, Out out) {
    examples.block(b).for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
      for (std::uint64_t r = begin; r < end; ++r) {
        const auto k = static_cast<std::size_t>(piece.targets.empty() ? 0.0 : piece.targets[r]);
        if (k < classes) out[k] += piece.weights.empty() ? 1.0 : piece.weights[r];
      }
    });
  });
  return weights;
}

}  // namespace plumb
