// A model as tensors and one JSON text. Writing makes the same checks as reading (model_check.cpp), so a saved model
// can be loaded. Reading is in model_parse.cpp.
#include "plumb/model/model_file.h"

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/json_writer.h"
#include "plumb/model/how_read.h"
#include "plumb/model/model_check.h"
#include "plumb/model/tensor_file.h"

namespace plumb {
namespace {

// Collects tensors; the vectors they view live in the model, the record, or in JoinedTexts.
class TensorList {
 public:
  template <class T>
  void add(std::string name, TensorType type, std::vector<std::uint64_t> shape, std::span<const T> elements) {
    tensors_.push_back({std::move(name), type, std::move(shape), std::as_bytes(elements)});
  }
  void add(const std::string& name, const std::vector<double>& v) {
    add(name, TensorType::f64, {v.size()}, std::span(v));
  }
  void add(const std::string& name, const std::vector<std::uint64_t>& v) {
    add(name, TensorType::u64, {v.size()}, std::span(v));
  }
  void add(const std::string& name, const std::vector<std::uint32_t>& v) {
    add(name, TensorType::u32, {v.size()}, std::span(v));
  }
  void add(const std::string& name, const std::vector<std::int32_t>& v) {
    add(name, TensorType::i32, {v.size()}, std::span(v));
  }
  template <class Value>
  void add(const std::string& name, const SparseRows<Value>& rows) {
    add(name + ".offsets", rows.offsets);
    add(name + ".index", rows.index);
    add(name + ".values", rows.values);
  }
  void add(const Statistic& statistic) {
    const auto add_numbers = [&](TensorType type, const auto& values) {
      add(std::string(kStatisticPrefix) + statistic.name, type, statistic.shape, std::span(values));
    };
    if (const auto* counts = std::get_if<std::vector<std::int64_t>>(&statistic.values))
      add_numbers(TensorType::i64, *counts);
    else
      add_numbers(TensorType::f64, std::get<std::vector<double>>(statistic.values));
  }
  std::span<const Tensor> tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

// Many texts as their bytes one after another, and where each ends.
struct JoinedTexts {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;

  void add(std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(bytes.size());
  }
  void add(const TextList& texts) {
    const std::uint64_t before = bytes.size();
    bytes.insert(bytes.end(), texts.bytes().begin(), texts.bytes().end());
    ends.reserve(ends.size() + texts.size());
    for (const std::uint64_t end : texts.ends()) ends.push_back(before + end);
  }
  void add_to(TensorList& list, const std::string& name) const {
    list.add(name + ".bytes", TensorType::u8, {bytes.size()}, std::span(bytes));
    list.add(name + ".ends", ends);
  }
};

template <class Choice>
std::string_view name_in(Choice choice) {
  return EnumNames<Choice>::names[static_cast<std::size_t>(choice)];
}

// [input], or [input, base].
void write_side(JsonWriter& json, const CategoryTerm& term) {
  json.begin_array().value(term.input);
  if (term.base) json.value(*term.base);
  json.end_array();
}

// Long data are in tensors: terms and stop words, document frequencies.
void write_text(JsonWriter& json, const TextTerm& term) {
  const BagOfWords& bag = *term.bag;
  const TokenRules& rules = bag.rules;
  json.key("text").begin_object().member("input", term.input);
  json.member("tokens", name_in(rules.tokens)).member("min_length", rules.min_length);
  json.key("ngrams").begin_array().value(rules.shortest_ngram).value(rules.longest_ngram).end_array();
  json.member("lowercase", rules.lowercase).member("stem", rules.stem).member("html", rules.html);
  json.member("positions", bag.positions);
  if (rules.mail != Mail::none) json.member("mail", name_in(rules.mail));
  if (rules.gap > 0) json.member("gap", rules.gap);
  json.member("stop_words", rules.stop_words.size());
  json.member("binary", bag.weighting.binary).member("sublinear", bag.weighting.sublinear);
  json.member("idf", bag.weighting.idf).member("norm", name_in(bag.weighting.norm));
  json.member("hash_bits", bag.hash_bits).member("terms", bag.texts().size()).member("documents", bag.documents);
  json.end_object();
}

void write_map(JsonWriter& json, const FeatureMap::Parts& map) {
  json.key("na").begin_array();
  for (const std::string& text : map.na) json.value(text);
  json.end_array().key("inputs").begin_array();
  for (const FeatureMap::Input& input : map.inputs) {
    json.begin_object().member("name", input.name).member("kind", kind_name(input.kind));
    if (!holds_numbers(input.kind) && input.kind != Kind::text) json.member("levels", input.levels.size());
    if (input.fill) json.member("fill", *input.fill);
    json.end_object();
  }
  json.end_array().key("terms").begin_array();
  for (const Term& term : map.terms) {
    json.begin_object();
    std::visit(Cases{[&](const ProductTerm& product) {
                       json.key("product").begin_array();
                       for (const Power& each : product.powers)
                         json.begin_array().value(each.input).value(each.power).end_array();
                       json.end_array();
                     },
                     [&](const FormulaTerm& formula) { json.member("formula", formula.formula.text()); },
                     [&](const CategoryTerm& category) {
                       json.key("category");
                       write_side(json, category);
                     },
                     [&](const CrossTerm& cross) {
                       json.key("cross").begin_array();
                       for (const CategoryTerm& each : cross.sides()) write_side(json, each);
                       json.end_array();
                     },
                     [&](const EntriesTerm& entries) {
                       constexpr std::string_view keys[] = {"entries", "present", "squared"};
                       json.member(keys[static_cast<std::size_t>(entries.form)], entries.input);
                     },
                     [&](const TextTerm& text) { write_text(json, text); },
                     [&](const MissingTerm& missing) { json.member("missing", missing.input); },
                     [&](const OffsetTerm& offset) { json.member("offset", offset.input); }},
               term);
    json.end_object();
  }
  json.end_array();
}

void write_record(JsonWriter& json, const Record& record) {
  json.key("record").begin_object();
  json.member("model", record.model).member("solver", record.solver).member("target", record.target);
  json.key("options").begin_object();
  for (const auto& [name, text] : record.options) json.member(name, text);
  json.end_object();
  json.member("seed", record.seed).member("data_digest", record.data_digest);
  json.member("train_rows", record.train_rows).member("test_rows", record.test_rows);
  json.member("converged", record.converged)
      .member("iterations", record.iterations)
      .member("objective", record.objective);
  json.key("certificate")
      .begin_object()
      .member("kind", record.certificate.kind)
      .member("value", record.certificate.value)
      .end_object();
  json.key("fit").begin_object();
  for (const auto& [name, value] : record.fit) json.member(name, value);
  json.end_object().end_object();
}

std::string description(const LinearModel& model, const Record& record) {
  const LinearModel::Parts& parts = model.parts();
  JsonWriter json;
  json.begin_object().member("schema", kModelFileSchema).member("version", kModelFileVersion);
  const Calibration& calibration = parts.calibration;
  if (record.reading || parts.target || !record.search.empty() || calibration.bend > 0.0 ||
      !calibration.scores.empty()) {
    json.key("parts").begin_object();
    if (record.reading) json.member("reading", false);
    if (parts.target) json.member("target", true);
    if (!record.search.empty()) json.member("search", false);
    if (calibration.bend > 0.0) json.member("bend", true);
    if (!calibration.scores.empty()) json.member("knots", true);
    json.end_object();
  }
  json.member("rows", model.rows()).member("features", model.features());
  json.member("link", name_of(parts.link)).member("weights", name_of(parts.weights.form()));
  json.key("calibration")
      .begin_object()
      .member("slope", calibration.slope)
      .member("offset", calibration.offset)
      .end_object();
  json.member("threshold", parts.threshold);
  write_map(json, parts.map.parts());
  write_record(json, record);
  if (record.reading) write_how_read(json, *record.reading);
  if (parts.target) json.member("target", parts.target->formula().text());
  if (!record.search.empty()) {
    json.key("search").begin_array();
    for (const std::string& line : record.search) json.value(line);
    json.end_array();
  }
  if (calibration.bend > 0.0) json.member("bend", calibration.bend);
  json.end_object();
  return json.take();
}

}  // namespace

std::string model_bytes(const LinearModel& model, const Record& record) {
  const LinearModel::Parts& parts = model.parts();
  const auto by_row = [&](In numbers, std::string name, TensorList& list) {
    list.add(std::move(name), TensorType::f64, {model.rows(), model.features()}, numbers);
  };
  try {
    check_saved(model, record);
    TensorList list;
    JoinedTexts labels, levels;
    if (parts.weights.form() == Weights::Form::dense)
      by_row(parts.weights.dense_values(), "weights", list);
    else
      list.add("weights", parts.weights.sparse_values());
    if (!parts.weights.chains().empty()) list.add("weights.chains", parts.weights.chains());
    list.add("bias", parts.bias);
    if (!parts.votes.empty()) list.add("votes", parts.votes);
    if (!parts.calibration.scores.empty()) {
      list.add("knots.scores", parts.calibration.scores);
      list.add("knots.probabilities", parts.calibration.probabilities);
    }
    if (model.has_vetoes()) list.add("vetoes", parts.vetoes);
    if (!parts.veto_base.empty()) list.add("vetoes.base", parts.veto_base);
    for (const std::string& label : parts.labels) labels.add(label);
    labels.add_to(list, "labels");
    for (const FeatureMap::Input& input : parts.map.parts().inputs)
      for (const std::string& level : input.levels) levels.add(level);
    levels.add_to(list, "levels");
    JoinedTexts terms;  // for texts: stop words, then terms
    std::vector<std::uint64_t> frequencies;
    bool any_texts = false;
    for (const Term& each : parts.map.parts().terms) {
      const TextTerm* const term = std::get_if<TextTerm>(&each);
      if (term == nullptr) continue;
      any_texts = true;
      const BagOfWords& bag = *term->bag;
      for (const std::string& word : bag.rules.stop_words) terms.add(word);
      terms.add(bag.texts());
      frequencies.insert(frequencies.end(), bag.document_frequency.begin(), bag.document_frequency.end());
    }
    if (any_texts) terms.add_to(list, "terms");
    if (!frequencies.empty()) list.add("document_frequencies", frequencies);
    if (!parts.map.parts().scale.empty()) {
      list.add("scale.centres", parts.map.parts().scale.centres);
      list.add("scale.units", parts.map.parts().scale.units);
    }
    if (!record.aliased.empty()) list.add("aliased", record.aliased);
    if (!record.standard_errors.bias.empty()) list.add("standard_errors.bias", record.standard_errors.bias);
    if (!record.standard_errors.weights.empty())
      by_row(record.standard_errors.weights, "standard_errors.weights", list);
    for (const Statistic& statistic : record.statistics) list.add(statistic);
    return write_tensor_file(description(model, record), list.tensors());
  } catch (const Error& error) {
    throw Error(ErrorCode::model, "the model cannot be saved: " + error.message(), error.hint());
  }
}

void save_model(const std::string& path, const LinearModel& model, const Record& record) {
  write_file_atomically(path, model_bytes(model, record));
}

}  // namespace plumb
