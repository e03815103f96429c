// Table -> Piece, a tile of rows at a time: formulas are evaluated column by column over the tile, then its rows are
// written. Errors are those of the first bad row, so the cut into tiles is invisible.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/feature_map_content.h"
#include "plumb/feature/fill.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/product.h"
#include "plumb/feature/targets.h"
#include "plumb/feature/text_meter.h"

namespace plumb {
namespace {

constexpr std::size_t kTileRows = 256;
constexpr std::size_t kKeptAtOnce = 4096;  // values

// One side of a category or cross in this piece: maps a code or number to a feature of the row.
struct Side {
  const Column* column = nullptr;
  std::vector<std::uint32_t> slot_of_code;  // kNoFeature for the base and for unseen levels; empty for a number

  // The position among the features of the side, kNoFeature if there is none; `value` is multiplied by a number.
  std::uint32_t slot(std::uint64_t row, double& value) const {
    if (!holds_numbers(column->kind)) return slot_of_code[column->codes[row]];
    value *= column->numbers[row];
    return value == 0.0 ? kNoFeature : 0;
  }
};

class Encoder {
 public:
  Encoder(const FeatureMap::Parts& parts, const std::vector<std::uint32_t>& first, const Table& table,
          std::vector<const Column*> inputs, const std::vector<const Column*>& as_read,
          std::vector<std::vector<std::uint32_t>> level_of_code, std::vector<TextCoder::Rows> texts)
      : parts_(parts),
        first_(first),
        table_(table),
        inputs_(std::move(inputs)),
        level_of_code_(std::move(level_of_code)),
        texts_(std::move(texts)) {
    for (const Term& term : parts.terms) {
      Prepared& prepared = terms_.emplace_back();
      std::visit(Cases{[&](const ProductTerm& product) {
                         const bool plain = product.powers.size() == 1 && product.powers[0].power == 1;
                         if (plain && !scaled())
                           prepared.column = inputs_[product.powers[0].input]->numbers.data();
                         else
                           prepared.room.resize(kTileRows);
                       },
                       [&](const FormulaTerm& formula) {
                         prepared.room.resize(kTileRows);
                         measure(formula, prepared);
                       },
                       [&](const CategoryTerm& category) { prepared.left = side(category); },
                       [&](const CrossTerm& cross) {
                         prepared.left = side(cross.left);
                         prepared.others.push_back(other(cross.right));
                         for (const CategoryTerm& each : cross.more) prepared.others.push_back(other(each));
                       },
                       [&](const EntriesTerm& entries) {
                         prepared.entries = &inputs_[entries.input]->entries;
                         prepared.slot_of_entry = &level_of_code_[entries.input];
                         prepared.entry_form = entries.form;
                         prepared.names = static_cast<std::uint32_t>(parts_.inputs[entries.input].levels.size());
                         if (scaled()) prepared.units = parts_.scale.units.data() + first_[terms_.size() - 1];
                       },
                       [&](const TextTerm&) { prepared.texts = &texts_[terms_.size() - 1]; },
                       [&](const OffsetTerm& offset) { prepared.column = inputs_[offset.input]->numbers.data(); },
                       [&](const MissingTerm& missing) {
                         prepared.missing.resize(table_.rows);
                         const Column& column = *as_read[missing.input];
                         for (std::uint64_t row = 0; row < table_.rows && column.missing > 0; ++row)
                           prepared.missing[row] = std::isnan(column.numbers[row]) ? 1.0 : 0.0;
                         prepared.column = prepared.missing.data();
                       }},
                 term);
    }
  }

  // From now on with the low parts of derived numbers.
  std::vector<std::uint32_t> keep_lows() {
    std::vector<std::uint32_t> features;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      if (terms_[t].room.empty()) continue;
      terms_[t].lows.resize(kTileRows);
      features.push_back(first_[t]);
    }
    return features;
  }
  void lows(std::uint64_t row, std::vector<double>& out) const {
    for (const Prepared& term : terms_)
      if (!term.lows.empty()) out.push_back(term.lows[row - begin_]);
  }

  // Computes the numbers of a tile. The first row with a number that is not finite is stored until it is asked for.
  void begin_tile(std::uint64_t begin, std::size_t rows, const FeatureMap& map) {
    begin_ = begin;
    bad_row_ = begin + rows;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      if (terms_[t].room.empty()) continue;
      const Out out = Out(terms_[t].room).first(rows);
      const Out lows = terms_[t].lows.empty() ? Out() : Out(terms_[t].lows).first(rows);
      if (const ProductTerm* product = std::get_if<ProductTerm>(&parts_.terms[t]))
        multiply(*product, out, lows, [&] { return map.name(first_[t]); });
      else
        evaluate(std::get<FormulaTerm>(parts_.terms[t]), terms_[t].measured, out, lows);
      if (scaled()) scale(first_[t], out, lows, map);
    }
  }
  // Throws if this is the stored bad row.
  void check(std::uint64_t row) const {
    if (row == bad_row_) throw table_.row_error(row, message_, hint_);
  }
  // An upper bound of the values that put() gets over all rows of the piece.
  std::uint64_t most_entries() const {
    std::uint64_t most = 0;
    for (const Prepared& term : terms_)
      most += term.entries != nullptr ? term.entries->index.size() * (term.entry_form == EntryForm::with_square ? 2 : 1)
              : term.texts != nullptr ? term.texts->id.size()
                                      : table_.rows;
    return most;
  }
  // put(feature, value) for every non-zero feature of the row, in ascending order.
  template <class Put>
  void row(std::uint64_t row, Put&& put) {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Prepared& term = terms_[t];
      if (term.entries != nullptr) {
        pairs_.clear();
        for (std::uint64_t i = term.entries->offsets[row]; i < term.entries->offsets[row + 1]; ++i)
          if (const std::uint32_t slot = (*term.slot_of_entry)[i]; slot != kNoFeature)
            pairs_.emplace_back(slot, scaled_entry(term, slot, term.entries->value[i], row));
        if (!std::is_sorted(pairs_.begin(), pairs_.end())) std::sort(pairs_.begin(), pairs_.end());
        put_entries(term, first_[t], put);
        continue;
      }
      if (term.texts != nullptr) {
        for (std::uint64_t i = term.texts->offsets[row]; i < term.texts->offsets[row + 1]; ++i)
          put(first_[t] + term.texts->id[i], term.texts->value[i]);
        continue;
      }
      if (term.column != nullptr) {
        put(first_[t], term.column[row]);
      } else if (!term.room.empty()) {
        put(first_[t], term.room[row - begin_]);
      } else {
        double value = 1.0;
        std::uint32_t slot = term.left.slot(row, value);
        if (slot == kNoFeature) continue;
        for (const OtherSide& other : term.others) {
          const std::uint32_t place = other.side.slot(row, value);
          slot = place == kNoFeature ? kNoFeature : slot * other.features + place;
          if (slot == kNoFeature) break;
        }
        if (slot != kNoFeature) put(first_[t] + slot, value);
      }
    }
  }

 private:
  struct OtherSide {
    Side side;
    std::uint32_t features = 1;
  };
  struct Prepared {
    const double* column = nullptr;             // a plain column of numbers
    std::vector<double> missing;                // 1 where a number is missing, for all rows of the piece
    std::vector<double> room;                   // the numbers of this tile, for a product or formula
    std::vector<double> lows;                   // their low parts, if requested
    std::vector<std::vector<double>> measured;  // for each operand of a formula: its numbers, if they are from texts
    Side left;                                  // a category, or the first side of a cross
    std::vector<OtherSide> others;              // of a cross
    const Entries* entries = nullptr;
    const std::vector<std::uint32_t>* slot_of_entry = nullptr;  // one for each entry of the piece
    EntryForm entry_form = EntryForm::value;
    std::uint32_t names = 0;        // of entries
    const double* units = nullptr;  // of entries, if they are scaled
    const TextCoder::Rows* texts = nullptr;
  };

  // Those in pairs_, which are sorted.
  template <class Put>
  void put_entries(const Prepared& term, std::uint32_t first, Put&& put) const {
    if (term.entry_form == EntryForm::presence) {
      for (const auto& [slot, value] : pairs_)
        if (value > 0.0) put(first + slot, 1.0);
      return;
    }
    for (const auto& [slot, value] : pairs_) put(first + slot, value);
    if (term.entry_form == EntryForm::with_square)
      for (const auto& [slot, value] : pairs_) put(first + term.names + slot, value * value);
  }

  bool scaled() const { return !parts_.scale.empty(); }

  void scale(std::uint32_t feature, Out out, Out lows, const FeatureMap& map) {
    const double centre = parts_.scale.centres[feature], unit = parts_.scale.units[feature];
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (lows.empty()) {
        out[i] = (out[i] - centre) / unit;
      } else {
        const math::DoubleDouble exact = (math::DoubleDouble{out[i], lows[i]} - centre) / unit;
        out[i] = exact.high;
        lows[i] = exact.low;
      }
      if (!std::isfinite(out[i]))
        fail(begin_ + i,
             "feature " + in_quotes(map.name(feature)) + " is too large to be scaled: numbers end at 1.8e308",
             "leave out the row");
    }
  }
  double scaled_entry(const Prepared& term, std::uint32_t slot, double value, std::uint64_t row) const {
    if (term.units == nullptr) return value;
    const double scaled = value / term.units[slot];
    if (!std::isfinite(scaled))
      throw table_.row_error(row, "an entry is too large to be scaled: numbers end at 1.8e308", "leave out the row");
    return scaled;
  }

  Side side(const CategoryTerm& term) const {
    Side side{inputs_[term.input], {}};
    if (holds_numbers(side.column->kind)) return side;
    for (const std::uint32_t level : level_of_code_[term.input]) {
      const bool none = level == kNoFeature || term.base == level;
      side.slot_of_code.push_back(none ? kNoFeature : level - (term.base && level > *term.base ? 1 : 0));
    }
    return side;
  }

  OtherSide other(const CategoryTerm& term) const {
    return {side(term), static_cast<std::uint32_t>(side_features(term, parts_.inputs[term.input]))};
  }

  void fail(std::uint64_t row, std::string message, std::string hint) {
    if (row >= bad_row_) return;
    bad_row_ = row;
    message_ = std::move(message);
    hint_ = std::move(hint);
  }

  template <class Name>
  void multiply(const ProductTerm& term, Out out, Out lows, Name&& name) {
    std::array<PowerOf, kMostFactors> factors;
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t f = 0; f < term.powers.size(); ++f)
        factors[f] = {inputs_[term.powers[f].input]->numbers[begin_ + i], term.powers[f].power};
      const math::DoubleDouble product = exact_product_of(std::span(factors).first(term.powers.size()));
      out[i] = product.high;
      if (!lows.empty()) lows[i] = product.low;
      if (!std::isfinite(out[i]))
        fail(begin_ + i, "feature " + in_quotes(name()) + " is too large: numbers end at 1.8e308",
             "divide the column by a power of ten, or lower the power");
    }
  }

  // The numbers that a formula computes from texts, for all rows of the piece.
  void measure(const FormulaTerm& term, Prepared& prepared) const {
    prepared.measured.resize(term.inputs.size());
    for (std::size_t i = 0; i < term.inputs.size(); ++i) {
      const TextMeter* const meter = term.formula.meter(i);
      if (meter == nullptr) continue;
      const TextList& documents = inputs_[term.inputs[i]]->documents;
      if (documents.size() != table_.rows)
        throw Error(ErrorCode::internal, "the texts that a formula looks into were not kept");
      for (std::size_t row = 0; row < documents.size(); ++row)
        prepared.measured[i].push_back(meter->measure(documents[row]));
    }
  }

  void evaluate(const FormulaTerm& term, const std::vector<std::vector<double>>& measured, Out out, Out lows) {
    columns_.clear();
    for (std::size_t i = 0; i < term.inputs.size(); ++i) {
      const bool text = term.formula.meter(i) != nullptr;
      columns_.push_back((text ? measured[i].data() : inputs_[term.inputs[i]]->numbers.data()) + begin_);
    }
    if (const std::optional<Formula::Fault> fault = lows.empty() ? term.formula.evaluate(columns_, out, scratch_)
                                                                 : term.formula.evaluate(columns_, out, lows, scratch_))
      fail(begin_ + fault->row, fault->text(),
           "leave out the row, or change the formula " + in_quotes(term.formula.text()));
  }

  const FeatureMap::Parts& parts_;
  const std::vector<std::uint32_t>& first_;
  const Table& table_;
  std::vector<const Column*> inputs_;
  std::vector<std::vector<std::uint32_t>> level_of_code_;
  std::vector<TextCoder::Rows> texts_;  // of each term; empty if it is not a text
  std::vector<Prepared> terms_;
  std::vector<const double*> columns_;
  std::vector<std::pair<std::uint32_t, double>> pairs_;
  Formula::Scratch scratch_;
  std::uint64_t begin_ = 0;
  std::uint64_t bad_row_ = 0;
  std::string message_, hint_;
};

// If a column of texts, or of entries, is the only input, its rows are those of the piece unchanged.
Piece of_rows(std::vector<std::uint64_t> offsets, Array<std::uint32_t> index, Values values, const Table& table,
              const TableLayout& layout, std::uint32_t features) {
  Piece piece;
  piece.rows = table.rows;
  piece.features = features;
  piece.values = std::move(values);
  piece.index = std::move(index);
  piece.offsets = std::move(offsets);
  const Targets targets(table, layout);
  if (layout.target && !layout.weight) piece.targets = targets.all();
  for (std::uint64_t row = 0; row < table.rows && layout.weight; ++row) {
    if (layout.target) piece.targets.push_back(targets.of(row));
    piece.weights.push_back(checked_weight(table, row, table.columns[*layout.weight].numbers[row]));
  }
  return piece;
}

// Whether every entry has a feature, and those of a row ascend.
bool are_rows(const Entries& entries, std::span<const std::uint32_t> places) {
  for (std::size_t r = 0; r < entries.rows(); ++r) {
    std::uint64_t next = 0;
    for (const std::uint32_t place : places.subspan(entries.offsets[r], entries.offsets[r + 1] - entries.offsets[r])) {
      if (place == kNoFeature || place < next) return false;
      next = std::uint64_t{place} + 1;
    }
  }
  return true;
}

// The rows of a matrix in memory as they are, if every column of it is a feature and nothing changes them; otherwise
// empty.
template <class T>
std::optional<Values> matrix_of(const FeatureMap::Parts& parts, std::span<const Column* const> inputs) {
  if (inputs.empty() || parts.terms.size() != inputs.size() || !parts.scale.empty()) return {};
  const Numbers& first = inputs[0]->numbers;
  const std::shared_ptr<const T> values = first.lent<T>();
  if (values == nullptr || first.stride() != inputs.size()) return {};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ProductTerm* const term = std::get_if<ProductTerm>(&parts.terms[i]);
    const bool plain =
        term != nullptr && term->powers.size() == 1 && term->powers[0].input == i && term->powers[0].power == 1;
    const Numbers& column = inputs[i]->numbers;
    if (!plain || column.stride() != first.stride() || column.lent<T>().get() != values.get() + i) return {};
  }
  return Values::of(Array<T>(values, first.size() * inputs.size()));
}

// A contiguous copy.
Column gathered(const Column& column) {
  Column copy = column;
  copy.numbers.own();
  return copy;
}

}  // namespace

Piece FeatureMap::apply(const Table& table, const TableLayout& layout, Unseen& unseen) const {
  return apply(table, nullptr, layout, unseen);
}

Piece FeatureMap::use_up(Table& table, const TableLayout& layout, Unseen& unseen) const {
  return apply(table, &table, layout, unseen);
}

Piece FeatureMap::apply(const Table& table, Table* used_up, const TableLayout& layout, Unseen& unseen) const {
  const Parts& parts = content_->parts;
  std::vector<const Column*> inputs, as_read;
  std::deque<Column> filled;
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const Column& column = table.columns[layout.inputs[i]];
    as_read.push_back(&column);
    inputs.push_back(column.missing == 0 ? &column : &filled.emplace_back(filled_in(column, parts.inputs[i])));
  }
  if (!sparse()) {
    std::optional<Values> matrix = matrix_of<double>(parts, inputs);
    if (!matrix) matrix = matrix_of<float>(parts, inputs);
    if (matrix) return of_rows({}, {}, std::move(*matrix), table, layout, features());
  }
  for (const Column*& input : inputs)
    if (input->numbers.data() == nullptr && !input->numbers.empty()) input = &filled.emplace_back(gathered(*input));
  // Entries that may be taken, and become rows in place.
  const EntriesTerm* const alone = parts.terms.size() == 1 ? std::get_if<EntriesTerm>(&parts.terms[0]) : nullptr;
  if (alone != nullptr && alone->form == EntryForm::value && used_up != nullptr && sparse() && parts.scale.empty() &&
      layout.inputs.size() == 1) {
    Entries& entries = used_up->columns[layout.inputs[alone->input]].entries;
    if (content_->make_places(alone->input, entries)) {
      unseen.add(Unseen{.input = alone->input});
      return of_rows(std::move(entries.offsets), std::move(entries.index), std::move(entries.value), table, layout,
                     features());
    }
  }
  // Codes of this piece -> levels, entries -> their features; and the unknown values.
  std::vector<std::vector<std::uint32_t>> level_of_code(inputs.size());
  const Column* const weights = layout.weight ? &table.columns[*layout.weight] : nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Unseen here{.input = i};
    if (parts.inputs[i].kind == Kind::category)
      level_of_code[i] = content_->levels_of_codes(i, table, *inputs[i], weights, here);
    else if (parts.inputs[i].kind == Kind::sparse)
      level_of_code[i] = content_->places_of_entries(i, table, inputs[i]->entries, weights, here);
    unseen.add(here);
  }
  std::vector<TextCoder::Rows> texts(parts.terms.size());
  for (std::size_t t = 0; t < texts.size(); ++t) {
    if (content_->texts[t] == nullptr) continue;
    texts[t] = content_->texts[t]->rows(*inputs[std::get<TextTerm>(parts.terms[t]).input], used_up != nullptr);
    unseen.terms += texts[t].terms;
    unseen.unknown_terms += texts[t].unseen;
  }
  if (parts.terms.size() == 1 && sparse()) {
    const EntriesTerm* const term = std::get_if<EntriesTerm>(&parts.terms[0]);
    if (content_->texts[0] != nullptr)
      return of_rows(std::move(texts[0].offsets), std::move(texts[0].id), std::move(texts[0].value), table, layout,
                     features());
    if (term != nullptr && term->form == EntryForm::value && parts.scale.empty() &&
        are_rows(inputs[term->input]->entries, level_of_code[term->input])) {
      Values values = used_up != nullptr ? std::move(used_up->columns[layout.inputs[term->input]].entries.value)
                                         : inputs[term->input]->entries.value;
      return of_rows(inputs[term->input]->entries.offsets, std::move(level_of_code[term->input]), std::move(values),
                     table, layout, features());
    }
  }
  const Targets targets(table, layout);
  Encoder encoder(parts, content_->first, table, std::move(inputs), as_read, std::move(level_of_code),
                  std::move(texts));

  Piece piece;
  piece.rows = table.rows;
  piece.features = features();
  if (layout.low_parts) piece.lows_of = encoder.keep_lows();
  piece.lows.reserve(piece.lows_of.size() * table.rows);
  if (layout.target) piece.targets.reserve(table.rows);
  if (layout.weight) piece.weights.reserve(table.rows);
  const bool is_sparse = sparse();
  std::vector<std::uint32_t>& index = piece.index.own();
  const std::uint64_t most = is_sparse ? encoder.most_entries() : table.rows * features();
  piece.values.reserve(most);
  if (is_sparse) {
    index.reserve(most);
    piece.offsets.reserve(table.rows + 1);
    piece.offsets.push_back(0);
  }
  std::vector<double> values;  // of some rows, before they take their form
  const auto keep_values = [&] {
    piece.values.append(values);
    values.clear();
  };
  for (std::uint64_t begin = 0; begin < table.rows; begin += kTileRows) {
    const std::uint64_t end = std::min(table.rows, begin + kTileRows);
    encoder.begin_tile(begin, end - begin, *this);
    // Everything about a row before the next one, so that errors name the first bad row.
    for (std::uint64_t row = begin; row < end; ++row) {
      encoder.check(row);
      const std::size_t start = values.size();
      if (is_sparse) {
        encoder.row(row, [&](std::uint32_t feature, double value) {
          index.push_back(feature);
          values.push_back(value);
        });
        piece.offsets.push_back(index.size());
      } else {
        values.resize(start + features());
        double* const dense = values.data() + start;
        encoder.row(row, [&](std::uint32_t feature, double value) { dense[feature] = value; });
      }
      encoder.lows(row, piece.lows);
      if (layout.target) piece.targets.push_back(targets.of(row));
      if (layout.weight)
        piece.weights.push_back(checked_weight(table, row, table.columns[*layout.weight].numbers[row]));
      if (values.size() >= kKeptAtOnce) keep_values();
    }
  }
  keep_values();
  piece.values.shrink();
  piece.index.shrink();
  return piece;
}

}  // namespace plumb
