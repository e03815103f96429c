#include "plumb/text/term_counts.h"

#include <utility>

#include "plumb/text/document_counter.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {
namespace {

void pack(DocumentCounter::Entries entries, std::size_t terms, std::vector<std::uint32_t>& packed) {
  const std::size_t size = entries.size(), at = packed.size();
  packed.resize(at + size);
  std::uint32_t* const out = packed.data() + at;
  std::uint32_t any = 0;
  std::size_t k = 0;
#ifdef __SSE2__
  __m128i any_of_four = _mm_setzero_si128();
  for (; k + 4 <= size; k += 4) {
    const auto load = [k](std::span<const std::uint32_t> list) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(list.data() + k));
    };
    const __m128i counts = load(entries.counts);
    any_of_four = _mm_or_si128(any_of_four, counts);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + k),
                     _mm_or_si128(load(entries.terms), _mm_slli_epi32(counts, TermCounts::kTermBits)));
  }
  any_of_four = _mm_or_si128(any_of_four, _mm_srli_si128(any_of_four, 8));
  any = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_or_si128(any_of_four, _mm_srli_si128(any_of_four, 4))));
#endif
  for (; k < size; ++k) {
    any |= entries.counts[k];
    out[k] = entries.counts[k] << TermCounts::kTermBits | entries.terms[k];
  }
  if (any < 256 && terms <= std::size_t{1} << TermCounts::kTermBits) return;
  packed.resize(at);
  for (std::size_t k = 0; k < size; ++k) TermCounts::pack(entries.terms[k], entries.counts[k], packed);
}

}  // namespace

std::size_t TermCounts::memory() const noexcept {
  return terms.memory() + offsets.capacity() * sizeof offsets[0] + packed.capacity() * sizeof packed[0];
}

std::vector<std::uint32_t> TermCounts::used_terms() const {
  std::vector<std::uint8_t> used(terms.size());
  for_each_packed(packed, [&](std::uint32_t term, std::uint32_t) { used[term] = 1; });
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) numbers.push_back(static_cast<std::uint32_t>(i));
  return numbers;
}

struct TermCounter::Work {
  DocumentCounter counter;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> packed = {};
};

TermCounter::TermCounter(const Tokeniser& tokeniser) : work_(new Work{DocumentCounter(tokeniser)}) {}
TermCounter::~TermCounter() = default;
TermCounter::TermCounter(TermCounter&&) noexcept = default;
TermCounter& TermCounter::operator=(TermCounter&&) noexcept = default;

void TermCounter::add(std::string_view document) {
  const DocumentCounter::Entries entries = work_->counter.count(document);
  pack(entries, work_->counter.terms().size(), work_->packed);
  work_->offsets.push_back(work_->packed.size());
}

std::uint64_t TermCounter::documents() const noexcept { return work_->offsets.size() - 1; }

TermCounts TermCounter::take() {
  TermCounts counts{work_->counter.take(), taken(work_->offsets), taken(work_->packed)};
  work_->offsets.push_back(0);
  return counts;
}

TermCounters::~TermCounters() {
  for (const std::atomic<TermCounter*>& each : waiting_) delete each.load();
}

TermCounts TermCounters::count(std::size_t count, const std::function<std::string_view(std::size_t)>& document) {
  std::unique_ptr<TermCounter> counter;
  for (std::size_t i = 0; i < kMost && counter == nullptr; ++i) counter.reset(waiting_[i].exchange(nullptr));
  if (counter == nullptr) counter = std::make_unique<TermCounter>(tokeniser_);
  for (std::size_t i = 0; i < count; ++i) counter->add(document(i));  // an exception discards the counter too
  TermCounts counts = counter->take();
  for (std::atomic<TermCounter*>& each : waiting_) {
    TermCounter* none = nullptr;
    if (each.compare_exchange_strong(none, counter.get())) {
      counter.release();
      break;
    }
  }
  return counts;
}

}  // namespace plumb
