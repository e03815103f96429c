// The rows that a model gets wrong, the worst first: wrong labels by the probability they were given, numbers by the
// size of their errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

struct Mistake {
  std::uint64_t row = 0;  // of the data, from 1
  double actual = 0.0;    // a number, or the place of a label
  double predicted = 0.0;
  double badness = 0.0;  // what mistakes are ordered by: the probability of the wrong label, or the size of the error
};
// The worse first; of equals the earlier row.
bool worse(const Mistake& a, const Mistake& b) noexcept;

// --mistakes: how many to list, or a file for all of them.
struct MistakesChoice {
  std::uint64_t most = 0;
  std::string file = {};
  bool given() const noexcept { return most > 0 || !file.empty(); }
};
template <>
struct OptionText<MistakesChoice> {
  static MistakesChoice read(std::string_view text);
  static std::string text(const MistakesChoice& choice);
  static std::string file(const MistakesChoice& choice) { return choice.file; }
};

// Keeps the worst of all mistakes that are added; `most` 0 keeps all.
class WorstMistakes {
 public:
  explicit WorstMistakes(std::uint64_t most) : most_(most) {}
  void add(const Mistake& mistake);
  std::uint64_t count() const noexcept { return count_; }  // of all that were added
  std::vector<Mistake> sorted() const;

 private:
  void cut();
  std::uint64_t most_;
  std::uint64_t count_ = 0;
  std::vector<Mistake> kept_;
};

}  // namespace plumb
