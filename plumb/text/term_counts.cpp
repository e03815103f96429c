#include "plumb/text/term_counts.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace plumb {

std::size_t TermCounts::memory() const noexcept {
  return terms.memory() + offsets.capacity() * sizeof offsets[0] + term.capacity() * sizeof term[0] +
         count.capacity() * sizeof count[0];
}

class TermCounter::Work {
 public:
  explicit Work(const Tokeniser& tokeniser) : tokeniser_(tokeniser) {}

  void add(std::string_view document) {
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (const std::string& text : tokeniser_.terms(document)) {
      const auto [entry, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(ids_.size()));
      if (is_new) counts_.terms.add(text);
      const auto [place, first] = places.try_emplace(entry->second, counts_.term.size());
      if (first) {
        counts_.term.push_back(entry->second);
        counts_.count.push_back(0);
      }
      ++counts_.count[place->second];
    }
    counts_.offsets.push_back(counts_.term.size());
  }

  std::uint64_t documents() const noexcept { return counts_.documents(); }

  TermCounts take() {
    ids_.clear();
    return std::exchange(counts_, {});
  }

 private:
  const Tokeniser& tokeniser_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  TermCounts counts_;
};

TermCounter::TermCounter(const Tokeniser& tokeniser) : work_(std::make_unique<Work>(tokeniser)) {}
TermCounter::~TermCounter() = default;
TermCounter::TermCounter(TermCounter&&) noexcept = default;
TermCounter& TermCounter::operator=(TermCounter&&) noexcept = default;

void TermCounter::add(std::string_view document) { work_->add(document); }
std::uint64_t TermCounter::documents() const noexcept { return work_->documents(); }
TermCounts TermCounter::take() { return work_->take(); }

}  // namespace plumb
