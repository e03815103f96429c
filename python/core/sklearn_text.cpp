// For plumb.sklearn.TextVectorizer: counts of terms in a list of str, by the library's tokeniser, as arrays.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/text.h"
#include "plumb/data/row_set.h"
#include "plumb/text/lexicon.h"
#include "plumb/text/term_counts.h"
#include "plumb/text/term_lookups.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/vocabulary.h"
#include "plumb/workflow/calls.h"
#include "python/core/core.h"

namespace plumb::python {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

// Texts inside their str objects, which the caller keeps, in pieces of about that many bytes.
struct Texts {
  std::vector<std::string_view> views;
  std::vector<std::size_t> begins = {0};  // of each piece, and the end

  explicit Texts(const nb::list& texts) {
    views.reserve(nb::len(texts));
    std::size_t bytes = 0;
    for (const nb::handle text : texts) {
      Py_ssize_t size = 0;
      const char* const data = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
      if (data == nullptr) {
        PyErr_Clear();
        throw Error(ErrorCode::data, "text " + count_text(views.size() + 1) + " is not a valid str",
                    "replace lone surrogates: text.encode('utf-8', 'replace').decode()");
      }
      views.emplace_back(data, static_cast<std::size_t>(size));
      if ((bytes += views.back().size()) >= kPieceBytes) {
        begins.push_back(views.size());
        bytes = 0;
      }
    }
    if (begins.back() != views.size()) begins.push_back(views.size());
  }
  std::size_t pieces() const noexcept { return begins.size() - 1; }
  std::span<const std::string_view> piece(std::size_t p) const {
    return std::span(views).subspan(begins[p], begins[p + 1] - begins[p]);
  }
};

// The caller may change his list meanwhile.
nb::list copy_of(const nb::list& list) {
  return nb::steal<nb::list>(PyList_GetSlice(list.ptr(), 0, static_cast<Py_ssize_t>(nb::len(list))));
}

// A matrix of counts as scipy has it.
struct Matrix {
  std::vector<std::int64_t> values, offsets = {0};
  std::vector<std::int32_t> columns;

  void reserve_rows(const std::vector<std::uint64_t>& of_rows) {
    const std::int64_t before = offsets.back();
    for (std::size_t i = 1; i < of_rows.size(); ++i) offsets.push_back(before + static_cast<std::int64_t>(of_rows[i]));
  }
  nb::tuple taken() {
    const std::size_t entries = values.size(), ends = offsets.size();
    return nb::make_tuple(array_of(std::move(values), {entries}), array_of(std::move(columns), {entries}),
                          array_of(std::move(offsets), {ends}));
  }
};

// Pieces of rows, one after the other.
template <class Rows, class CountOf>
Matrix joined(const std::vector<Rows>& pieces, const Run& run, CountOf counts_of) {
  Matrix all;
  std::vector<std::int64_t> begins;
  for (const Rows& piece : pieces) {
    begins.push_back(all.offsets.back());
    all.reserve_rows(piece.offsets);
  }
  all.values.resize(static_cast<std::size_t>(all.offsets.back()));
  all.columns.resize(all.values.size());
  run.for_each(Phase::learning, pieces.size(), [&](std::size_t p) {
    std::copy(pieces[p].id.begin(), pieces[p].id.end(), all.columns.begin() + begins[p]);
    counts_of(pieces[p], all.values.data() + begins[p]);
  });
  return all;
}

// All terms of the texts, in the order of their code points, which is that of their bytes.
class CountedTerms {
 public:
  CountedTerms(std::vector<TermCounts> pieces, const Run& run)
      : pieces_(std::move(pieces)), places_(places(pieces_)), lexicon_(Lexicon::merge(places_, run)) {
    std::uint64_t rows = 0;
    for (const TermCounts& piece : pieces_) rows += piece.documents();
    statistics_ = term_statistics(places_, lexicon_, RowSet(rows, true), run);
    sort();
  }

  std::vector<std::int64_t> documents() const {
    return sorted([&](std::uint32_t number) { return statistics_.documents[number]; });
  }
  std::vector<std::int64_t> counts() const {
    return sorted([&](std::uint32_t number) { return statistics_.count[number]; });
  }

  nb::list terms(const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>& places) const {
    const auto count = static_cast<Py_ssize_t>(places.shape(0));
    nb::list texts = nb::steal<nb::list>(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      const Key& key = keys_.at(static_cast<std::size_t>(places.data()[i]));
      PyObject* const text = PyUnicode_DecodeUTF8(texts_.data() + key.begin, key.size, nullptr);
      if (text == nullptr) throw nb::python_error();
      PyList_SetItem(texts.ptr(), i, text);
    }
    return texts;
  }

  // The places of those texts that are terms.
  std::vector<std::int64_t> find(const std::vector<std::string>& texts) const {
    std::vector<std::int64_t> places;
    for (const std::string& text : texts) {
      const auto found =
          std::lower_bound(keys_.begin(), keys_.end(), std::string_view(text),
                           [&](const Key& key, std::string_view sought) { return text_of(key) < sought; });
      if (found != keys_.end() && text_of(*found) == text) places.push_back(found - keys_.begin());
    }
    return places;
  }

  // The rows with the terms at these places as columns. Uses the counts up.
  Matrix rows(std::span<const std::int64_t> places, const Run& run) {
    std::vector<std::uint32_t> by_number(lexicon_.size(), kNoTerm);
    for (std::size_t i = 0; i < places.size(); ++i)
      by_number[keys_.at(static_cast<std::size_t>(places[i])).number] = static_cast<std::uint32_t>(i);
    std::vector<SmallRows> made(pieces_.size());
    run.for_each(Phase::learning, made.size(), [&](std::size_t p) {
      const std::vector<std::uint32_t> ids = piece_ids(lexicon_.numbers(p), by_number);
      made[p] = numbered_in_place(std::move(pieces_[p].packed), pieces_[p].offsets, ids,
                                  static_cast<std::uint32_t>(places.size()));
    });
    return joined(made, run, [](const SmallRows& piece, std::int64_t* values) {
      std::copy(piece.count.begin(), piece.count.end(), values);
      for (const SmallRows::Large& each : piece.large) values[each.place] = each.count;
    });
  }

 private:
  static std::vector<const TermCounts*> places(const std::vector<TermCounts>& pieces) {
    std::vector<const TermCounts*> all;
    for (const TermCounts& piece : pieces) all.push_back(&piece);
    return all;
  }

  struct Key {
    std::uint64_t head;  // the first eight bytes, which tell most terms apart
    std::uint32_t number;
    std::uint32_t size;
    std::size_t begin;  // in texts_
  };

  std::string_view text_of(const Key& key) const { return std::string_view(texts_).substr(key.begin, key.size); }

  template <class Of>
  std::vector<std::int64_t> sorted(Of of) const {
    std::vector<std::int64_t> numbers;
    numbers.reserve(keys_.size());
    for (const Key& key : keys_) numbers.push_back(static_cast<std::int64_t>(of(key.number)));
    return numbers;
  }

  void sort() {
    keys_.reserve(lexicon_.size());
    for (std::uint32_t number = 0; number < lexicon_.size(); ++number) {
      if (statistics_.documents[number] == 0) continue;  // a part of an n-gram
      const std::size_t begin = texts_.size();
      lexicon_.terms().append_text(number, texts_);
      const std::size_t size = texts_.size() - begin;
      unsigned char head[8] = {};
      std::memcpy(head, texts_.data() + begin, std::min<std::size_t>(8, size));
      std::uint64_t value = 0;
      for (const unsigned char byte : head) value = value << 8 | byte;
      keys_.push_back({value, number, static_cast<std::uint32_t>(size), begin});
    }
    std::sort(keys_.begin(), keys_.end(),
              [&](const Key& a, const Key& b) { return a.head != b.head ? a.head < b.head : text_of(a) < text_of(b); });
  }

  std::vector<TermCounts> pieces_;
  std::vector<const TermCounts*> places_;
  Lexicon lexicon_;
  TermStatistics statistics_;
  std::string texts_;
  std::vector<Key> keys_;  // of the terms, sorted by text
};

// The rules, and terms with columns if they are known.
class TermReader {
 public:
  TermReader(const std::string& tokens, std::uint32_t min_length, std::uint32_t shortest, std::uint32_t longest,
             bool lowercase, std::vector<std::string> stop_words)
      : tokeniser_(rules(tokens, min_length, shortest, longest, lowercase, std::move(stop_words))) {}

  void know(const nb::list& terms) {
    TextList list;
    for (const nb::handle each : terms) {
      Py_ssize_t size = 0;
      const char* const data = PyUnicode_AsUTF8AndSize(each.ptr(), &size);
      if (data == nullptr) throw nb::python_error();
      list.add({data, static_cast<std::size_t>(size)});
    }
    vocabulary_ = Vocabulary(std::move(list));
    lookups_.emplace(tokeniser_, vocabulary_);
  }

  std::unique_ptr<CountedTerms> count(const nb::list& list, const RunOptions& options) {
    const nb::list kept = copy_of(list);
    const Texts texts(kept);
    return run_without_gil(options, [&](const Running& running) {
      const OwnRun own(running, 0);
      TermCounters counters(tokeniser_);
      std::vector<TermCounts> pieces(texts.pieces());
      own.run.for_each(Phase::reading, pieces.size(), [&](std::size_t p) {
        const auto piece = texts.piece(p);
        pieces[p] = counters.count(piece.size(), [&](std::size_t i) { return piece[i]; });
      });
      return std::make_unique<CountedTerms>(std::move(pieces), own.run);
    });
  }

  nb::tuple rows(const nb::list& list, const RunOptions& options) {
    const nb::list kept = copy_of(list);
    const Texts texts(kept);
    if (!lookups_) throw Error(ErrorCode::usage, "no terms are known yet");
    Matrix all = run_without_gil(options, [&](const Running& running) {
      Executor executor(texts.pieces() > 1 ? running.threads : 1);
      const Run run{executor, {}, running.watch};
      std::vector<TermRows> made(texts.pieces());
      run.for_each(Phase::reading, made.size(), [&](std::size_t p) {
        lookups_->with_rows(texts.piece(p), [&](const TermRows& rows) { made[p] = rows; });
      });
      return joined(made, run, [](const TermRows& piece, std::int64_t* values) {
        std::copy(piece.count.begin(), piece.count.end(), values);
      });
    });
    return all.taken();
  }

  std::vector<std::string> terms_of(const std::string& text) const { return tokeniser_.terms(text); }

 private:
  static TokenRules rules(const std::string& tokens, std::uint32_t min_length, std::uint32_t shortest,
                          std::uint32_t longest, bool lowercase, std::vector<std::string> stop_words) {
    TokenRules made;
    const auto names = std::span(EnumNames<Tokens>::names);
    const auto found = std::find(names.begin(), names.end(), tokens);
    if (found == names.end()) throw Error(ErrorCode::usage, "there are no tokens " + in_quotes(tokens));
    made.tokens = static_cast<Tokens>(found - names.begin());
    made.min_length = min_length;
    made.shortest_ngram = shortest;
    made.longest_ngram = longest;
    made.lowercase = lowercase;
    made.stop_words = std::move(stop_words);
    return made;
  }

  Tokeniser tokeniser_;
  Vocabulary vocabulary_;
  std::optional<TermLookups> lookups_;
};

}  // namespace

void add_sklearn_text(nb::module_& module) {
  using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
  nb::class_<CountedTerms>(module, "CountedTerms")
      .def_prop_ro("documents",
                   [](const CountedTerms& terms) {
                     std::vector<std::int64_t> found = terms.documents();
                     const std::size_t size = found.size();
                     return array_of(std::move(found), {size});
                   })
      .def_prop_ro("counts",
                   [](const CountedTerms& terms) {
                     std::vector<std::int64_t> found = terms.counts();
                     const std::size_t size = found.size();
                     return array_of(std::move(found), {size});
                   })
      .def("terms", &CountedTerms::terms, nb::arg("places"))
      .def("find", &CountedTerms::find, nb::arg("texts"))
      .def(
          "rows",
          [](CountedTerms& terms, const Places& places, const RunOptions& options) {
            const std::span<const std::int64_t> all(places.data(), places.shape(0));
            Matrix made = run_without_gil(options, [&](const Running& running) {
              const OwnRun own(running, 0);
              return terms.rows(all, own.run);
            });
            return made.taken();
          },
          nb::arg("places"), nb::arg("run"));
  nb::class_<TermReader>(module, "TermReader")
      .def(nb::init<const std::string&, std::uint32_t, std::uint32_t, std::uint32_t, bool, std::vector<std::string>>(),
           nb::arg("tokens"), nb::arg("min_length"), nb::arg("shortest"), nb::arg("longest"), nb::arg("lowercase"),
           nb::arg("stop_words"))
      .def("know", &TermReader::know, nb::arg("terms"))
      .def("count", &TermReader::count, nb::arg("texts"), nb::arg("run"))
      .def("rows", &TermReader::rows, nb::arg("texts"), nb::arg("run"))
      .def("terms_of", &TermReader::terms_of, nb::arg("text"));
}

}  // namespace plumb::python
