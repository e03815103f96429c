#include "plumb/train/presence_pairs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/fetch.h"
#include "plumb/base/guarded.h"
#include "plumb/train/presence_bits.h"

namespace plumb {
namespace {

using Slot = std::uint16_t;

struct Sums {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> pairs;
};

// Counts of few bytes stay in the first caches; they are moved into the sums before they could be too large.
class PairCounter {
 public:
  // `many` rows of each class are to be expected.
  PairCounter(std::span<const Slot> slot_of, std::size_t slots, std::size_t classes, bool many, Guarded<Sums>& sums)
      : slot_of_(slot_of), slots_(slots), pairs_(classes * slots * slots), sums_(sums) {
    if (many && PresenceBits::can()) bits_.emplace(slots, classes);
  }

  // is_there(i) of entry i of the piece.
  template <class IsThere>
  void add(const Piece& piece, std::uint64_t r, const IsThere& is_there) {
    const std::uint64_t begin = piece.offsets[r], end = piece.offsets[r + 1];
    if (held_.size() < end - begin + 2) held_.resize(end - begin + 2);
    // Whether a feature has a slot is not to be guessed, so those that have are found without a branch. They ascend:
    // once one is behind all that have slots, so are the others. Common words come first, and have most slots.
    held_[0] = 0;
    std::size_t count = 1;
    const std::uint32_t* const index = piece.index.data();
    const std::size_t known = slot_of_.size();
    const auto look_at = [&](std::uint64_t i) {
      held_[count] = slot_of_[index[i]];
      count += static_cast<std::size_t>(held_[count] < slots_) & static_cast<std::size_t>(is_there(i));
    };
    std::uint64_t i = begin;
    for (; i + 4 <= end && index[i + 3] < known; i += 4)
      for (std::uint64_t k = 0; k < 4; ++k) look_at(i + k);
    for (; i < end && index[i] < known; ++i) look_at(i);
    if (rows_ == kMostRows) move();
    ++rows_;
    const auto label = static_cast<std::size_t>(static_cast<std::int64_t>(piece.targets[r]));
    // Counting 256 rows at once takes as long as pairs of a row that holds a tenth of all do.
    if (bits_ && 10 * count > slots_)
      bits_->add(std::span(held_).first(count), label);
    else
      count_pairs(std::span(held_).first(count), pairs_.data() + label * slots_ * slots_);
  }
  // Two slots at once are held against those before them.
  void count_pairs(std::span<const std::uint32_t> held, std::uint16_t* pairs) const {
    std::size_t t = 0;
    for (; t + 2 <= held.size(); t += 2) {
      std::uint16_t* const a = pairs + held[t] * slots_;
      std::uint16_t* const b = pairs + held[t + 1] * slots_;
      for (std::size_t u = 0; u <= t; ++u) {
        ++a[held[u]];
        ++b[held[u]];
      }
      ++b[held[t + 1]];
    }
    if (t == held.size()) return;
    for (const std::uint32_t before : held) ++pairs[held[t] * slots_ + before];
  }
  void move() {
    sums_.with([&](Sums& sums) {
      sums.rows += rows_;
      for (std::size_t i = 0; i < pairs_.size(); ++i) sums.pairs[i] += pairs_[i];
      if (bits_) bits_->move_to(sums.pairs);
    });
    std::fill(pairs_.begin(), pairs_.end(), std::uint16_t{0});
    rows_ = 0;
  }

 private:
  static constexpr std::uint32_t kMostRows = std::numeric_limits<std::uint16_t>::max();

  const std::span<const Slot> slot_of_;  // up to the last feature that has one
  const std::size_t slots_;
  std::vector<std::uint16_t> pairs_;
  std::optional<PresenceBits> bits_;  // for rows that hold many
  Guarded<Sums>& sums_;
  std::vector<std::uint32_t> held_;  // slots that the row has
  std::uint32_t rows_ = 0;           // in the pairs
};

// Asks for a row that comes later, and before that for where it is.
void fetch_ahead(const Piece& piece, std::uint64_t r, std::uint64_t end, std::uint64_t step) {
  constexpr std::uint64_t kRowsAhead = 8;
  constexpr std::size_t kMostLines = 8, kLine = 16;  // entries
  if (step == 1) return;
  const std::uint64_t left = (end - r - 1) / step;
  if (left < kRowsAhead) return;
  if (left >= 2 * kRowsAhead) {
    fetch(&piece.offsets[r + 2 * kRowsAhead * step]);
    fetch(&piece.targets[r + 2 * kRowsAhead * step]);
  }
  const std::uint64_t from = piece.offsets[r + kRowsAhead * step], to = piece.offsets[r + kRowsAhead * step + 1];
  if (from == to) return;
  for (std::uint64_t i = from; i < std::min(to, from + kMostLines * kLine); i += kLine) fetch(&piece.index[i]);
  fetch(&piece.index[to - 1]);  // it may be in a line more
}

void add_rows(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t step, PairCounter& counter) {
  const auto add = [&](const auto& is_there) {
    for (std::uint64_t r = begin; r < end; r += step) {
      fetch_ahead(piece, r, end, step);
      counter.add(piece, r, is_there);
    }
  };
  const Values& values = piece.values;
  if (values.form() == Values::Form::ones) return add([](std::uint64_t) { return true; });
  if (values.form() == Values::Form::bytes)
    return add([counts = values.counts().data()](std::uint64_t i) { return counts[i] != 0; });
  add([&values](std::uint64_t i) { return values[i] > 0.0; });
}

}  // namespace

PresencePairs count_presence_pairs(const Examples& examples, std::size_t classes,
                                   std::span<const std::uint32_t> slot_of, std::size_t slots, std::uint64_t step,
                                   const Run& run, const std::function<void(std::size_t)>& look_first) {
  if (slots >= std::numeric_limits<Slot>::max()) throw Error(ErrorCode::internal, "there are too many slots to count");
  while (!slot_of.empty() && slot_of.back() >= slots) slot_of = slot_of.first(slot_of.size() - 1);
  std::vector<Slot> narrow(slot_of.size());
  std::transform(slot_of.begin(), slot_of.end(), narrow.begin(),
                 [&](std::uint32_t slot) { return static_cast<Slot>(std::min<std::size_t>(slot, slots)); });
  Guarded<Sums> guarded(Sums{0, std::vector<std::uint64_t>(classes * slots * slots)});
  constexpr std::size_t kMostChunks = 16;
  const std::size_t blocks = examples.blocks(), chunks = std::min(blocks, kMostChunks);
  constexpr std::uint64_t kMany = 512;
  const bool many = examples.size() / std::max<std::uint64_t>(step * chunks * classes, 1) >= kMany;
  run.for_each(Phase::fitting, chunks, [&](std::size_t chunk) {
    PairCounter counter(narrow, slots, classes, many, guarded);
    for (std::size_t b = chunk * blocks / chunks; b < (chunk + 1) * blocks / chunks; ++b) {
      if (look_first) look_first(b);
      examples.block(b).for_each_run(
          [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
            const std::uint64_t first = begin + (step - number % step) % step;
            add_rows(piece, first, end, step, counter);
          });
    }
    counter.move();
  });
  const Sums sums = guarded.with([](Sums& all) { return std::move(all); });
  return {sums.rows, {sums.pairs.begin(), sums.pairs.end()}};
}

}  // namespace plumb
