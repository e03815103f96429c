// Many rows of a piece at once: the same as a Predictor gives row by row, but values are taken in the form they have.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

// Whether score_rows may be asked: one row of dense weights.
bool has_one_dense_row(const LinearModel& model) noexcept;

// Of rows begin to end of the piece, as many as `scores` holds.
void score_rows(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores);

// The same of any number of rows of dense weights: scores is [row][row of the model].
void score_rows_of_all(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores);

// Into the labels of the model, of as many rows as `labels` holds. Only for links with labels.
void predict_labels(const LinearModel& model, const Piece& piece, std::uint64_t begin, std::span<std::uint32_t> labels);

}  // namespace plumb
