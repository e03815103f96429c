// Many rows of a piece at once: the same results as a Predictor row by row, but values are used in their stored form.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

// Whether score_rows may be called: one row of dense weights.
bool has_one_dense_row(const LinearModel& model) noexcept;

// For rows begin to end of the piece, as many as `scores` has.
void score_rows(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores);

// The same for any number of rows of dense weights: scores is [row][row of the model].
void score_rows_of_all(const LinearModel& model, const Piece& piece, std::uint64_t begin, Out scores);

// Into the labels of the model, for as many rows as `labels` has. Only for links with labels.
void predict_labels(const LinearModel& model, const Piece& piece, std::uint64_t begin, std::span<std::uint32_t> labels);

}  // namespace plumb
