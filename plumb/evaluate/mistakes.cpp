#include "plumb/evaluate/mistakes.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/number.h"

namespace plumb {

bool worse(const Mistake& a, const Mistake& b) noexcept {
  return a.badness > b.badness || (a.badness == b.badness && a.row < b.row);
}

MistakesChoice OptionText<MistakesChoice>::read(std::string_view text) {
  MistakesChoice choice;
  if (const ParsedNumber number = parse_number(text); number.fault != NumberFault::none) {
    if (text.empty()) throw OptionFault{"a number of rows, or a file"};
    choice.file = std::string(text);
  } else if (!parse_integer(text, choice.most) || choice.most == 0) {
    throw OptionFault{"a number of rows of at least 1, or a file"};
  }
  return choice;
}

std::string OptionText<MistakesChoice>::text(const MistakesChoice& choice) {
  return choice.file.empty() ? std::to_string(choice.most) : choice.file;
}

void WorstMistakes::add(const Mistake& mistake) {
  ++count_;
  kept_.push_back(mistake);
  constexpr std::uint64_t kRoom = 4096;
  if (most_ > 0 && kept_.size() >= 2 * most_ + kRoom) cut();
}

void WorstMistakes::cut() {
  std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(most_), kept_.end(), worse);
  kept_.resize(most_);
}

std::vector<Mistake> WorstMistakes::sorted() const {
  std::vector<Mistake> all = kept_;
  std::sort(all.begin(), all.end(), worse);
  if (most_ > 0 && all.size() > most_) all.resize(most_);
  return all;
}

}  // namespace plumb
