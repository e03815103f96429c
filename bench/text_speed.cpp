// Text to counts, as one line of JSON: times, documents, and what was found. FILE has a label, a tab and a text in each
// line; it is read before the clock starts, but for rows.
//   text_speed words THREADS FILE LONGEST    words are found and made into keys, and that is all: the bare tokeniser
//   text_speed count THREADS FILE LONGEST    counted in pieces, n-grams up to LONGEST
//   text_speed rows THREADS FILE LONGEST     read, counted, merged, and made into rows of a vocabulary
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "plumb/plumb.h"
#include "plumb/text/term_key.h"
#include "plumb/text/word_scan.h"

namespace {

using Documents = std::vector<std::string_view>;

// Lines without their labels, in pieces of some megabytes.
std::vector<Documents> pieces_of(std::string_view text) {
  constexpr std::size_t piece_size = std::size_t{4} << 20;
  std::vector<Documents> pieces;
  std::size_t bytes = piece_size;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (bytes >= piece_size) {
      pieces.emplace_back();
      bytes = 0;
    }
    pieces.back().push_back(line.substr(line.find('\t') + 1));
    bytes += line.size();
  }
  return pieces;
}

// What no counting can go below: every word found, and its hash added up.
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

  bench::Stopwatch watch;
  const std::string text = plumb::read_whole_file(argument[3], std::size_t{4} << 30);
  const std::vector<Documents> documents = pieces_of(text);
  const plumb::Tokeniser tokeniser(rules);
  plumb::Executor executor(threads);
  const plumb::Run run{executor};
  std::uint64_t rows = 0, terms = 0, entries = 0, sum = 0;
  for (const Documents& piece : documents) rows += piece.size();

  if (mode != "rows") watch = {};
  if (mode == "words") {
    std::vector<std::uint64_t> sums(documents.size());
    executor.for_each(documents.size(), [&](std::size_t i) { sums[i] = find_words(rules, documents[i]); });
    for (const std::uint64_t each : sums) sum += each;
  } else {
    std::vector<plumb::TermCounts> counts(documents.size());
    plumb::TermCounters counters(tokeniser);
    executor.for_each(documents.size(), [&](std::size_t i) {
      counts[i] = counters.count(documents[i].size(), [&](std::size_t k) { return documents[i][k]; });
    });
    for (const plumb::TermCounts& each : counts) entries += each.packed.size();
    if (mode == "rows") {
      std::vector<const plumb::TermCounts*> pieces;
      for (const plumb::TermCounts& each : counts) pieces.push_back(&each);
      const plumb::Lexicon lexicon = plumb::Lexicon::merge(pieces, run);
      const plumb::TermStatistics statistics = plumb::term_statistics(pieces, lexicon, plumb::RowSet(rows, true), run);
      const std::vector<std::uint32_t> selected = plumb::select_terms(statistics, {});
      const plumb::Vocabulary vocabulary(lexicon, selected);
      terms = vocabulary.size();
      const std::vector<std::uint32_t> ids = plumb::ids_by_number(selected, lexicon.size());
      std::vector<plumb::TermRows> made(counts.size());
      executor.for_each(counts.size(), [&](std::size_t i) {
        made[i] = plumb::numbered(counts[i], plumb::piece_ids(lexicon.numbers(i), ids), vocabulary.size());
      });
    }
  }
  plumb::JsonWriter json;
  json.begin_object().member("seconds", watch.wall()).member("cpu", watch.cpu()).member("rows", rows);
  json.member("bytes", std::uint64_t{text.size()}).member("terms", terms).member("entries", entries).member("sum", sum);
  json.end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("text_speed", [&] { return measure(count, argument); });
}
