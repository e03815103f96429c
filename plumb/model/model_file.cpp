// A model as tensors and one JSON text, and back. The container's own checks are in tensor_file.cpp; here the parts are
// checked against one another, first by size, then by the constructors of FeatureMap, Weights and LinearModel.
#include "plumb/model/model_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/json.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/model/tensor_file.h"

namespace plumb {
namespace {

constexpr std::string_view kSchema = "plumb-model";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 40;
constexpr std::string_view kStatistics = "statistics.";

constexpr std::array kLinks = {Link::identity, Link::sign, Link::logistic, Link::softmax, Link::vote};
constexpr std::array kForms = {Weights::Form::dense, Weights::Form::sparse, Weights::Form::increments};

// ---- writing

// Collects tensors; the vectors they view live in the model, the record, or in `texts`.
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
  std::span<const Tensor> tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

// Many texts as their bytes one after another, and where each ends.
struct TextTable {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;

  void add(const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(bytes.size());
  }
  void add_to(TensorList& list, const std::string& name) const {
    list.add(name + ".bytes", TensorType::u8, {bytes.size()}, std::span(bytes));
    list.add(name + ".ends", ends);
  }
};

void write_map(JsonWriter& json, const FeatureMap::Parts& map) {
  json.key("inputs").begin_array();
  for (const FeatureMap::Input& input : map.inputs) {
    json.begin_object().member("name", input.name).member("kind", kind_name(input.kind));
    if (input.kind == Kind::category) json.member("levels", input.levels.size());
    json.end_object();
  }
  json.end_array().key("terms").begin_array();
  for (const FeatureMap::Term& term : map.terms) {
    json.begin_object();
    if (term.one_hot()) {
      json.member("category", term.category);
      if (term.base) json.member("base", *term.base);
    } else {
      json.key("product").begin_array();
      for (const FeatureMap::Power& power : term.product)
        json.begin_array().value(power.input).value(power.power).end_array();
      json.end_array();
    }
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

// ---- reading

// A JSON object of which every member must be asked for: what is left over is refused.
class Members {
 public:
  explicit Members(const JsonValue& object) : object_(object) { static_cast<void>(object.members()); }

  const JsonValue& at(std::string_view key) {
    ++asked_;
    return object_.at(key);
  }
  const JsonValue* find(std::string_view key) {
    const JsonValue* found = object_.find(key);
    asked_ += found != nullptr;
    return found;
  }
  void nothing_else() const {
    if (asked_ != object_.members().size())
      throw JsonFault(object_.offset(), "an object has members that this version does not know");
  }

 private:
  const JsonValue& object_;
  std::size_t asked_ = 0;
};

std::uint32_t as_u32(const JsonValue& value) {
  const std::uint64_t number = value.as_u64();
  if (number > std::numeric_limits<std::uint32_t>::max()) throw JsonFault(value.offset(), "a number is too large");
  return static_cast<std::uint32_t>(number);
}

template <class Entry, std::size_t n>
Entry by_name(const JsonValue& value, const std::array<Entry, n>& entries) {
  for (const Entry entry : entries)
    if (name_of(entry) == value.as_string()) return entry;
  throw JsonFault(value.offset(), in_quotes(value.as_string()) + " is not known to this version");
}

class Loader {
 public:
  explicit Loader(const TensorFile& file) : file_(file) {}

  SavedModel load() {
    const JsonValue document = parse_json(file_.plumb());
    check_version(document);
    Members members(document);
    for (const std::string_view key : {"schema", "version"}) static_cast<void>(members.at(key));
    LinearModel::Parts parts;
    rows_ = members.at("rows").as_u64();
    features_ = as_u32(members.at("features"));
    if (rows_ >= kLargestFile) refuse("it claims too many rows");
    parts.link = by_name(members.at("link"), kLinks);
    parts.map = FeatureMap(read_map(members));
    parts.weights = read_weights(by_name(members.at("weights"), kForms));
    parts.bias = numbers("bias", rows_);
    parts.labels = texts("labels");
    if (has("votes")) parts.votes = numbers("votes", rows_);
    if (has("vetoes.offsets")) parts.vetoes = sparse_rows<std::int32_t>("vetoes");
    Members calibration(members.at("calibration"));
    parts.calibration = {calibration.at("slope").as_double(), calibration.at("offset").as_double()};
    calibration.nothing_else();
    parts.threshold = members.at("threshold").as_double();
    Record record = read_record(members.at("record"));
    members.nothing_else();
    if (used_.size() != file_.tensors().size()) refuse("it holds tensors that this version does not know");
    return {LinearModel(std::move(parts)), std::move(record)};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorCode::model, what); }

  void check_version(const JsonValue& document) const {
    const JsonValue* schema = document.find("schema");
    if (schema == nullptr || schema->kind() != JsonKind::string || schema->as_string() != kSchema)
      refuse("it is a safetensors file, but not a plumb model");
    const std::uint64_t version = document.at("version").as_u64();
    if (version == 0 || version > kModelFileVersion)
      throw Error(ErrorCode::model,
                  "its format has version " + std::to_string(version) + "; this program reads versions up to " +
                      std::to_string(kModelFileVersion),
                  "use a newer plumb, or train again with this one");
  }

  bool has(std::string_view name) const { return file_.find(name) != nullptr; }
  std::string_view use(std::string_view name) {
    used_.insert(std::string(name));
    return name;
  }

  template <class T>
  static std::vector<T> copy(std::span<const T> elements) {
    return {elements.begin(), elements.end()};
  }

  std::vector<double> numbers(std::string_view name, std::uint64_t count) {
    const std::span<const double> found = file_.f64(use(name));
    if (found.size() != count)
      refuse("tensor " + std::string(name) + " has " + std::to_string(found.size()) + " numbers; " +
             std::to_string(count) + " were expected");
    return copy(found);
  }

  std::vector<std::string> texts(const std::string& name) {
    const std::span<const std::uint8_t> bytes = file_.u8(use(name + ".bytes"));
    const std::span<const std::uint64_t> ends = file_.u64(use(name + ".ends"));
    std::vector<std::string> result;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      if (end < begin || end > bytes.size()) refuse("the texts of " + name + " overlap");
      result.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                          bytes.begin() + static_cast<std::ptrdiff_t>(end));
      if (!valid_utf8(result.back())) refuse("a text of " + name + " is not valid UTF-8");
      begin = end;
    }
    if (begin != bytes.size()) refuse("the texts of " + name + " do not cover their bytes");
    return result;
  }

  template <class Value>
  SparseRows<Value> sparse_rows(const std::string& name) {
    SparseRows<Value> rows;
    rows.offsets = copy(file_.u64(use(name + ".offsets")));
    rows.index = copy(file_.u32(use(name + ".index")));
    if constexpr (std::is_same_v<Value, double>) {
      rows.values = copy(file_.f64(use(name + ".values")));
    } else {
      rows.values = copy(file_.i32(use(name + ".values")));
    }
    return rows;
  }

  Weights read_weights(Weights::Form form) {
    if (form == Weights::Form::dense) {
      const std::span<const double> values = file_.f64(use("weights"));
      return Weights::dense(rows_, features_, copy(values));
    }
    SparseRows<double> rows = sparse_rows<double>("weights");
    return form == Weights::Form::sparse ? Weights::sparse(rows_, features_, std::move(rows))
                                         : Weights::increments(rows_, features_, std::move(rows));
  }

  FeatureMap::Parts read_map(Members& members) {
    FeatureMap::Parts parts;
    const std::vector<std::string> levels = texts("levels");
    std::size_t next_level = 0;
    for (const JsonValue& item : members.at("inputs").items()) {
      Members each(item);
      FeatureMap::Input input{each.at("name").as_string(), Kind::number, {}};
      const std::string& kind = each.at("kind").as_string();
      if (kind == kind_name(Kind::category)) {
        input.kind = Kind::category;
        const std::uint64_t count = each.at("levels").as_u64();
        if (count > levels.size() - next_level) refuse("it claims more levels than it holds");
        input.levels.assign(levels.begin() + static_cast<std::ptrdiff_t>(next_level),
                            levels.begin() + static_cast<std::ptrdiff_t>(next_level + count));
        next_level += count;
      } else if (kind != kind_name(Kind::number)) {
        refuse("a column is of kind " + in_quotes(kind) + ", which this version does not know");
      }
      each.nothing_else();
      parts.inputs.push_back(std::move(input));
    }
    if (next_level != levels.size()) refuse("it holds levels of no column");
    for (const JsonValue& item : members.at("terms").items()) parts.terms.push_back(read_term(item));
    return parts;
  }

  static FeatureMap::Term read_term(const JsonValue& item) {
    Members each(item);
    FeatureMap::Term term;
    if (const JsonValue* product = each.find("product")) {
      for (const JsonValue& power : product->items()) {
        const std::vector<JsonValue>& pair = power.items();
        if (pair.size() != 2) throw JsonFault(power.offset(), "a power is not a pair of numbers");
        term.product.push_back({as_u32(pair[0]), as_u32(pair[1])});
      }
      if (term.product.empty()) throw JsonFault(product->offset(), "a product has no factors");
    } else {
      term.category = as_u32(each.at("category"));
      if (const JsonValue* base = each.find("base")) term.base = as_u32(*base);
    }
    each.nothing_else();
    return term;
  }

  Record read_record(const JsonValue& value) {
    Members members(value);
    Record record;
    record.model = members.at("model").as_string();
    record.solver = members.at("solver").as_string();
    record.target = members.at("target").as_string();
    for (const JsonMember& option : members.at("options").members())
      record.options.emplace_back(option.key, option.value.as_string());
    record.seed = members.at("seed").as_u64();
    record.data_digest = members.at("data_digest").as_string();
    record.train_rows = members.at("train_rows").as_u64();
    record.test_rows = members.at("test_rows").as_u64();
    record.converged = members.at("converged").as_bool();
    record.iterations = members.at("iterations").as_u64();
    record.objective = members.at("objective").as_double();
    Members certificate(members.at("certificate"));
    record.certificate = {certificate.at("kind").as_string(), certificate.at("value").as_double()};
    certificate.nothing_else();
    for (const JsonMember& each : members.at("fit").members())
      record.fit.emplace_back(each.key, each.value.as_double());
    members.nothing_else();

    if (has("aliased")) {
      record.aliased = copy(file_.u32(use("aliased")));
      for (const std::uint32_t feature : record.aliased)
        if (feature >= features_) refuse("an aliased feature is not there");
    }
    if (has("standard_errors.bias")) record.standard_errors.bias = numbers("standard_errors.bias", rows_);
    if (has("standard_errors.weights")) {
      const std::span<const double> found = file_.f64(use("standard_errors.weights"));
      if (features_ == 0 ? !found.empty() : found.size() / features_ != rows_ || found.size() % features_ != 0)
        refuse("the standard errors are not rows times features");
      record.standard_errors.weights = copy(found);
    }
    for (const Tensor& tensor : file_.tensors())
      if (tensor.name.starts_with(kStatistics))
        record.statistics.emplace_back(tensor.name.substr(kStatistics.size()), copy(file_.f64(use(tensor.name))));
    return record;
  }

  const TensorFile& file_;
  std::uint64_t rows_ = 0;
  std::uint32_t features_ = 0;
  std::unordered_set<std::string> used_;
};

}  // namespace

std::string model_bytes(const LinearModel& model, const Record& record) {
  const LinearModel::Parts& parts = model.parts();
  JsonWriter json;
  json.begin_object().member("schema", kSchema).member("version", kModelFileVersion);
  json.member("rows", model.rows()).member("features", model.features());
  json.member("link", name_of(parts.link)).member("weights", name_of(parts.weights.form()));
  json.key("calibration")
      .begin_object()
      .member("slope", parts.calibration.slope)
      .member("offset", parts.calibration.offset)
      .end_object();
  json.member("threshold", parts.threshold);
  write_map(json, parts.map.parts());
  write_record(json, record);
  json.end_object();

  TensorList list;
  TextTable labels, levels;
  if (parts.weights.form() == Weights::Form::dense)
    list.add("weights", TensorType::f64, {model.rows(), model.features()}, parts.weights.dense_values());
  else
    list.add("weights", parts.weights.sparse_values());
  list.add("bias", parts.bias);
  if (!parts.votes.empty()) list.add("votes", parts.votes);
  if (model.has_vetoes()) list.add("vetoes", parts.vetoes);
  for (const std::string& label : parts.labels) labels.add(label);
  labels.add_to(list, "labels");
  for (const FeatureMap::Input& input : parts.map.parts().inputs)
    for (const std::string& level : input.levels) levels.add(level);
  levels.add_to(list, "levels");
  if (!record.aliased.empty()) list.add("aliased", record.aliased);
  if (!record.standard_errors.bias.empty()) list.add("standard_errors.bias", record.standard_errors.bias);
  if (!record.standard_errors.weights.empty())
    list.add("standard_errors.weights", TensorType::f64, {model.rows(), model.features()},
             std::span<const double>(record.standard_errors.weights));
  for (const auto& [name, values] : record.statistics) list.add(std::string(kStatistics) + name, values);
  return write_tensor_file(json.take(), list.tensors());
}

SavedModel parse_model(std::string bytes, const std::string& file) {
  const Place place{file};
  const TensorFile tensors = TensorFile::parse(std::move(bytes), place);
  try {
    return Loader(tensors).load();
  } catch (const Error& error) {
    throw Error(ErrorCode::model, place, "is not a model this program can use: " + error.message(), error.hint());
  }
}

void save_model(const std::string& path, const LinearModel& model, const Record& record) {
  write_file_atomically(path, model_bytes(model, record));
}

SavedModel load_model(const std::string& path) {
  return parse_model(read_whole_file(path, kLargestFile, ErrorCode::model), path);
}

}  // namespace plumb
