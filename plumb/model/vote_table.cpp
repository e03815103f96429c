#include "plumb/model/vote_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace plumb {
namespace {

constexpr double kLargest = 0x1p30;       // of scores, votes and weights
constexpr double kLargestValue = 0x1p15;  // of x
constexpr std::size_t kSparse = 128;      // one change of so many: from there on a feature has planes
constexpr std::size_t kSlots = 1024;
constexpr std::int32_t kNone = ~0;  // slot 0, which is always zero

bool whole(double value) { return std::abs(value) <= kLargest && value == std::floor(value); }

// A number for each change of weights and bias, as Weights has it for those of weights alone; and the bias's.
struct Numbered {
  std::vector<std::uint32_t> places;
  std::vector<std::int32_t> bias;
};

// A change of weights has one of the bias: a step along (x, 1). Only that of a row without features may have several,
// and is as many changes then. None where this is not so, or a number not whole.
std::optional<Numbered> numbered(const Weights& weights, In bias, std::size_t labels) {
  Numbered found{weights.places(), std::vector<std::int32_t>(weights.distinct())};
  std::vector<bool> known(weights.distinct());
  std::map<double, std::uint32_t> empty;  // by the change of the bias
  std::vector<double> last(labels);
  for (std::uint64_t r = 0; r < weights.rows(); ++r) {
    double& before = last[weights.chains().empty() ? 0 : weights.chains()[r]];
    std::uint32_t& place = found.places[r];
    const double change = place % 2 == 0 ? bias[r] - before : before - bias[r];
    before = bias[r];
    if (!whole(bias[r]) || !whole(change)) return std::nullopt;
    if (known[place / 2] && found.bias[place / 2] != change) {
      if (!weights.sparse_values().row_index(r).empty()) return std::nullopt;
      const auto [other, is_new] = empty.try_emplace(change, static_cast<std::uint32_t>(found.bias.size()));
      if (is_new) found.bias.push_back(static_cast<std::int32_t>(change));
      place = 2 * other->second;
      continue;
    }
    known[place / 2] = true;
    found.bias[place / 2] = static_cast<std::int32_t>(change);
  }
  return found;
}

}  // namespace

std::shared_ptr<const VoteTable> VoteTable::of(const Weights& weights, In bias, In votes, std::size_t labels) {
  if (weights.form() != Weights::Form::increments) return nullptr;
  const SparseRows<double>& columns = weights.distinct_columns();
  const auto small_sum = [](In values) { return std::accumulate(values.begin(), values.end(), 0.0) < kLargest; };
  if (!std::all_of(columns.values.begin(), columns.values.end(), whole) ||
      !std::all_of(votes.begin(), votes.end(), whole) || !small_sum(votes))
    return nullptr;
  std::optional<Numbered> changes = numbered(weights, bias, labels);
  if (!changes) return nullptr;

  auto table = std::make_shared<VoteTable>();
  table->labels_ = labels;
  table->changes_ = static_cast<std::uint32_t>(changes->bias.size());
  table->words_ = (std::size_t{table->changes_} + 511) / 512 * 8;
  table->start_ = std::move(changes->bias);
  // Lengths of changes, with their biases; and their signs, by what most of each is, so that planes can hold it.
  std::vector<double> squares(table->changes_), sums(table->changes_);
  for (std::size_t k = 0; k < columns.index.size(); ++k) {
    squares[columns.index[k]] += columns.values[k] * columns.values[k];
    sums[columns.index[k]] += columns.values[k];
  }
  std::vector<double> lengths;
  for (std::size_t d = 0; d < squares.size(); ++d)
    lengths.push_back(std::sqrt(squares[d] + std::pow(static_cast<double>(table->start_[d]), 2)));
  table->chains_ = weights.chains();
  table->votes_.assign(votes.begin(), votes.end());
  table->all_votes_ = std::accumulate(table->votes_.begin(), table->votes_.end(), 0);
  table->places_ = std::move(changes->places);
  for (const std::uint32_t place : table->places_) table->reach_ += lengths[place / 2];
  if (labels == 2)
    for (std::uint32_t& place : table->places_) place /= 2;

  table->start_.resize(64 * table->words_);
  table->negative_.resize(table->words_ + 1);
  for (std::size_t d = 0; d < sums.size(); ++d)
    if (sums[d] < 0) table->negative_[d / 64] |= std::uint64_t{1} << d % 64;
  for (std::uint32_t j = 0; j < weights.features(); ++j) table->add_column(columns.row_index(j), columns.row_values(j));
  table->planes_.push_back(0);
  return table;
}

void VoteTable::add_column(std::span<const std::uint32_t> change, In values) {
  Column column;
  column.begin = entries_.size();
  const auto is_negative = [&](std::uint32_t d) { return (negative_[d / 64] >> d % 64 & 1) != 0; };
  // A plane pays where enough of its bits are set; what lies above the last is an entry.
  std::array<std::size_t, kDigits> set = {};
  for (std::size_t k = 0; k < change.size(); ++k) {
    const double value = is_negative(change[k]) ? -values[k] : values[k];
    if (value > 0) ++set[static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(value))) - 1];
  }
  std::size_t above = 0;  // values that need digit i, or one above
  for (std::size_t i = kDigits; i-- > 0 && column.digits == 0;) {
    above += set[i];
    if (above * kSparse >= changes_ && above > 0) column.digits = static_cast<std::uint32_t>(i + 1);
  }
  column.plane = static_cast<std::uint32_t>(planes_.size() / words_);
  planes_.resize(planes_.size() + column.digits * words_);
  const auto most = static_cast<std::int32_t>((std::uint32_t{1} << column.digits) - 1);
  for (std::size_t k = 0; k < change.size(); ++k) {
    const std::uint32_t d = change[k];
    auto value = static_cast<std::int32_t>(values[k]);
    const std::int32_t sign = is_negative(d) ? -1 : 1;
    const std::int32_t held = std::clamp(sign * value, 0, most);
    for (std::uint32_t i = 0; i < column.digits; ++i)
      if ((held >> i & 1) != 0) planes_[(column.plane + i) * words_ + d / 64] |= std::uint64_t{1} << d % 64;
    value -= sign * held;
    if (value != 0) entries_.push_back({d, value});
  }
  column.end = entries_.size();
  columns_.push_back(column);
}

VoteRoom::VoteRoom(const VoteTable& table)
    : sources(4 * (table.planes_.size() / table.words_) + 1024),
      steps(sources.size()),
      open(kSlots),
      slots(std::make_unique_for_overwrite<std::uint64_t[]>(kSlots * math::kPlaneWords + 1)),
      common(64 * table.words_),
      planes(table.labels_),
      tallies(table.labels_) {
  std::fill_n(slots.get(), math::kPlaneWords, 0);
}

bool VoteTable::takes(const Row& x) const noexcept {
  double squares = 1.0;
  bool fits = true;
  for (const double value : x.value) {
    fits =
        fits && value >= 0 && value <= kLargestValue && value == static_cast<double>(static_cast<std::int32_t>(value));
    squares += value * value;
  }
  return fits && reach_ * std::sqrt(squares) < kLargest;
}

// Digit by digit, the lowest first, so that all carries are known. `last` gets the plane or slot that each digit ends
// in.
bool VoteTable::make_steps(const Row& x, VoteRoom& room, std::span<std::int32_t> last) const noexcept {
  // Sources by digit: counted, then put in their places. Carries of a digit are written after them.
  std::array<std::uint32_t, kDigits + 3> count = {};
  const auto each = [&](auto&& visit) {
    for (std::size_t t = 0; t < x.value.size(); ++t) {
      const Column& column = columns_[x.dense() ? t : x.index[t]];
      if (column.digits == 0) continue;
      for (auto rest = static_cast<std::uint32_t>(x.value[t]); rest != 0; rest &= rest - 1) {
        const auto shift = static_cast<std::uint32_t>(std::countr_zero(rest));
        for (std::uint32_t i = 0; i < column.digits; ++i) visit(shift + i, static_cast<std::int32_t>(column.plane + i));
      }
    }
  };
  bool fits = true;
  each([&](std::uint32_t digit, std::int32_t) {
    if (digit < kDigits)
      ++count[digit];
    else
      fits = false;
  });
  // A step takes six of the sources of a digit, the last one less, and leaves one carry to the next digit and one to
  // that after it.
  std::array<std::uint32_t, kDigits + 3> begin = {}, end = {};
  std::uint32_t all = 0, carried = 0, carried2 = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    begin[digit] = end[digit] = all;
    const std::uint32_t most = count[digit] + carried + carried2;
    all += most;
    carried2 = carried;
    carried = most / 6 + 2;
  }
  if (!fits || all > room.sources.size()) return false;
  each([&](std::uint32_t digit, std::int32_t plane) { room.sources[end[digit]++] = plane; });
  std::size_t steps = 0, open = 0;
  for (std::uint32_t slot = 1; slot < kSlots; ++slot) room.open[open++] = static_cast<std::uint32_t>(kSlots) - slot;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::int32_t* from = room.sources.data() + begin[digit];
    std::int32_t* const to = room.sources.data() + end[digit];
    while (to - from > 1) {
      math::PlaneStep& step = room.steps[steps++];
      const std::size_t ready = std::min<std::size_t>(7, static_cast<std::size_t>(to - from));
      step.count = ready > 3 ? 7 : 3;
      for (std::size_t i = 0; i < step.count; ++i) {
        step.from[i] = i < ready ? from[i] : kNone;
        if (step.from[i] < kNone) room.open[open++] = static_cast<std::uint32_t>(~step.from[i]);
      }
      if (open < 3) return false;
      from += ready;
      for (std::size_t i = 0; i < (step.count == 7 ? 3u : 2u); ++i) {
        step.to[i] = room.open[--open];
        const auto slot = static_cast<std::int32_t>(~step.to[i]);
        if (i == 0)
          *--from = slot;
        else if (digit + i < kDigits)
          room.sources[end[digit + i]++] = slot;
        else
          room.open[open++] = step.to[i];  // scores are less, so this is zero
      }
    }
    last[digit] = from < to ? *from : kNone;
  }
  room.steps_used = steps;
  return true;
}

void VoteTable::add_common(const Row& x, VoteRoom& room, std::span<const std::int32_t> last) const noexcept {
  std::size_t digits = last.size();
  while (digits > 0 && last[digits - 1] == kNone) --digits;
  std::array<const std::uint64_t*, kDigits> planes = {};
  for (std::size_t begin = 0; begin < words_; begin += math::kPlaneWords) {
    const std::size_t words = std::min(math::kPlaneWords, words_ - begin);
    math::add_planes(std::span(room.steps).first(room.steps_used), planes_.data() + begin, words_, room.slots.get(),
                     words);
    for (std::size_t i = 0; i < digits; ++i)
      planes[i] = last[i] >= 0 ? planes_.data() + static_cast<std::size_t>(last[i]) * words_ + begin
                               : room.slots.get() + static_cast<std::size_t>(~last[i]) * math::kPlaneWords;
    math::planes_to_numbers(std::span(planes).first(digits), negative_.data() + begin, start_.data() + 64 * begin,
                            64 * words, room.common.data() + 64 * begin);
  }
  for (std::size_t t = 0; t < x.value.size(); ++t) {
    const Column& column = columns_[x.dense() ? t : x.index[t]];
    const auto value = static_cast<std::int32_t>(x.value[t]);
    for (const Entry& entry : std::span(entries_).subspan(column.begin, column.end - column.begin))
      room.common[entry.change] += value * entry.value;
  }
}

bool VoteTable::count(const Row& x, VoteRoom& room, Out tallies) const noexcept {
  std::array<std::int32_t, kDigits> last;
  if (!takes(x) || !make_steps(x, room, last)) return false;
  add_common(x, room, last);
  if (labels_ == 2)
    count_two(room);
  else
    count_many(room);
  std::copy(room.tallies.begin(), room.tallies.end(), tallies.begin());
  return true;
}

void VoteTable::count_two(VoteRoom& room) const noexcept {
  const std::int32_t* const common = room.common.data();
  std::int32_t score = 0, second = 0;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    score += common[places_[r]];
    second += votes_[r] & ~(score >> 31);  // a score of 0 is a vote for the second label
  }
  room.tallies[1] = second;
  room.tallies[0] = all_votes_ - second;
}

void VoteTable::count_many(VoteRoom& room) const noexcept {
  std::fill(room.tallies.begin(), room.tallies.end(), 0);
  std::fill(room.planes.begin(), room.planes.end(), 0);
  std::size_t best = labels_ - 1;  // the last of equals
  for (std::size_t r = 0; r < places_.size(); ++r) {
    const std::size_t label = chains_[r];
    const std::int32_t common = room.common[places_[r] / 2], change = places_[r] % 2 == 0 ? common : -common;
    std::int32_t& score = room.planes[label];
    score += change;
    if (label == best && change < 0) {
      best = 0;
      for (std::size_t k = 1; k < labels_; ++k)
        if (room.planes[k] >= room.planes[best]) best = k;
    } else if (score > room.planes[best] || (score == room.planes[best] && label > best)) {
      best = label;
    }
    room.tallies[best] += votes_[r];
  }
}

}  // namespace plumb
