#include "plumb/model/piece_scores.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "plumb/base/fetch.h"
#include "plumb/math/column_sums.h"
#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

// Rows are consecutive, and prefetching this far ahead leaves the processor free to wait for weights. Prefetching past
// the end does no harm.
constexpr std::uintptr_t kAhead = 3072;  // bytes
constexpr std::uintptr_t kLine = 64;
void ask_for(const void* begin, std::uint64_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin) + kAhead;
  for (std::uintptr_t at = from; at < from + bytes; at += kLine) fetch(reinterpret_cast<const void*>(at));
}

// score_of(entry, count): for the entries of a row.
template <class ScoreOf>
void score_each(const Piece& piece, std::uint64_t begin, Out scores, double bias, ScoreOf&& score_of) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::uint64_t from = piece.offsets[begin + i];
    const std::uint64_t count = piece.offsets[begin + i + 1] - from;
    ask_for(piece.index.data() + from, count * sizeof piece.index[0]);
    scores[i] = score_of(from, count) + bias;
  }
}

}  // namespace

bool has_one_dense_row(const LinearModel& model) noexcept {
  return model.rows() == 1 && model.parts().weights.form() == Weights::Form::dense;
}

void score_rows(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores) {
  const In w = model.parts().weights.dense_values();
  const double bias = model.parts().bias[0];
  if (piece.offsets.empty()) {
    if (piece.values.form() == Values::Form::doubles) {
      math::dots(piece.values.doubles().data() + begin * piece.features, piece.features, w, scores);
      for (double& score : scores) score += bias;
      return;
    }
    std::vector<double> decoded(piece.features);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      piece.values.decode((begin + i) * piece.features, decoded);
      scores[i] = math::dot(w, decoded) + bias;
    }
    return;
  }
  const math::Indices index(piece.index);
  switch (piece.values.form()) {
    case Values::Form::ones:
      math::sparse_sums(piece.index.data(), piece.offsets.data() + begin, w, scores);
      for (double& score : scores) score += bias;
      return;
    case Values::Form::bytes:
      return score_each(piece, begin, scores, bias, [&](std::uint64_t from, std::uint64_t count) {
        return math::sparse_dot(index.subspan(from, count), piece.values.counts().subspan(from, count), w);
      });
    case Values::Form::floats:
      return score_each(piece, begin, scores, bias, [&](std::uint64_t from, std::uint64_t count) {
        const math::Floats values = piece.values.floats().subspan(from, count);
        ask_for(values.data(), values.size_bytes());
        return math::sparse_dot(index.subspan(from, count), values, w);
      });
    case Values::Form::doubles:
      return score_each(piece, begin, scores, bias, [&](std::uint64_t from, std::uint64_t count) {
        const In values = piece.values.doubles().subspan(from, count);
        ask_for(values.data(), values.size_bytes());
        return math::sparse_dot(index.subspan(from, count), values, w);
      });
  }
}

void score_rows_of_all(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores) {
  const std::size_t width = model.rows(), rows = scores.size() / width;
  if (width == 1) return score_rows(model, piece, begin, scores);
  if (!piece.offsets.empty() || piece.values.form() != Values::Form::doubles) {
    PieceRows decoded(piece);
    for (std::size_t i = 0; i < rows; ++i) model.scores(decoded.row(begin + i), scores.subspan(i * width, width));
    return;
  }
  const std::size_t features = model.features();
  const In w = model.parts().weights.dense_values();
  std::array<double, 64> some;  // rows that stay in the cache from one class to the next
  for (std::size_t done = 0; done < rows; done += some.size()) {
    const Out found = Out(some).first(std::min(some.size(), rows - done));
    const double* const x = piece.values.doubles().data() + (begin + done) * piece.features;
    for (std::size_t k = 0; k < width; ++k) {
      math::dots(x, piece.features, w.subspan(k * features, features), found);
      for (std::size_t i = 0; i < found.size(); ++i) scores[(done + i) * width + k] = found[i] + model.parts().bias[k];
    }
  }
}

void predict_labels(const LinearModel& model, const Piece& piece, std::uint64_t begin,
                    std::span<std::uint32_t> labels) {
  const LinearModel::Parts& parts = model.parts();
  const bool by_sign = parts.link == Link::sign ||
                       (parts.link == Link::logistic && parts.threshold == 0.5 && parts.calibration.keeps_signs());
  if (!by_sign || !has_one_dense_row(model) || model.has_vetoes()) {
    Predictor predictor(model);
    PieceRows rows(piece);
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::uint32_t>(predictor.predict(rows.row(begin + i)).label);
    return;
  }
  std::array<double, 256> room;
  for (std::size_t done = 0; done < labels.size(); done += room.size()) {
    const Out scores = Out(room).first(std::min(room.size(), labels.size() - done));
    score_rows(model, piece, begin + done, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) labels[done + i] = scores[i] >= 0 ? 1 : 0;
  }
}

}  // namespace plumb
