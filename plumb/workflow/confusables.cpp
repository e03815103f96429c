#include "plumb/workflow/confusables.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/memory_source.h"
#include "plumb/data/text_files.h"
#include "plumb/model/explain.h"
#include "plumb/text/gap.h"
#include "plumb/text/sentences.h"
#include "plumb/text/unicode.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/candidate.h"
#include "plumb/workflow/learning_curve.h"
#include "plumb/workflow/tuning.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFewestOfWord = 10;        // occurrences of a word
constexpr std::uint64_t kMostToChooseBy = 20'000;  // training rows
constexpr std::string_view kWord = "word", kText = "text", kSentence = "sentence";

// The option that is chosen by cross-validation for models that have it, unless it or another way to say it is given.
struct Chosen {
  std::string_view option, values;
  std::vector<std::string_view> same;
};
const Chosen kChosen[] = {{"l2", "0.01,0.03,0.1,0.3,1,3,10", {"l2", "C", "prior-variance"}},
                          {"smoothing", "0.03,0.1,0.3,1", {"smoothing", "virtual", "beta"}}};

// use(text, file) for the whole text of each file, in UTF-8.
template <class Use>
void for_each_text(const std::vector<std::string>& paths, Encoding encoding, std::size_t most_window, Use use) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  ByteReaderOptions bytes;
  if (most_window > 0) bytes.most_window = most_window;
  TextFiles files(paths, kStep, bytes, encoding);
  do {  // the first is open
    files.fill(4);
    files.refuse_other_formats("running text");
    if (files.unread().starts_with("\xEF\xBB\xBF")) files.consume(3, 0);
    for (std::size_t size = kStep; !files.ended(); size *= 2) files.fill(size);
    const std::string_view text = files.unread();
    if (const std::size_t bad = std::min(first_invalid_utf8(text), text.find('\0')); bad != text.npos) {
      const std::size_t line = text.rfind('\n', bad) == text.npos ? 0 : text.rfind('\n', bad) + 1;
      const std::string_view own = text.substr(line, text.find('\n', bad) - line);
      files.fail(*files.fault_of_text(own, {1, 1}, "this line"), text.substr(0, line));
    }
    use(text, files.file());
  } while (files.next_file());
}

std::string in_csv(const std::string& field) {
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// A word in the letter case of another: all capitals, a capital first, or as it is.
std::string in_case_of(std::string_view found, const std::string& word) {
  const auto capital = [](std::string_view text, std::size_t at) {
    const std::size_t length = character_at(text, at).length;
    return lowered(text.substr(at, length)) != text.substr(at, length);
  };
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  if (found.empty() || word.empty() || !capital(found, 0)) return word;
  std::string out = word;
  const std::size_t second = character_at(found, 0).length;
  const bool all = second < found.size() && capital(found, second);
  for (std::size_t i = 0; i < (all ? out.size() : 1); ++i) out[i] = upper(out[i]);
  return out;
}

// The column of texts with a gap that the model reads.
const TextTerm* gap_term(const LinearModel& model) {
  for (const Term& term : model.parts().map.parts().terms)
    if (const TextTerm* const text = std::get_if<TextTerm>(&term); text != nullptr && text->bag->rules.gap > 0)
      return text;
  return nullptr;
}

}  // namespace

OptionTable ConfusablesOptions::table() {
  using O = ConfusablesOptions;
  return {
      option("model", &O::model, "the model to fit").value("MODEL").short_as('m'),
      option("output", &O::output, "where to save the model").value("FILE").writes_file().short_as('o').unrecorded(),
      option("test", &O::test, "occurrences held out to score on: a fraction, a number, another text, or none")
          .value("F|N|FILE|none")
          .reads_file(),
      option("gap", &O::gap, "places on either side of the word whose words are features")
          .value("K")
          .in(between(1, kMostGapPlaces)),
      option("correct", &O::correct, "mark the likely mistakes in this text")
          .value("FILE")
          .reads_file()
          .otherwise("none"),
      option("sure", &O::sure, "mark a word only if another one has at least this probability")
          .value("P")
          .in(between(0.5, 1.0)),
      option("top", &O::top, "reasons to show for each mistake").value("N"),
      option("from", &O::from, "use this model, made earlier, instead of training one: then no TEXT is needed")
          .value("MODEL.plumb")
          .reads_file()
          .otherwise("none"),
      option("curve", &O::curve, "show the learning curve: accuracy as the text grows (--plot draws it)"),
      option("sizes", &O::sizes, "training set sizes of the curve: numbers of occurrences, or fractions")
          .value("N,...")
          .otherwise("eight sizes at equal ratios"),
      option("repeats", &O::repeats, "number of random splits of the curve").value("R").in(between(1, 100'000)),
      option("examples", &O::examples, "write the occurrences as CSV, for other commands: columns word, text, sentence")
          .value("FILE")
          .writes_file()
          .otherwise("none"),
      option("encoding", &O::encoding, "how the bytes of texts are read").value("ENCODING"),
      option("seed", &O::seed, "seed of all random choices").value("N")};
}

std::unique_ptr<Source> ConfusableRows::open() const {
  MemoryRows rows;
  rows.values = std::vector<MemoryColumn>{{std::string(kWord), std::span(word)},
                                          {std::string(kText), std::span(text)},
                                          {std::string(kSentence), std::span(sentence)}};
  return open_memory(std::move(rows));
}

std::string ConfusableRows::csv() const {
  std::string out = "word,text,sentence\n";
  for (std::size_t i = 0; i < word.size(); ++i)
    out += in_csv(word[i]) + "," + in_csv(text[i]) + "," + sentence[i] + "\n";
  return out;
}

std::vector<std::string> confusable_words(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string& item : split_list(list)) {
    const WordPlace place = next_word(item, 0);
    if (place.length != item.size() || item.empty())
      throw Error(ErrorCode::usage, in_quotes(item) + " is not one word; letters and apostrophes were expected",
                  "weather,whether");
    words.push_back(plain_word(item));
    if (std::find(words.begin(), words.end() - 1, words.back()) != words.end() - 1)
      throw Error(ErrorCode::usage, "the word " + in_quotes(words.back()) + " is given twice", "weather,whether");
  }
  if (words.size() < 2)
    throw Error(ErrorCode::usage,
                in_quotes(list) + " is one word; two words or more that are confused with each other were expected",
                "plumb confusables weather,whether TEXT");
  return words;
}

namespace {

// A sentence as its features have it: without the case of letters, and with a blank for all that is not part of a word.
// Copies that differ in quotes or in the end mark are one.
std::string key_of(std::string_view sentence) {
  std::string key;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const auto c = static_cast<unsigned char>(sentence[i]);
    const bool mark =
        c == 0xE2 && i + 2 < sentence.size() && (static_cast<unsigned char>(sentence[i + 1]) & 0xFE) == 0x80;
    if (mark) i += 2;  // U+2000 to U+207F: dashes, quotes, ellipses
    const bool inside =
        !mark && (c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'));
    if (inside)
      key += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : sentence[i];
    else if (!key.empty() && key.back() != ' ')
      key += ' ';
  }
  if (!key.empty() && key.back() == ' ') key.pop_back();
  return key;
}

}  // namespace

ConfusableRows confusable_rows(const std::vector<std::string>& words, const std::vector<std::string>& files,
                               Encoding encoding, std::size_t most_window) {
  ConfusableRows rows;
  rows.counts.resize(words.size());
  std::map<std::string, std::vector<std::size_t>, std::less<>> known;  // the rows of each sentence with a gap
  std::size_t sentences = 0;                                           // in the files before
  for_each_text(files, encoding, most_window, [&](std::string_view text, const std::string&) {
    const std::vector<Occurrence> found = occurrences_of(words, text);
    for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
      while (end < found.size() && found[end].sentence == found[begin].sentence) ++end;
      // All occurrences in a sentence belong together, also with those of an earlier one that differs in the word
      // alone.
      std::string group = std::to_string(sentences + found[begin].sentence);
      for (std::size_t i = begin; i < end; ++i)
        if (const auto same = known.find(key_of(found[i].gapped)); same != known.end()) {
          group = rows.sentence[same->second.front()];
          break;
        }
      for (std::size_t i = begin; i < end; ++i) {
        const std::string& word = words[found[i].word];
        std::vector<std::size_t>& same = known[key_of(found[i].gapped)];
        if (std::any_of(same.begin(), same.end(), [&](std::size_t row) { return rows.word[row] == word; })) {
          ++rows.repeated;
          continue;
        }
        same.push_back(rows.word.size());
        rows.word.push_back(word);
        rows.text.push_back(found[i].gapped);
        rows.sentence.push_back(group);
        ++rows.counts[found[i].word];
      }
    }
    if (!found.empty()) sentences += found.back().sentence + 1;
  });
  return rows;
}

Confusables::Confusables(ConfusablesOptions& options, TrainRequest& own, const std::vector<std::string>& words,
                         const std::vector<std::string>& files, Messages& say, const Run& run)
    : options_(options), request_(own), words_(words), files_(files), say_(say), run_(run) {}

void Confusables::read() {
  rows_ = confusable_rows(words_, files_, options_.encoding, request_.data.read.most_window);
  const std::string name =
      files_.front() + (files_.size() > 1 ? " and " + std::to_string(files_.size() - 1) + " more" : "");
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (rows_.counts[i] < kFewestOfWord)
      throw Error(
          ErrorCode::data, {name},
          in_quotes(words_[i]) +
              (rows_.counts[i] == 0 ? " does not occur" : " occurs " + counted(rows_.counts[i], "time")) +
              "; at least " + std::to_string(kFewestOfWord) + " different sentences with each word were expected",
          rows_.counts[i] == 0 ? "check the spelling, or give texts with the word"
                               : "give more texts: plumb confusables " + as_typed(list_of(words_)) + " TEXT MORE...");
  if (options_.test.what == TestChoice::What::file) {
    test_rows_ = confusable_rows(words_, {options_.test.file}, options_.encoding, request_.data.read.most_window);
    leave_out_known();
    if (test_rows_.word.empty())
      throw Error(ErrorCode::data, {options_.test.file},
                  "has no sentence with one of the words " + listed(words_) + " that is not in the texts",
                  "--test 0.2");
  }
  DataRequest& data = request_.data;
  data.features.target = kWord;
  data.features.text = {std::string(kText)};
  data.text.gap = options_.gap;
  data.text.binary = true;
  data.split.group = kSentence;
  request_.options.model = options_.model;
  request_.options.test = options_.test;
  request_.options.seed = options_.seed;
  for (const char* option : {"target", "text", "gap", "binary", "group", "model"})
    if (!was_given(request_.given, option)) request_.given.emplace_back(option);
}

// A sentence of the test that training has too would be known by heart.
void Confusables::leave_out_known() {
  std::set<std::string> known;
  for (const std::string& text : rows_.text) known.insert(key_of(text));
  ConfusableRows rest;
  for (std::size_t i = 0; i < test_rows_.word.size(); ++i) {
    if (known.contains(key_of(test_rows_.text[i]))) continue;
    rest.word.push_back(std::move(test_rows_.word[i]));
    rest.text.push_back(std::move(test_rows_.text[i]));
    rest.sentence.push_back(std::move(test_rows_.sentence[i]));
  }
  if (const std::size_t left_out = test_rows_.word.size() - rest.word.size(); left_out > 0)
    say_.note(counted(left_out, "occurrence") + " of " + options_.test.file +
              " left out: their sentences are in the texts too");
  test_rows_ = std::move(rest);
}

// As typed, with the options of the trainer that were given or chosen.
Candidate Confusables::candidate() {
  const std::size_t place = request_.trainers.find(options_.model, request_.given);
  Candidate candidate;
  candidate.entry = &request_.trainers.entry(place);
  candidate.name = candidate.entry->name;
  candidate.features = request_.data.features;
  candidate.text = request_.data.text;
  candidate.setup = candidate.entry->setup();
  const OptionGroup now = request_.trainers.setup(place).options(), own = candidate.setup->options();
  for (std::size_t i = 0; i < now.options.size(); ++i)
    if (was_given(request_.given, now.options[i].name))
      own.options[i].set(own.owner, now.options[i].flag() ? "" : now.options[i].text(now.owner));
  return candidate;
}

// Some of the training rows, whole groups evenly: enough to choose a penalty by.
ConfusableRows Confusables::sample(const RowSet& training) const {
  const std::uint64_t every = 1 + training.count() / kMostToChooseBy;
  ConfusableRows some;
  std::uint64_t groups = 0;
  for (std::uint64_t row = 0; row < rows_.word.size(); ++row) {
    if (row > 0 && rows_.sentence[row] != rows_.sentence[row - 1]) ++groups;
    if (!training.has(row) || groups % every != 0) continue;
    some.word.push_back(rows_.word[row]);
    some.text.push_back(rows_.text[row]);
    some.sentence.push_back(rows_.sentence[row]);
  }
  return some;
}

void Confusables::choose(const RowSet& training) {
  const OptionGroup own = request_.trainers.setup(request_.trainers.find(options_.model, request_.given)).options();
  for (const Chosen& each : kChosen) {
    const std::string name(each.option);
    if (find_option(own, name) == nullptr) continue;
    if (std::any_of(each.same.begin(), each.same.end(),
                    [&](std::string_view option) { return was_given(request_.given, option); }))
      return;
    TuneRequest tuning;
    tuning.data = request_.data;
    tuning.options.grid.each = {name + "=" + std::string(each.values)};
    tuning.options.folds = FoldChoice(5);
    tuning.test = TestChoice::none();
    tuning.seed = options_.seed;
    tuning.given = request_.given;
    std::vector<Candidate> candidates;
    const std::vector<GridAxis> axes = read_grid(*candidate().entry, tuning.options, request_.given);
    for (const std::string& value : axes.front().values) {
      candidates.push_back(candidate());
      set_option({candidates.back().setup->options()}, name, value);
      candidates.back().differs = {{name, value}};
    }
    const ConfusableRows some = sample(training);
    const std::unique_ptr<Source> source = some.open();
    KeptMessages unsaid;
    const TuneReport found = tune(tuning, axes, candidates, *source, unsaid, within(run_, 0.0, 0.5));
    const std::string& value = found.points[found.chosen].options.front().second;
    set_option({own}, name, value);
    request_.given.push_back(name);
    request_.tuned.push_back(name);
    say_.note("--" + name + " " + value + " has the least " + found.loss_name + " of " + std::string(each.values) +
              " by " + found.method + ", on " + counted(found.rows, "training row"));
    return;
  }
}

// A training that chooses by its own training rows.
class Confusables::Learning final : public Training {
 public:
  Learning(Confusables& owner, Source& source)
      : Training(owner.request_, source, owner.say_, owner.run_), owner_(owner) {}

  void choose(bool) override { owner_.choose(training_); }

 private:
  Confusables& owner_;
};

void Confusables::train() {
  source_ = rows_.open();
  training_ = std::make_unique<Learning>(*this, *source_);
  if (!test_rows_.word.empty()) test_source_ = test_rows_.open();
  training_->use_test(test_source_.get(), nullptr);
  training_->plan();
  training_->read();
  training_->split();
  training_->choose();
  training_->calibrate();
  training_->learn();
  training_->check();
  training_->fit();
  training_->judge();
}

CurveReport Confusables::curve() {
  CurveRequest request;
  request.data = request_.data;
  request.options.sizes = options_.sizes;
  request.options.repeats = options_.repeats;
  request.options.seed = options_.seed;
  if (options_.test.what == TestChoice::What::fraction || options_.test.what == TestChoice::What::rows)
    request.options.test = options_.test;
  request.given = request_.given;
  std::vector<Candidate> variants;
  variants.push_back(candidate());
  const std::unique_ptr<Source> rows = rows_.open();
  CurveReport report = learning_curve(request, variants, *rows, say_, run_);
  report.target = listed(words_);
  for (FitVerdict& each : report.verdicts) each.remedies.clear();  // they name no file that has these rows
  return report;
}

ConfusablesReport Confusables::report() {
  ConfusablesReport report{words_, rows_.counts, rows_.repeated, training_->report()};
  report.training.verdict = {};
  return report;
}

CorrectionReport corrections(const SavedModel& saved, const std::vector<std::string>& words,
                             const ConfusablesOptions& options, std::size_t most_window, const Run& run) {
  const LinearModel& model = saved.model;
  const std::vector<std::string>& labels = model.parts().labels;
  const TextTerm* const term = gap_term(model);
  if (term == nullptr || labels.empty())
    throw Error(ErrorCode::usage, "--from names a model that is not of words in gaps of texts",
                "plumb confusables weather,whether TEXT... makes one");
  for (const std::string& word : words)
    if (std::find(labels.begin(), labels.end(), word) == labels.end())
      throw Error(ErrorCode::usage, "the model of --from knows " + listed(labels) + " and not " + in_quotes(word),
                  "leave out the words: the model has its own");
  CorrectionReport report;
  Predictor predictor(model);
  const bool likely = model.parts().link == Link::logistic || model.parts().link == Link::softmax;
  for_each_text({options.correct}, options.encoding, most_window, [&](std::string_view text, const std::string& file) {
    report.file = file;
    const std::vector<Occurrence> found = occurrences_of(labels, text);
    report.occurrences = found.size();
    if (found.empty()) return;
    std::vector<std::string> gapped;
    for (const Occurrence& each : found) gapped.push_back(each.gapped);
    MemoryRows rows;
    rows.values = std::vector<MemoryColumn>{{model.parts().map.parts().inputs[term->input].name, std::span(gapped)}};
    const std::unique_ptr<Source> source = open_memory(std::move(rows));
    const TableLayout layout = model.parts().map.select_from(*source);
    FeatureMap::Unseen unseen;
    std::size_t i = 0, line_begin = 0;
    std::uint64_t line = 1;
    for (Table table; source->next(table, run);) {
      const Piece piece = model.parts().map.apply(table, layout, unseen);
      PieceRows piece_rows(piece);
      for (std::uint64_t r = 0; r < piece.rows; ++r, ++i) {
        const Occurrence& each = found[i];
        const Row x = piece_rows.row(r);
        const std::size_t label = predictor.predict(x).label;
        if (label == each.word) continue;
        Correction correction;
        if (likely) correction.probability = predictor.probabilities()[label];
        if (correction.probability && *correction.probability < options.sure) continue;
        for (std::size_t at = text.find('\n', line_begin); at < each.place.begin; at = text.find('\n', line_begin)) {
          line_begin = at + 1;
          ++line;
        }
        correction.line = line;
        correction.column = each.place.begin - line_begin + 1;
        correction.found = text.substr(each.place.begin, each.place.length);
        correction.instead = in_case_of(correction.found, labels[label]);
        correction.sentence = each.whole;
        const Explanation why = explain(model, x);
        const std::string* const row_of = row_label(model, why.model_row);
        const double sign = row_of == nullptr || *row_of == labels[label] ? 1.0 : -1.0;
        const std::string prefix = model.parts().map.parts().inputs[term->input].name + ":";
        for (const Contribution& part : why.contributions) {
          if (correction.reasons.size() == options.top) break;
          if (sign * part.contribution <= 0.0) continue;
          std::string name = model.parts().map.name(part.feature);
          if (name.starts_with(prefix)) name.erase(0, prefix.size());
          correction.reasons.emplace_back(std::move(name), sign * part.contribution);
        }
        report.corrections.push_back(std::move(correction));
      }
    }
  });
  return report;
}

}  // namespace plumb
