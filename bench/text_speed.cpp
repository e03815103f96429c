// Text to counts, as one line of JSON: times, documents, and results. FILE has a label, a tab and a text in each line;
// it is read before the clock starts, except for rows, which are read a piece at a time as in the program.
//   text_speed words THREADS FILE LONGEST    only finds words and makes keys: the bare tokeniser
//   text_speed count THREADS FILE LONGEST    counted in pieces, n-grams up to LONGEST
//   text_speed rows THREADS FILE LONGEST     read, counted, merged, and made into rows of a vocabulary
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/text/term_key.h"
#include "plumb/text/word_scan.h"

namespace {

using Documents = std::vector<std::string_view>;
constexpr std::size_t piece_size = std::size_t{4} << 20;

// Lines without their labels.
Documents documents_in(std::string_view text) {
  Documents documents;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    documents.push_back(line.substr(line.find('\t') + 1));
  }
  return documents;
}

// The same in pieces of some megabytes.
std::vector<Documents> pieces_of(std::string_view text) {
  std::vector<Documents> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size() - 1, text.find('\n', std::min(text.size(), piece_size)));
    pieces.push_back(documents_in(text.substr(0, end + 1)));
    text.remove_prefix(end + 1);
  }
  return pieces;
}

// A file in pieces of whole lines, for any thread.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : file_(path) {}

  // At most that many; some of the last may be empty.
  std::size_t pieces() const { return file_.size_hint() / piece_size + 1; }

  struct Piece {
    std::size_t number;
    std::string_view lines;  // in the buffer
  };
  Piece next(std::vector<char>& buffer) {
    const std::lock_guard lock(mutex_);
    if (buffer.size() < rest_.size() + piece_size) buffer.resize(rest_.size() + piece_size);
    std::ranges::copy(rest_, buffer.begin());
    const std::size_t size = rest_.size() + file_.read(std::span(buffer).subspan(rest_.size(), piece_size));
    bytes_ += size - rest_.size();
    const bool last = size < rest_.size() + piece_size;
    std::string_view text(buffer.data(), size);
    if (!last) text = text.substr(0, text.rfind('\n') + 1);
    rest_.assign(buffer.data() + text.size(), buffer.data() + size);
    return {next_++, text};
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  plumb::FileReader file_;
  std::mutex mutex_;
  std::string rest_;
  std::size_t next_ = 0;
  std::uint64_t bytes_ = 0;
};

// The limit of any counting: every word found, and its hash added up.
std::uint64_t find_words(const plumb::TokenRules& rules, const Documents& documents) {
  plumb::WordScan scan(rules);
  std::uint64_t sum = 0;
  for (const std::string_view document : documents) {
    scan.scan(document);
    std::uint64_t before = 0, begin = 0;
    for (std::size_t k = 0; k < scan.words().size(); ++k) {
      const std::uint64_t word = scan.words()[k];
      for (std::uint64_t changes = word ^ (word << 1 | before); changes != 0; changes &= changes - 1) {
        const auto at = 64 * k + static_cast<std::uint64_t>(__builtin_ctzll(changes));
        if ((word >> (at % 64) & 1) != 0) {
          begin = at;
        } else {
          sum += plumb::TermKey::of_text(scan.text() + begin, at - begin).hash();
        }
      }
      before = word >> 63;
    }
  }
  return sum;
}

int measure(int count, char** argument) {
  if (count != 5) throw std::runtime_error("text_speed words|count|rows THREADS FILE LONGEST");
  const std::string_view mode = argument[1];
  unsigned threads = 1;
  std::from_chars(argument[2], argument[2] + std::strlen(argument[2]), threads);
  plumb::TokenRules rules;
  std::from_chars(argument[4], argument[4] + std::strlen(argument[4]), rules.longest_ngram);

  const plumb::Tokeniser tokeniser(rules);
  plumb::Executor executor(threads);
  const plumb::Run run{executor};
  std::uint64_t bytes = 0, rows = 0, terms = 0, entries = 0, sum = 0;
  std::vector<plumb::TermCounts> counts;
  bench::Stopwatch watch;

  if (mode == "rows") {
    LineReader lines(argument[3]);
    plumb::TermCounters counters(tokeniser);
    counts.resize(lines.pieces());
    executor.for_each(counts.size(), [&](std::size_t) {
      static thread_local std::vector<char> buffer;
      const auto [i, text] = lines.next(buffer);
      const Documents documents = documents_in(text);
      counts[i] = counters.count(documents.size(), [&](std::size_t k) { return documents[k]; });
    });
    bytes = lines.bytes();
    std::vector<const plumb::TermCounts*> pieces;
    for (const plumb::TermCounts& each : counts) {
      pieces.push_back(&each);
      rows += each.documents();
      entries += each.packed.size();
    }
    const plumb::Lexicon lexicon = plumb::Lexicon::merge(pieces, run);
    const plumb::TermStatistics statistics = plumb::term_statistics(pieces, lexicon, plumb::RowSet(rows, true), run);
    const std::vector<std::uint32_t> selected = plumb::select_terms(statistics, {});
    const plumb::Vocabulary vocabulary(lexicon, selected);
    terms = vocabulary.size();
    const std::vector<std::uint32_t> ids = plumb::ids_by_number(selected, lexicon.size());
    std::vector<std::vector<std::uint32_t>> local(lexicon.numberings());
    executor.for_each(local.size(), [&](std::size_t i) { local[i] = plumb::piece_ids(lexicon.numbering(i), ids); });
    std::vector<plumb::SmallRows> made(counts.size());
    executor.for_each(counts.size(), [&](std::size_t i) {
      made[i] = plumb::numbered_in_place(std::move(counts[i].packed), counts[i].offsets, local[lexicon.numbering_of(i)],
                                         vocabulary.size());
      counts[i] = {};
    });
  } else {
    const std::string text = plumb::read_whole_file(argument[3], std::size_t{4} << 30);
    const std::vector<Documents> documents = pieces_of(text);
    bytes = text.size();
    for (const Documents& piece : documents) rows += piece.size();
    watch = {};
    if (mode == "words") {
      std::vector<std::uint64_t> sums(documents.size());
      executor.for_each(documents.size(), [&](std::size_t i) { sums[i] = find_words(rules, documents[i]); });
      for (const std::uint64_t each : sums) sum += each;
    } else {
      plumb::TermCounters counters(tokeniser);
      counts.resize(documents.size());
      executor.for_each(documents.size(), [&](std::size_t i) {
        counts[i] = counters.count(documents[i].size(), [&](std::size_t k) { return documents[i][k]; });
      });
    }
  }
  const double wall = watch.wall(), cpu = watch.cpu();
  for (const plumb::TermCounts& each : counts) entries += each.packed.size();  // except for rows, counted above
  plumb::JsonWriter json;
  json.begin_object().member("seconds", wall).member("cpu", cpu).member("rows", rows);
  json.member("bytes", bytes).member("terms", terms).member("entries", entries).member("sum", sum);
  json.end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("text_speed", [&] { return measure(count, argument); });
}
