#include "plumb/text/term_counts.h"

#include <utility>

#include "plumb/text/document_counter.h"

namespace plumb {

std::size_t TermCounts::memory() const noexcept {
  return terms.memory() + offsets.capacity() * sizeof offsets[0] + term.capacity() * sizeof term[0] +
         count.capacity() * sizeof count[0];
}

struct TermCounter::Work {
  DocumentCounter counter;
  TermCounts counts = {};
};

TermCounter::TermCounter(const Tokeniser& tokeniser) : work_(new Work{DocumentCounter(tokeniser)}) {}
TermCounter::~TermCounter() = default;
TermCounter::TermCounter(TermCounter&&) noexcept = default;
TermCounter& TermCounter::operator=(TermCounter&&) noexcept = default;

void TermCounter::add(std::string_view document) {
  TermCounts& counts = work_->counts;
  const auto [term, count] = work_->counter.count(document);
  counts.term.insert(counts.term.end(), term.begin(), term.end());
  counts.count.insert(counts.count.end(), count.begin(), count.end());
  counts.offsets.push_back(counts.term.size());
}

std::uint64_t TermCounter::documents() const noexcept { return work_->counts.documents(); }

TermCounts TermCounter::take() {
  work_->counts.terms = work_->counter.take_terms();
  work_->counts.terms.shrink_to_fit();
  return std::exchange(work_->counts, {});
}

}  // namespace plumb
