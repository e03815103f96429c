#include "plumb/text/term_counts.h"

#include <utility>

#include "plumb/text/document_counter.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {
namespace {

void pack(DocumentCounter::Entries entries, std::vector<std::uint32_t>& packed) {
  constexpr std::uint64_t fits = std::uint64_t{0xFF} << 32 | ((std::uint64_t{1} << TermCounts::kTermBits) - 1);
  std::uint64_t any = 0;
  for (const std::uint64_t each : entries) any |= each;
  if ((any & ~fits) == 0) {
    const std::size_t at = packed.size();
    packed.resize(at + entries.size());
    std::size_t k = 0;
#ifdef __SSE2__
    for (; k + 4 <= entries.size(); k += 4) {
      const auto load = [&](std::size_t i) {
        return _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries.data() + i)));
      };
      const __m128 first = load(k), second = load(k + 2);
      const __m128i term = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
      const __m128i count = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(packed.data() + at + k),
                       _mm_or_si128(term, _mm_slli_epi32(count, TermCounts::kTermBits)));
    }
#endif
    for (; k < entries.size(); ++k)
      packed[at + k] =
          DocumentCounter::count_of(entries[k]) << TermCounts::kTermBits | DocumentCounter::term_of(entries[k]);
    return;
  }
  for (const std::uint64_t each : entries)
    TermCounts::pack(DocumentCounter::term_of(each), DocumentCounter::count_of(each), packed);
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
  pack(work_->counter.count(document), work_->packed);
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
  for (std::size_t i = 0; i < count; ++i) counter->add(document(i));  // what is thrown ends the counter too
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
