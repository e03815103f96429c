// A model from its file. The container's own checks are in tensor_file.cpp; here the parts are checked against one
// another: sizes first, then by the constructors of FeatureMap, Weights and LinearModel, last by check_saved. The JSON
// text is read in place, without a tree, so memory is that of the model it describes.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/model/description.h"
#include "plumb/model/how_read.h"
#include "plumb/model/model_check.h"
#include "plumb/model/model_file.h"
#include "plumb/model/tensor_file.h"

namespace plumb {
namespace {

constexpr std::array kLinks = {Link::identity, Link::sign, Link::logistic, Link::softmax, Link::vote, Link::log};
constexpr std::array kForms = {Weights::Form::dense, Weights::Form::sparse, Weights::Form::increments};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::model, what); }

// Concatenated texts: their bytes, and where each ends.
class StoredTexts {
 public:
  StoredTexts(std::string name, std::span<const std::uint8_t> bytes, std::span<const std::uint64_t> ends)
      : name_(std::move(name)), bytes_(bytes), ends_(ends) {}

  std::vector<std::string> take(std::uint64_t count) {
    std::vector<std::string> texts;
    texts.reserve(std::min<std::uint64_t>(count, ends_.size()));
    take(count, [&](std::string_view text) { texts.emplace_back(text); });
    return texts;
  }
  TextList take_terms(std::uint64_t count) {
    TextList texts;
    take(count, [&](std::string_view text) {
      if (!valid_utf8(text)) refuse("a term is not valid UTF-8");
      texts.add(text);
    });
    return texts;
  }
  std::vector<std::string> take_all() { return take(ends_.size()); }
  void nothing_left() const {
    if (!ends_.empty()) refuse("it holds " + name_ + " that belong to nothing");
    if (begin_ != bytes_.size()) refuse("the texts of " + name_ + " do not cover their bytes");
  }

 private:
  template <class Add>
  void take(std::uint64_t count, Add&& add) {
    if (count > ends_.size()) refuse("it claims more " + name_ + " than it holds");
    for (const std::uint64_t end : ends_.first(count)) {
      if (end < begin_ || end > bytes_.size()) refuse("the texts of " + name_ + " overlap");
      const auto text = bytes_.subspan(begin_, end - begin_);
      add(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
      begin_ = end;
    }
    ends_ = ends_.subspan(count);
  }

  std::string name_;
  std::span<const std::uint8_t> bytes_;
  std::span<const std::uint64_t> ends_;
  std::uint64_t begin_ = 0;
};

class Loader {
 public:
  explicit Loader(const TensorFile& file) : file_(file), description_(file.plumb()) {}

  SavedModel load() {
    read_version();
    if (description_.next_is("parts")) read_parts();
    rows_ = description_.whole("rows");
    features_ = description_.small("features");
    LinearModel::Parts parts;
    parts.link = description_.one_of("link", kLinks);
    const Weights::Form form = description_.one_of("weights", kForms);
    description_.enter("calibration");
    parts.calibration.slope = description_.number("slope");
    parts.calibration.offset = description_.number("offset");
    description_.leave();
    parts.threshold = description_.number("threshold");
    parts.map = read_map();
    Record record = read_record();
    while (const std::optional<std::string> key = description_.next_key()) {
      if (*key == kTarget && target_) {
        const std::string text = description_.reader().read_string();
        parts.target = TargetScale::of(Formula::parse(text));
        if (!parts.target || parts.target->formula().text() != text)
          refuse("the formula of its target, " + in_quotes(text) + ", has no inverse, or is not in its one form");
        continue;
      }
      if (*key == kBend && bend_) {
        parts.calibration.bend = Description::to_double(description_.reader().read_number());
        if (!(parts.calibration.bend > 0.0)) refuse("its part \"bend\" is not above 0");
        continue;
      }
      if (*key == kReading && optional_.contains(*key)) {
        record.reading = read_how_read(description_);
        continue;
      }
      if (*key == kSearch && optional_.contains(*key)) {
        description_.reader().enter_array();
        while (description_.reader().next_item()) record.search.push_back(description_.reader().read_string());
        continue;
      }
      if (!optional_.contains(*key))
        refuse("it has the member " + in_quotes(*key) + ", which this version does not know");
      description_.pass_over();
    }
    description_.reader().finish();
    if (target_ && !parts.target) refuse("its part \"target\" is missing");
    if (bend_ && parts.calibration.bend == 0.0) refuse("its part \"bend\" is missing");

    // The text's claims are checked against the file's content before anything of that size is made.
    if (parts.map.features() != features_)
      refuse("it claims " + counted(features_, "feature") + " and describes " + std::to_string(parts.map.features()));
    parts.bias = copy(file_.f64(list("bias")));
    if (parts.bias.size() != rows_)
      refuse("it claims " + counted(rows_, "row") + " and holds " + std::to_string(parts.bias.size()) + " biases");
    parts.weights = read_weights(form);
    StoredTexts labels = texts("labels");
    parts.labels = labels.take_all();
    labels.nothing_left();
    if (knots_) {
      parts.calibration.scores = copy(file_.f64(list("knots.scores")));
      parts.calibration.probabilities = copy(file_.f64(list("knots.probabilities")));
      if (parts.calibration.scores.empty()) refuse("its part \"knots\" is empty");
    }
    if (has("votes")) parts.votes = copy(file_.f64(list("votes")));
    if (has("vetoes.offsets"))
      parts.vetoes = {copy(file_.u64(list("vetoes.offsets"))), copy(file_.u32(list("vetoes.index"))),
                      copy(file_.i32(list("vetoes.values")))};
    if (has("vetoes.base")) parts.veto_base = copy(file_.i32(list("vetoes.base")));
    read_kept(record);
    for (const Tensor& tensor : file_.tensors())
      if (!used_.contains(tensor.name) && !optional_.contains(tensor.name.substr(0, tensor.name.find('.'))))
        refuse("it holds the tensor " + in_quotes(tensor.name) + ", which this version does not know");
    SavedModel saved{LinearModel(std::move(parts)), std::move(record)};
    check_saved(saved.model, saved.record);
    return saved;
  }

 private:
  // Schema and version come first in every version, so that a reader knows the version before it reads on.
  void read_version() {
    try {
      if (description_.text("schema") != kModelFileSchema) refuse("");
    } catch (const Error&) {
      refuse("it is a safetensors file, but not a plumb model");
    }
    const std::uint64_t version = description_.whole("version");
    if (version == 0 || version > kModelFileVersion)
      throw Error(ErrorCode::model,
                  "its format has version " + std::to_string(version) + "; this program reads versions up to " +
                      std::to_string(kModelFileVersion),
                  "use a newer plumb, or train again with this one");
  }

  // {"NAME":true,...}: what a later release has added to the format, and whether predictions need it. A part is the
  // member NAME after the record, and the tensors NAME and NAME.*. This release knows "reading" and "search", which are
  // not needed, and "target", "bend" and "knots", which are.
  void read_parts() {
    description_.reader().enter_object();
    while (const std::optional<std::string> name = description_.next_key()) {
      const bool needed = description_.reader().read_bool();
      if (bool* const known = needed ? needed_part(*name) : nullptr) {
        *known = true;
        continue;
      }
      if (needed)
        throw Error(ErrorCode::model,
                    "its predictions need the part " + in_quotes(*name) + ", which this version does not know",
                    "use a newer plumb, or train again with this one");
      if (optional_.size() == kMostParts) refuse("it has more than " + std::to_string(kMostParts) + " parts");
      optional_.insert(*name);
    }
  }

  bool* needed_part(const std::string& name) {
    return name == kTarget ? &target_ : name == kBend ? &bend_ : name == kKnots ? &knots_ : nullptr;
  }

  bool has(std::string_view name) const { return file_.find(name) != nullptr; }

  // The name of a tensor that is used, and must have one dimension if it is there.
  const std::string& list(const std::string& name) {
    used_.insert(name);
    const Tensor* tensor = file_.find(name);
    if (tensor != nullptr && tensor->shape.size() != 1)
      refuse("tensor " + in_quotes(name) + " has " + counted(tensor->shape.size(), "dimension") + ", expected one");
    return name;
  }
  // Likewise, with a row of features for each row of the model.
  const std::string& matrix(const std::string& name) {
    used_.insert(name);
    const Tensor* tensor = file_.find(name);
    if (tensor != nullptr && tensor->shape != std::vector<std::uint64_t>{rows_, features_})
      refuse("tensor " + in_quotes(name) + " has another shape, expected [" + std::to_string(rows_) + "," +
             std::to_string(features_) + "]");
    return name;
  }
  StoredTexts texts(const std::string& name) {
    return {name, file_.u8(list(name + ".bytes")), file_.u64(list(name + ".ends"))};
  }
  template <class T>
  static std::vector<T> copy(std::span<const T> elements) {
    return {elements.begin(), elements.end()};
  }

  Weights read_weights(Weights::Form form) {
    if (form == Weights::Form::dense) return Weights::dense(rows_, features_, copy(file_.f64(matrix("weights"))));
    SparseRows<double> rows{copy(file_.u64(list("weights.offsets"))), copy(file_.u32(list("weights.index"))),
                            copy(file_.f64(list("weights.values")))};
    return form == Weights::Form::sparse ? Weights::sparse(rows_, features_, std::move(rows))
                                         : Weights::increments(rows_, features_, std::move(rows), read_chains());
  }

  std::vector<std::uint32_t> read_chains() {
    if (!has("weights.chains")) return {};
    return copy(file_.u32(list("weights.chains")));
  }

  FeatureMap read_map() {
    FeatureMap::Parts parts;
    StoredTexts levels = texts("levels");
    JsonReader& marks = description_.at("na");
    marks.enter_array();
    while (marks.next_item()) parts.na.push_back(marks.read_string());
    JsonReader& inputs = description_.at("inputs");
    inputs.enter_array();
    while (inputs.next_item()) {
      inputs.enter_object();
      FeatureMap::Input input{description_.text("name"), Kind::number, {}};
      const std::string kind = description_.text("kind");
      if (kind == kind_name(Kind::category) || kind == kind_name(Kind::sparse)) {
        input.kind = kind == kind_name(Kind::category) ? Kind::category : Kind::sparse;
        input.levels = levels.take(description_.whole("levels"));
      } else if (kind == kind_name(Kind::date) || kind == kind_name(Kind::text)) {
        input.kind = kind == kind_name(Kind::date) ? Kind::date : Kind::text;
      } else if (kind != kind_name(Kind::number)) {
        refuse("a column is of kind " + in_quotes(kind) + ", which this version does not know");
      }
      if (!holds_numbers(input.kind)) {
        description_.leave();
      } else if (const std::optional<std::string> key = description_.next_key()) {
        if (*key != "fill") refuse("a column of numbers has the member " + in_quotes(*key));
        input.fill = Description::to_double(inputs.read_number());
        description_.leave();
      }
      parts.inputs.push_back(std::move(input));
    }
    levels.nothing_left();
    JsonReader& terms = description_.at("terms");
    terms.enter_array();
    std::unordered_map<std::string, std::uint32_t> places;
    for (const FeatureMap::Input& input : parts.inputs)
      places.emplace(input.name, static_cast<std::uint32_t>(places.size()));
    while (terms.next_item()) parts.terms.push_back(read_term(terms, places));
    read_texts();
    if (has("scale.units"))
      parts.scale = {copy(file_.f64(list("scale.centres"))), copy(file_.f64(list("scale.units")))};
    return FeatureMap(std::move(parts));
  }

  // {"product":[[input,power],...]}, {"formula":text}, {"category":[input]} or {"category":[input,base]}, or
  // {"cross":[side,side,...]} with sides as those of a category, {"entries":input} (also "present" or "squared" for
  // "entries"), {"text":{...}}, {"offset":input} or {"missing":input}.
  Term read_term(JsonReader& reader, const std::unordered_map<std::string, std::uint32_t>& inputs) {
    reader.enter_object();
    const std::string key = description_.next_key().value_or("");
    Term term;
    if (key == "product") {
      ProductTerm product;
      reader.enter_array();
      while (reader.next_item()) {
        const std::vector<std::uint32_t> pair = read_numbers(reader, 2, 2);
        product.powers.push_back({pair[0], pair[1]});
      }
      term = std::move(product);
    } else if (key == "formula") {
      term = read_formula(reader.read_string(), inputs);
    } else if (key == "category") {
      term = read_side(reader);
    } else if (key == "cross") {
      CrossTerm cross;
      reader.enter_array();
      for (CategoryTerm* const side : {&cross.left, &cross.right}) {
        if (!reader.next_item()) refuse("a cross has one side");
        *side = read_side(reader);
      }
      while (reader.next_item()) cross.more.push_back(read_side(reader));
      term = cross;
    } else if (key == "entries") {
      term = EntriesTerm{Description::narrowed(reader)};
    } else if (key == "present") {
      term = EntriesTerm{Description::narrowed(reader), EntryForm::presence};
    } else if (key == "squared") {
      term = EntriesTerm{Description::narrowed(reader), EntryForm::with_square};
    } else if (key == "text") {
      term = read_text(reader);
    } else if (key == "offset") {
      term = OffsetTerm{Description::narrowed(reader)};
    } else if (key == "missing") {
      term = MissingTerm{Description::narrowed(reader)};
    } else {
      refuse("a term is " + in_quotes(key) +
             ", expected a product, formula, category, cross, entries, text, offset or missing");
    }
    description_.leave();
    return term;
  }

  // Its texts are read later, when their number is known.
  TextTerm read_text(JsonReader& reader) {
    TextTerm term;
    PendingBag& pending = pending_.emplace_back();
    BagOfWords& bag = *pending.bag;
    term.bag = pending.bag;
    reader.enter_object();
    term.input = description_.small("input");
    bag.rules.tokens = choice_named<Tokens>(description_.text("tokens"));
    bag.rules.min_length = description_.small("min_length");
    const std::vector<std::uint32_t> ngrams = read_numbers(description_.at("ngrams"), 2, 2);
    bag.rules.shortest_ngram = ngrams[0];
    bag.rules.longest_ngram = ngrams[1];
    bag.rules.lowercase = description_.truth("lowercase");
    bag.rules.stem = description_.text("stem");
    bag.rules.html = description_.truth("html");
    bag.positions = description_.small("positions");
    if (description_.next_is("mail")) bag.rules.mail = choice_named<Mail>(reader.read_string());
    if (description_.next_is("gap")) bag.rules.gap = Description::narrowed(reader);
    pending.stop_words = description_.whole("stop_words");
    bag.weighting.binary = description_.truth("binary");
    bag.weighting.sublinear = description_.truth("sublinear");
    bag.weighting.idf = description_.truth("idf");
    bag.weighting.norm = choice_named<RowNorm>(description_.text("norm"));
    bag.hash_bits = description_.small("hash_bits");
    pending.terms = description_.whole("terms");
    bag.documents = description_.whole("documents");
    description_.leave();
    return term;
  }

  void read_texts() {
    if (pending_.empty()) return;
    StoredTexts list = texts("terms");
    std::span<const std::uint64_t> frequencies;
    if (has("document_frequencies")) frequencies = file_.u64(this->list("document_frequencies"));
    for (PendingBag& pending : pending_) {
      BagOfWords& bag = *pending.bag;
      bag.rules.stop_words = list.take(pending.stop_words);
      TextList found = list.take_terms(pending.terms);
      if (bag.hash_bits > 0)
        bag.names = std::move(found);
      else
        bag.vocabulary = std::make_shared<const Vocabulary>(std::move(found));
      if (!bag.weighting.idf) continue;
      if (pending.terms > frequencies.size()) refuse("it claims more document frequencies than it holds");
      bag.document_frequency = copy(frequencies.first(pending.terms));
      frequencies = frequencies.subspan(pending.terms);
    }
    list.nothing_left();
    if (!frequencies.empty()) refuse("it holds document frequencies that belong to nothing");
  }

  static FormulaTerm read_formula(const std::string& text,
                                  const std::unordered_map<std::string, std::uint32_t>& inputs) {
    FormulaTerm term{Formula::parse(text), {}};
    if (term.formula.text() != text) refuse("the formula " + in_quotes(text) + " is not in its one form");
    for (const std::string& column : term.formula.columns()) {
      const auto found = inputs.find(column);
      if (found == inputs.end()) refuse("a formula names column " + in_quotes(column) + ", which is no input");
      term.inputs.push_back(found->second);
    }
    return term;
  }

  static CategoryTerm read_side(JsonReader& reader) {
    const std::vector<std::uint32_t> numbers = read_numbers(reader, 1, 2);
    CategoryTerm term{numbers[0], {}};
    if (numbers.size() == 2) term.base = numbers[1];
    return term;
  }

  static std::vector<std::uint32_t> read_numbers(JsonReader& reader, std::size_t least, std::size_t most) {
    std::vector<std::uint32_t> numbers;
    reader.enter_array();
    while (reader.next_item()) {
      if (numbers.size() == most) refuse("a term holds too many numbers");
      numbers.push_back(Description::narrowed(reader));
    }
    if (numbers.size() < least) refuse("a term holds too few numbers");
    return numbers;
  }

  std::optional<std::string> next_name(std::size_t so_far) {
    std::optional<std::string> name = description_.next_key();
    if (name && so_far == kMostNamed) refuse("its record holds more than " + std::to_string(kMostNamed) + " names");
    return name;
  }

  Record read_record() {
    Record record;
    description_.enter("record");
    record.model = description_.text("model");
    record.solver = description_.text("solver");
    record.target = description_.text("target");
    description_.enter("options");
    while (std::optional<std::string> name = next_name(record.options.size()))
      record.options.emplace_back(std::move(*name), description_.reader().read_string());
    record.seed = description_.whole("seed");
    record.data_digest = description_.text("data_digest");
    record.train_rows = description_.whole("train_rows");
    record.test_rows = description_.whole("test_rows");
    record.converged = description_.truth("converged");
    record.iterations = description_.whole("iterations");
    record.objective = description_.number("objective");
    description_.enter("certificate");
    record.certificate.kind = description_.text("kind");
    record.certificate.value = description_.number("value");
    description_.leave();
    description_.enter("fit");
    while (std::optional<std::string> name = next_name(record.fit.size()))
      record.fit.emplace_back(std::move(*name), Description::to_double(description_.reader().read_number()));
    description_.leave();
    return record;
  }

  // The record's tensors.
  void read_kept(Record& record) {
    if (has("aliased")) record.aliased = copy(file_.u32(list("aliased")));
    if (has("standard_errors.bias")) record.standard_errors.bias = copy(file_.f64(list("standard_errors.bias")));
    if (has("standard_errors.weights"))
      record.standard_errors.weights = copy(file_.f64(matrix("standard_errors.weights")));
    for (const Tensor& tensor : file_.tensors()) {
      if (!tensor.name.starts_with(kStatisticPrefix)) continue;
      used_.insert(tensor.name);
      Statistic statistic{tensor.name.substr(kStatisticPrefix.size()), tensor.shape, {}};
      if (tensor.type == TensorType::i64)
        statistic.values = copy(file_.i64(tensor.name));
      else
        statistic.values = copy(file_.f64(tensor.name));
      record.statistics.push_back(std::move(statistic));
    }
  }

  const TensorFile& file_;
  Description description_;
  std::uint64_t rows_ = 0;
  std::uint32_t features_ = 0;
  std::unordered_set<std::string> used_;
  bool target_ = false, bend_ = false, knots_ = false;  // whether the part of that name is declared
  static constexpr std::string_view kReading = "reading", kTarget = "target", kSearch = "search", kBend = "bend",
                                    kKnots = "knots";
  static constexpr std::size_t kMostParts = 1000;
  std::unordered_set<std::string> optional_;  // unknown parts that predictions do not need
  // A bag of words without its texts, and their number.
  struct PendingBag {
    std::shared_ptr<BagOfWords> bag = std::make_shared<BagOfWords>();
    std::uint64_t stop_words = 0;
    std::uint64_t terms = 0;
  };
  std::vector<PendingBag> pending_;
};

SavedModel model_in(const TensorFile& file) {
  try {
    return Loader(file).load();
  } catch (const Error& error) {
    throw Error(ErrorCode::model, file.place(), "is not a model this program can use: " + error.message(),
                error.hint());
  }
}

}  // namespace

SavedModel parse_model(std::string bytes, const std::string& file) {
  return model_in(TensorFile::parse(std::move(bytes), {file}));
}

SavedModel load_model(const std::string& path) { return model_in(TensorFile::load(path)); }

}  // namespace plumb
