#include "plumb/train/fold_fits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/objective/objective.h"
#include "plumb/solver/solver.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostFoldPasses = 300;  // before a fit is left to others
constexpr double kLeastFoldTolerance = 1e-9;    // supported by single precision

std::vector<double> ridge_of(const DesignMatrix& x, const ConvexOptions& options) {
  std::vector<double> ridge(x.columns());
  for (std::size_t j = 0; j < ridge.size(); ++j) ridge[j] = std::ldexp(1.0, -2 * x.exponent(j));
  if (x.bias()) ridge.back() = options.penalise_bias ? 1.0 : 0.0;
  return ridge;
}

// The cases that lock-step supports: the default settings of a fit, to a gap.
bool plain(const ConvexTrainer& trainer) {
  const ConvexOptions& options = trainer.options();
  return trainer.loss() == Loss::logistic && trainer.options().sparse.none() && !trainer.strength().automatic &&
         trainer.strength().value > 0.0 && (options.solver == "auto" || options.solver == "coordinate-descent") &&
         options.stop == StopRule::gap && options.step == StepRule::line_search && options.max_iterations == 0 &&
         options.penalty_factor.empty() && options.weighting == FeatureWeighting::none &&
         options.class_weight.empty() && options.tolerance >= kLeastFoldTolerance;
}

// Bytes of the examples, the matrix, its packed rows, and for every group its duals, scores and weights.
std::uint64_t bytes_for(const Examples& examples, std::size_t groups) {
  constexpr std::uint64_t kOfRow = 256, kOfColumn = 128, kOfEntry = 8;
  return examples.bytes() + examples.entries() * kOfEntry +
         DesignMatrix::bytes(examples.rows(), examples.entries(), examples.features(), examples.sparse()) +
         groups * (examples.rows() * kOfRow + examples.features() * kOfColumn);
}

std::vector<std::uint8_t> lanes_of_rows(const std::vector<std::uint64_t>& number,
                                        std::span<const RowSet* const> training) {
  std::vector<std::uint8_t> in(number.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t k = 0; k < training.size(); ++k)
      if (training[k]->has(number[i])) in[i] = static_cast<std::uint8_t>(in[i] | 1u << k);
  return in;
}

}  // namespace

FoldFits::FoldFits(const ConvexTrainer& trainer, const Problem& all, const Run& run)
    : options_(trainer.options()),
      map_(all.map),
      labels_(all.labels.begin(), all.labels.end()),
      x_(all.examples, options_.bias, {}, {}, run) {
  for (std::size_t b = 0; b < all.examples.blocks(); ++b)
    all.examples.block(b).for_each_run(
        [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          for (std::uint64_t r = begin; r < end; ++r, ++number)
            if (piece.weights.empty() || piece.weights[r] > 0.0) number_.push_back(number);
        });
}

std::unique_ptr<LockstepFits> FoldFits::make(const ConvexTrainer& trainer, const Problem& all, std::size_t groups,
                                             const Run& run) {
  if (!run.memory.allows(bytes_for(all.examples, groups))) return nullptr;
  if (!plain(trainer) || all.labels.size() != 2 || !all.examples.sparse() || all.map.offset()) return nullptr;
  // The choice of choose_solver below, made before a matrix is built in vain.
  if (trainer.options().solver == "auto" && all.examples.size() > 4 * (std::uint64_t{all.map.features()} + 1))
    return nullptr;
  std::unique_ptr<FoldFits> fits(new FoldFits(trainer, all, run));
  fits->x_.centre();
  if (fits->x_.centred()) return nullptr;  // columns far from 0 relative to their spread: each fit alone
  std::vector<double> ridge = ridge_of(fits->x_, fits->options_);
  // Neither negligible beside the largest feature, nor so large that its root overflows.
  const double l2 = trainer.strength().value;
  const auto usable = [&](double each) { return each * l2 > 1e-24 && each > 1e-100 && each < 1e100; };
  if (!std::all_of(ridge.begin(), ridge.end() - (fits->x_.bias() ? 1 : 0), usable)) return nullptr;
  if (fits->options_.solver == "auto" &&
      choose_solver(Objective(fits->x_, row_loss(Loss::logistic), ridge, run)).solver->name != "coordinate-descent")
    return nullptr;
  fits->rows_ = std::make_unique<FoldRows>(fits->x_, std::move(ridge), run);
  return fits;
}

bool FoldFits::serves(const Trainer& trainer) const {
  const auto* const convex = dynamic_cast<const ConvexTrainer*>(&trainer);
  if (convex == nullptr) return false;
  const ConvexTrainer& other = *convex;
  const ConvexOptions& options = other.options();
  if (!plain(other) || options.bias != options_.bias || options.penalise_bias != options_.penalise_bias ||
      options.solver != options_.solver)
    return false;
  const double l2 = other.strength().value;
  return std::all_of(rows_->ridge().begin(), rows_->ridge().end(),
                     [&](double each) { return each == 0.0 || each * l2 > 1e-24; });
}

class FoldFits::Fits final : public LockstepFits::Group {
 public:
  Fits(const FoldFits& fits, std::span<const RowSet* const> training)
      : fits_(fits), descent_(*fits.rows_, lanes_of_rows(fits.number_, training), training.size()) {}

  std::vector<Found> fit(const Trainer& served, const Run& run) override {
    const auto& trainer = dynamic_cast<const ConvexTrainer&>(served);
    std::vector<Found> all;
    const DesignMatrix& x = fits_.x_;
    const std::size_t features = x.columns() - (x.bias() ? 1 : 0);
    for (FoldDescent::Result& result :
         descent_.solve(trainer.strength().value, trainer.options().tolerance, kMostFoldPasses, run)) {
      std::vector<double>& w = result.w;
      LinearModel::Parts parts;
      parts.bias = {x.bias() ? w.back() : 0.0};
      w.resize(features);
      for (std::size_t j = 0; j < features; ++j) w[j] = std::ldexp(w[j], -x.exponent(j));
      parts.map = fits_.map_;
      parts.link = Link::logistic;
      parts.labels = fits_.labels_;
      parts.weights = Weights::dense(1, fits_.map_.features(), std::move(w));
      all.push_back({LinearModel(std::move(parts)), result.converged});
    }
    return all;
  }

 private:
  const FoldFits& fits_;
  FoldDescent descent_;
};

std::unique_ptr<LockstepFits::Group> FoldFits::group(std::span<const RowSet* const> training) const {
  static_assert(LockstepFits::kMost <= FoldDescent::kMost);
  return std::make_unique<Fits>(*this, training);
}

std::unique_ptr<LockstepFits> ConvexTrainer::lockstep(const Problem& all, std::size_t groups, const Run& run) const {
  return FoldFits::make(*this, all, groups, run);
}

}  // namespace plumb
