#include "plumb/infer/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/random.h"
#include "plumb/base/text.h"
#include "plumb/infer/weight_tests.h"

namespace plumb {
namespace {

// The rows of a fit with other weights, as often as needed: their values are copied once and then borrowed.
class Reweighted {
 public:
  explicit Reweighted(const Examples& examples) : features_(examples.features()) {
    for (std::size_t b = 0; b < examples.blocks(); ++b) {
      auto own = std::make_shared<Rows>();
      Piece& piece = own->piece;
      piece.features = features_;
      piece.lows_of.assign(examples.lows_of().begin(), examples.lows_of().end());
      const bool sparse = examples.sparse();
      if (sparse) piece.offsets.push_back(0);
      examples.block(b).for_each([&](const Example& e) {
        if (!(e.weight > 0.0)) return;
        ++piece.rows;
        for (const double each : e.x.value) own->values.push_back(each);
        for (const std::uint32_t each : e.x.index) own->index.push_back(each);
        if (sparse) piece.offsets.push_back(own->values.size());
        piece.lows.insert(piece.lows.end(), e.lows.begin(), e.lows.end());
        piece.targets.push_back(e.target);
        piece.weights.push_back(e.weight);
      });
      rows_ += piece.rows;
      if (piece.rows > 0) parts_.push_back(std::move(own));
    }
  }
  std::uint64_t rows() const noexcept { return rows_; }

  // Row i counts counts[i] times.
  Examples with(const std::vector<std::uint32_t>& counts) const {
    std::vector<Piece> pieces;
    std::size_t at = 0;
    for (const std::shared_ptr<Rows>& part : parts_) {
      Piece& piece = pieces.emplace_back(part->piece);
      piece.values = Values::of(
          Array<double>(std::shared_ptr<const double>(part, part->values.data()), part->values.size()));
      piece.index = Array<std::uint32_t>(std::shared_ptr<const std::uint32_t>(part, part->index.data()),
                                         part->index.size());
      for (double& each : piece.weights) each *= counts[at++];
    }
    return Examples(std::move(pieces), features_);
  }

 private:
  struct Rows {
    Piece piece;  // without values and index
    std::vector<double> values;
    std::vector<std::uint32_t> index;
  };
  std::uint32_t features_;
  std::uint64_t rows_ = 0;
  std::vector<std::shared_ptr<Rows>> parts_;
};

// For every row of the model its features and then the bias, as differences from the reference if there is one.
std::vector<double> all_weights(const LinearModel& model, std::optional<std::uint64_t> reference) {
  const std::size_t p = model.features();
  std::vector<double> found, row(p), zero(p + 1);
  if (reference) {
    model.parts().weights.row(*reference, Out(zero).first(p));
    zero.back() = model.parts().bias[*reference];
  }
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    model.parts().weights.row(r, row);
    for (std::size_t j = 0; j < p; ++j) found.push_back(row[j] - zero[j]);
    found.push_back(model.parts().bias[r] - zero.back());
  }
  return found;
}

// Between the sorted numbers around it, as R's type 7.
double sorted_quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(low);
  return rest == 0.0 ? sorted[low] : sorted[low] + rest * (sorted[low + 1] - sorted[low]);
}

class Bootstrap {
 public:
  Bootstrap(Trained& fit, const Examples& examples, const Trainer& trainer, const Run& run)
      : fit_(fit),
        trainer_(trainer),
        run_(run),
        rows_(examples),
        reference_(reference_row(fit.model, fit.record)),
        start_{fit.model, fit.record} {}

  void add(std::uint64_t resamples) {
    for (std::uint64_t r = 0; r < resamples; ++r) {
      const double done = static_cast<double>(r) / static_cast<double>(resamples);
      draw(r, within(run_, done, done + 1.0 / static_cast<double>(resamples)));
    }
    const std::uint64_t used = found_.size();
    fit_.record.standard_errors = {};
    if (used < resamples)
      fit_.warnings.push_back(counted(resamples - used, "resample") + " of " + count_text(resamples) +
                              " had no finite weights, as where classes are separable, and were left out");
    if (used < 2 || 2 * used < resamples) {
      fit_.warnings.emplace_back("there are no bootstrap errors: too few resamples have finite weights; --l2 1 adds a penalty");
      return;
    }
    summarise();
    fit_.record.fit.emplace_back(kBootstrapRefits, static_cast<double>(used));
  }

 private:
  void draw(std::uint64_t resample, const Run& run) {
    const RandomKey key = run.random.with_stream(Stream::refits, resample);
    std::vector<std::uint32_t> counts(rows_.rows());
    for (std::uint64_t i = 0; i < counts.size(); ++i) ++counts[key.below(i, counts.size())];
    const Examples drawn = rows_.with(counts);
    Problem problem{drawn, fit_.model.parts().map, fit_.model.parts().labels};
    if (trainer_.skills().starts_anywhere) problem.start = &start_;
    try {
      const Trained refit = trainer_.train(problem, run);
      if (refit.stopped) throw Error(ErrorCode::interrupted, "stopped on request during the bootstrap");
      if (find_number(refit.record, "separated") != nullptr || refit.model.rows() != fit_.model.rows()) return;
      found_.push_back(all_weights(refit.model, reference_));
    } catch (const Error& error) {  // one label only, or no row with a weight
      if (error.code() != ErrorCode::data) throw;
    }
  }

  void summarise() {
    const std::size_t p = fit_.model.features(), rows = fit_.model.rows(), size = rows * (p + 1);
    const auto n = static_cast<double>(found_.size());
    std::vector<double> low(size), high(size), column(found_.size());
    ModelNumbers& errors = fit_.record.standard_errors;
    errors.bias.resize(rows);
    errors.weights.resize(rows * p);
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0.0, squares = 0.0;
      for (std::size_t b = 0; b < found_.size(); ++b) sum += column[b] = found_[b][i];
      for (const double each : column) squares += (each - sum / n) * (each - sum / n);
      const double error = std::sqrt(squares / (n - 1.0));
      (i % (p + 1) == p ? errors.bias[i / (p + 1)] : errors.weights[i / (p + 1) * p + i % (p + 1)]) = error;
      std::sort(column.begin(), column.end());
      low[i] = sorted_quantile(column, (1.0 - kIntervalLevel) / 2);
      high[i] = sorted_quantile(column, (1.0 + kIntervalLevel) / 2);
    }
    const std::vector<std::uint64_t> shape = {rows, p + 1};
    fit_.record.statistics.push_back({kBootstrapLow, shape, std::move(low)});
    fit_.record.statistics.push_back({kBootstrapHigh, shape, std::move(high)});
  }

  Trained& fit_;
  const Trainer& trainer_;
  const Run& run_;
  Reweighted rows_;
  std::optional<std::uint64_t> reference_;
  SavedModel start_;
  std::vector<std::vector<double>> found_;
};

}  // namespace

void add_bootstrap(Trained& fit, const Examples& examples, const Trainer& trainer, std::uint64_t resamples,
                   const Run& run) {
  if (fit.model.parts().link == Link::vote)
    throw Error(ErrorCode::usage, "--errors bootstrap is of the weights of one hyperplane, and this model has voters",
                "leave out --errors");
  const double numbers = static_cast<double>(resamples) * static_cast<double>(fit.model.rows()) *
                         static_cast<double>(fit.model.features() + 1);
  run.memory.expect(examples.bytes() + examples.entries() * 16 + static_cast<std::uint64_t>(numbers) * sizeof(double),
                    "the weights of " + counted(resamples, "resample") + " need", "--errors bootstrap:100");
  Bootstrap(fit, examples, trainer, run).add(resamples);
}

}  // namespace plumb
