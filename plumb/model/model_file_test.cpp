#include "plumb/model/model_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/json.h"
#include "plumb/model/memory_test.h"
#include "plumb/model/tensor_file.h"

namespace plumb::model_file_test {
namespace {

// A model that uses every part of the format.
SavedModel everything() {
  LinearModel::Parts parts;
  parts.map = FeatureMap(
      {{{"x", Kind::number, {}}, {"city", Kind::category, {"Oslo", "Rome", ""}}, {"z \"q\"", Kind::number, {}}},
       {ProductTerm{{{0, 3}, {2, 1}}}, CategoryTerm{1, 0}, ProductTerm{{{2, 1}}}}});
  parts.weights = Weights::sparse(3, 4, {{0, 2, 2, 3}, {0, 3, 1}, {1.5, -2, 1e-300}});
  parts.bias = {0.25, -0.0, 3};
  parts.link = Link::softmax;
  parts.labels = {"a", "b\xC3\xA9", ""};
  parts.vetoes = {{0, 1, 1, 1}, {2}, {-7}};
  parts.calibration = {1.25, -0.5, 0.125};
  parts.threshold = 0.75;
  Record record;
  record.model = "least-squares";
  record.solver = "cholesky";
  record.target = "y";
  record.options = {{"features", "x^3,city"}, {"no-bias", "true"}};
  record.seed = 18446744073709551615u;
  record.data_digest = "0123456789abcdef0123456789abcdef";
  record.train_rows = 12;
  record.test_rows = 3;
  record.converged = true;
  record.iterations = 4;
  record.objective = 0.1;
  record.certificate = {"gap", 1e-30};
  record.fit = {{"r_squared", 0.5}};
  record.aliased = {2};
  record.standard_errors = {{1, 2, 3}, std::vector<double>(12, 0.5)};
  record.statistics = {{"sums", {2}, std::vector<double>{1, -2.5}},
                       {"counts", {2, 3}, std::vector<std::int64_t>{1, 2, 3, 4, 5, std::int64_t{1} << 62}},
                       {"one", {}, std::vector<std::int64_t>{-7}}};
  record.reading = HowRead{false, {{"x", {',', '.', "%"}, ""}, {"when", {}, "%d.%m.%Y"}}};
  return {LinearModel(std::move(parts)), std::move(record)};
}

// The smallest: one row, one feature.
SavedModel smallest() {
  LinearModel::Parts parts;
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  parts.weights = Weights::dense(1, 1, {2});
  parts.bias = {1};
  return {LinearModel(std::move(parts)), Record{}};
}

// No file, however forged, makes the reader allocate much more memory than the file itself takes.
std::string refusal(const std::string& bytes) {
  memory.largest = 0;
  try {
    parse_model(bytes, "m.plumb");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_EQ(error.place().file, "m.plumb");
    EXPECT_LE(memory.largest, 2 * bytes.size() + 4096);
    return error.message();
  }
  return "accepted";
}

// The file of `saved` with its JSON text and tensors changed, and all checksums corrected.
std::string forged(const SavedModel& saved,
                   const std::function<void(std::string& json, std::vector<Tensor>& tensors)>& change) {
  const TensorFile file = TensorFile::parse(model_bytes(saved.model, saved.record), {"m.plumb"});
  std::string json = file.plumb();
  std::vector<Tensor> tensors(file.tensors().begin(), file.tensors().end());
  change(json, tensors);
  return write_tensor_file(json, tensors);
}
std::string with_json(const SavedModel& saved, std::string_view from, std::string_view to) {
  return forged(saved, [&](std::string& json, std::vector<Tensor>&) {
    const std::size_t at = json.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    json.replace(at, from.size(), to);
  });
}

TEST(ModelFile, EverythingComesBack) {
  const SavedModel saved = everything();
  const std::string bytes = model_bytes(saved.model, saved.record);
  const SavedModel again = parse_model(bytes, "m.plumb");
  EXPECT_EQ(model_bytes(again.model, again.record), bytes);
  EXPECT_EQ(again.model.parts().map.parts(), saved.model.parts().map.parts());
  EXPECT_EQ(again.model.parts().labels, saved.model.parts().labels);
  EXPECT_EQ(again.model.parts().weights.sparse_values().values, saved.model.parts().weights.sparse_values().values);
  EXPECT_EQ(again.record.seed, saved.record.seed);
  EXPECT_EQ(again.record.options, saved.record.options);
  EXPECT_EQ(again.record.statistics, saved.record.statistics);
  EXPECT_EQ(again.record.reading, saved.record.reading);
  EXPECT_EQ(again.record.aliased, saved.record.aliased);
  EXPECT_EQ(again.record.standard_errors.weights, saved.record.standard_errors.weights);
  EXPECT_EQ(again.model.parts().calibration.bend, 0.125);
}

TEST(ModelFile, EveryFormOfWeightsComesBack) {
  for (const Weights& weights : {Weights::dense(2, 1, {1, 2}), Weights::sparse(2, 1, {{0, 0, 1}, {0}, {3.0}}),
                                 Weights::increments(2, 1, {{0, 1, 2}, {0, 0}, {1.0, -5.0}})}) {
    LinearModel::Parts parts = smallest().model.parts();
    parts.weights = weights;
    parts.bias = {1, 2};
    parts.link = Link::vote;
    parts.labels = {"a", "b"};
    parts.votes = {1, 3};
    const std::string bytes = model_bytes(LinearModel(parts), Record{});
    const SavedModel again = parse_model(bytes, "m.plumb");
    EXPECT_EQ(again.model.parts().weights.form(), weights.form());
    EXPECT_EQ(model_bytes(again.model, again.record), bytes);
  }
}

TEST(ModelFile, VotersOnManyLabelsComeBackAndForgedOnesAreRefused) {
  const auto parts_with = [](std::vector<std::uint32_t> chains) {
    LinearModel::Parts parts = smallest().model.parts();
    parts.weights =
        Weights::increments(4, 1, {{0, 1, 2, 3, 4}, {0, 0, 0, 0}, {1.0, -5.0, 2.0, 7.0}}, std::move(chains));
    parts.bias = {1, 2, 3, 4};
    parts.link = Link::vote;
    parts.labels = {"a", "b", "c"};
    parts.votes = {1, 3, 0, 2};
    return parts;
  };
  const std::string bytes = model_bytes(LinearModel(parts_with({2, 0, 2, 1})), Record{});
  const SavedModel again = parse_model(bytes, "m.plumb");
  EXPECT_EQ(again.model.parts().weights.chains(), (std::vector<std::uint32_t>{2, 0, 2, 1}));
  EXPECT_EQ(model_bytes(again.model, again.record), bytes);
  EXPECT_THROW(LinearModel(parts_with({2, 0, 2, 3})), Error) << "there is no fourth label";
  EXPECT_THROW(parts_with({2, 0, 2, 4}), Error) << "nor can there be more chains than rows";
  EXPECT_THROW(parts_with({2, 0, 2}), Error);
  EXPECT_THROW(LinearModel(parts_with({})), Error) << "whose label is which row?";
}

TEST(ModelFile, NothingOfTimeOrPlaceIsInIt) {
  const SavedModel saved = everything();
  EXPECT_EQ(model_bytes(saved.model, saved.record), model_bytes(saved.model, saved.record));
  const TensorFile file = TensorFile::parse(model_bytes(saved.model, saved.record), {"m.plumb"});
  const JsonValue document = parse_json(file.plumb());
  std::vector<std::string> keys;
  for (const JsonMember& member : document.at("record").members()) keys.push_back(member.key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"model", "solver", "target", "options", "seed", "data_digest", "train_rows",
                                      "test_rows", "converged", "iterations", "objective", "certificate", "fit"}));
}

TEST(ModelFile, EveryTruncationIsRefused) {
  for (const SavedModel& saved : {everything(), smallest()}) {
    const std::string bytes = model_bytes(saved.model, saved.record);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_NE(refusal(bytes.substr(0, size)), "accepted") << size;
    EXPECT_NE(refusal(bytes + '\0'), "accepted");
  }
}

TEST(ModelFile, EverySingleBitFlipIsRefused) {
  for (const SavedModel& saved : {everything(), smallest()}) {
    const std::string bytes = model_bytes(saved.model, saved.record);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      ASSERT_NE(refusal(flipped), "accepted") << "bit " << bit;
    }
  }
}

// What a forger with valid checksums can do.
// Every kind of term comes back unchanged, and predicts the same.
TEST(ModelFile, EveryKindOfTermIsKept) {
  LinearModel::Parts parts;
  const FeatureMap::Parts map{
      {{"x", Kind::number, {}},
       {"my y", Kind::number, {}},
       {"c", Kind::category, {"a", "b", ""}},
       {"d", Kind::category, {"p", "q"}},
       {"e", Kind::sparse, {"f1", "f7", "word"}},
       {"g", Kind::category, {"u"}}},
      {ProductTerm{{{0, 1}}}, FormulaTerm{Formula::parse("log(x+1)/\"my y\""), {0, 1}}, CategoryTerm{2, 1},
       CrossTerm{{2, 0}, {3, {}}}, CrossTerm{{0, {}}, {3, 1}}, CrossTerm{{3, {}}, {5, {}}, {{2, 0}}}, EntriesTerm{4}}};
  parts.map = FeatureMap(map);
  parts.weights = Weights::dense(1, parts.map.features(), std::vector<double>(parts.map.features(), 0.5));
  parts.bias = {1};
  const SavedModel loaded = parse_model(model_bytes(LinearModel(parts), Record{}), "test");
  EXPECT_EQ(loaded.model.parts().map.parts(), map);
  EXPECT_EQ(loaded.model.parts().map.names(),
            (std::vector<std::string>{"x", "log(x+1)/\"my y\"", "c=a", "c=", "c=b*d=p", "c=b*d=q", "c=*d=p", "c=*d=q",
                                      "x*d=p", "d=p*g=u*c=b", "d=p*g=u*c=", "d=q*g=u*c=b", "d=q*g=u*c=", "f1", "f7",
                                      "word"}));
}

TEST(ModelFile, ForgedTextIsRefused) {
  const SavedModel all = everything();
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"\"schema\":\"plumb-model\"", "\"schema\":\"other\""},
                                                        {"\"version\":1", "\"version\":2"},
                                                        {"\"version\":1", "\"version\":0"},
                                                        {"\"version\":1", "\"version\":1.5"},
                                                        {"\"rows\":3", "\"rows\":4"},
                                                        {"\"rows\":3", "\"rows\":18446744073709551615"},
                                                        {"\"rows\":3", "\"rows\":-3"},
                                                        {"\"features\":4", "\"features\":5"},
                                                        {"\"features\":4", "\"features\":4294967296"},
                                                        {"\"link\":\"softmax\"", "\"link\":\"vote\""},
                                                        {"\"link\":\"softmax\"", "\"link\":\"magic\""},
                                                        {"\"weights\":\"sparse\"", "\"weights\":\"dense\""},
                                                        {"\"slope\":1.25", "\"slope\":-1"},
                                                        {"\"slope\":1.25", "\"slope\":1e999"},
                                                        {"\"threshold\":0.75", "\"threshold\":75"},
                                                        {"\"levels\":3", "\"levels\":2"},
                                                        {"\"levels\":3", "\"levels\":4"},
                                                        {"\"levels\":3", "\"levels\":18446744073709551615"},
                                                        {"\"kind\":\"category\"", "\"kind\":\"text\""},
                                                        {"\"category\":[1", "\"category\":[9"},
                                                        {"[1,0]", "[1,3]"},
                                                        {"[0,3]", "[0,300]"},
                                                        {"[0,3]", "[0]"},
                                                        {"[0,3]", "[1,1]"},
                                                        {"\"name\":\"x\"", "\"name\":\"city\""},
                                                        {"\"seed\":18446744073709551615", "\"seed\":-1"},
                                                        {"\"converged\":true", "\"converged\":1"},
                                                        {"\"r_squared\":0.5", "\"r_squared\":\"0.5\""},
                                                        {"\"threshold\"", "\"unknown\":1,\"threshold\""},
                                                        {"\"seed\"", "\"host\":\"h\",\"seed\""},
                                                        {"\"target\":\"y\",", ""}})
    EXPECT_NE(refusal(with_json(all, from, to)), "accepted") << from << " -> " << to;
  EXPECT_NE(refusal(with_json(all, "\"version\":1", "\"version\":2")).find("this program reads versions up to 1"),
            std::string::npos);
}

TEST(ModelFile, ForgedTensorsAreRefused) {
  using Tensors = std::vector<Tensor>;
  const SavedModel all = everything();
  const std::vector<std::string> names = [&] {
    std::vector<std::string> names;
    const TensorFile file = TensorFile::parse(model_bytes(all.model, all.record), {"m"});
    for (const Tensor& tensor : file.tensors()) names.push_back(tensor.name);
    return names;
  }();
  for (const std::string& name : names) {
    const auto find = [&](Tensors& tensors) {
      return std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
    };
    // Left out: refused, or (if only the record has it) another record.
    const std::string without = forged(all, [&](std::string&, Tensors& tensors) { tensors.erase(find(tensors)); });
    const bool optional = name.starts_with("standard_errors") || name.starts_with("statistics") || name == "aliased";
    EXPECT_EQ(refusal(without) == "accepted", optional) << name;
    // Cut by one element.
    const std::string cut = forged(all, [&](std::string&, Tensors& tensors) {
      Tensor& tensor = *find(tensors);
      if (tensor.bytes.empty()) return;
      const std::size_t elements = tensor.bytes.size() / size_of(tensor.type) - 1;
      tensor.shape = {elements};
      tensor.bytes = tensor.bytes.first(elements * size_of(tensor.type));
    });
    if (!name.starts_with("statistics") && name != "aliased") {
      EXPECT_NE(refusal(cut), "accepted") << name;
    }
    // Of another type.
    const std::string retyped = forged(all, [&](std::string&, Tensors& tensors) {
      Tensor& tensor = *find(tensors);
      tensor.type = tensor.type == TensorType::u8 ? TensorType::i32 : TensorType::u8;
      const std::size_t bytes = tensor.bytes.size() / size_of(tensor.type) * size_of(tensor.type);
      tensor.bytes = tensor.bytes.first(bytes);
      tensor.shape = {bytes / size_of(tensor.type)};
    });
    EXPECT_NE(refusal(retyped), "accepted") << name;
  }
  const std::string more = forged(all, [](std::string&, Tensors& tensors) {
    tensors.push_back({"surprise", TensorType::u8, {0}, {}});
  });
  EXPECT_NE(refusal(more), "accepted");
  static const double bad[] = {1.0, -2.0, std::numeric_limits<double>::quiet_NaN()};
  const std::string not_finite = forged(all, [](std::string&, Tensors& tensors) {
    for (Tensor& tensor : tensors)
      if (tensor.name == "weights.values") tensor.bytes = std::as_bytes(std::span(bad));
  });
  EXPECT_NE(refusal(not_finite).find("not a finite number"), std::string::npos);
}

TEST(ModelFile, WhatOnlyTheRecordKnowsIsCheckedToo) {
  const SavedModel all = everything();
  const auto with_numbers = [&](std::string_view name, const std::vector<double>& numbers) {
    return forged(all, [&](std::string&, std::vector<Tensor>& tensors) {
      for (Tensor& tensor : tensors)
        if (tensor.name == name) tensor.bytes = std::as_bytes(std::span(numbers));
    });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(with_numbers("standard_errors.bias", {1, 0, 3})), "accepted");
  for (const double bad : {-1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> errors(12, 0.5);
    errors[7] = bad;
    EXPECT_NE(refusal(with_numbers("standard_errors.weights", errors)).find("standard error"), std::string::npos);
    EXPECT_NE(refusal(with_numbers("standard_errors.bias", {1, 2, bad})).find("standard error"), std::string::npos);
  }
  EXPECT_NE(refusal(with_numbers("statistics.sums", {1, infinity})).find("not finite"), std::string::npos);
  EXPECT_NE(refusal(with_json(all, "\"no-bias\"", "\"features\"")).find("two options"), std::string::npos);
}

TEST(ModelFile, EveryTensorHasItsOneShape) {
  LinearModel::Parts parts = everything().model.parts();
  std::vector<double> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  parts.weights = Weights::dense(3, 4, numbers);
  const SavedModel saved{LinearModel(parts), everything().record};
  const auto with_shape = [&](std::string_view name, const std::vector<std::uint64_t>& shape) {
    return refusal(forged(saved, [&](std::string&, std::vector<Tensor>& tensors) {
      for (Tensor& tensor : tensors)
        if (tensor.name == name) tensor.shape = shape;
    }));
  };
  for (const char* name : {"weights", "standard_errors.weights"}) {
    EXPECT_EQ(with_shape(name, {3, 4}), "accepted");
    for (const std::vector<std::uint64_t>& shape : {std::vector<std::uint64_t>{4, 3}, {12}, {3, 2, 2}, {1, 12}})
      EXPECT_NE(with_shape(name, shape).find("has another shape, expected [3,4]"), std::string::npos);
  }
  for (const char* name : {"bias", "standard_errors.bias"})
    EXPECT_NE(with_shape(name, {1, 3}).find("2 dimensions, expected one"), std::string::npos) << name;
  EXPECT_EQ(with_shape("statistics.counts", {3, 2}), "accepted") << "statistics have the shape they have";
}

// Columns "a" with level "b=c" and "a=b" with level "c" make features of one name.
TEST(ModelFile, FeaturesOfOneNameAreNeitherWrittenNorRead) {
  LinearModel::Parts parts = smallest().model.parts();
  parts.map = FeatureMap(
      {{{"a", Kind::category, {"b=d"}}, {"a=b", Kind::category, {"c"}}}, {CategoryTerm{0, {}}, CategoryTerm{1, {}}}});
  parts.weights = Weights::dense(1, 2, {1, 2});
  const SavedModel fine{LinearModel(parts), {}};
  const std::string forgery = forged(fine, [](std::string&, std::vector<Tensor>& tensors) {
    static const std::string same = "b=cc";
    for (Tensor& tensor : tensors)
      if (tensor.name == "levels.bytes") tensor.bytes = std::as_bytes(std::span(same));
  });
  EXPECT_NE(refusal(forgery).find("two features are called \"a=b=c\""), std::string::npos);
  parts.map = FeatureMap(
      {{{"a", Kind::category, {"b=c"}}, {"a=b", Kind::category, {"c"}}}, {CategoryTerm{0, {}}, CategoryTerm{1, {}}}});
  EXPECT_THROW(model_bytes(LinearModel(parts), {}), Error);
}

// A column's name occurs in a file once, and in the name of each feature made from the column.
TEST(ModelFile, NamesThatGrowWhenTheyAreMadeAreRefused) {
  constexpr std::size_t longest = 16u << 10;
  LinearModel::Parts parts = smallest().model.parts();
  const auto saved = [&](std::size_t length, std::uint32_t terms) {
    FeatureMap::Parts map;
    map.inputs = {{std::string(length, 'x'), Kind::number, {}}};
    for (std::uint32_t t = 0; t < terms; ++t) {
      std::vector<Power> product(64, {0, 1});
      product[0].power = 1 + t % 100;
      product[1].power = 1 + t / 100;
      map.terms.push_back(ProductTerm{std::move(product)});
    }
    parts.map = FeatureMap(map);
    parts.weights = Weights::dense(1, terms, std::vector<double>(terms));
    return model_bytes(LinearModel(parts), {});
  };
  EXPECT_THROW(saved(longest + 1, 1), Error);
  EXPECT_THROW(saved(longest, 257), Error) << "each has 1 MiB";
  const std::string bytes = saved(longest, 50);
  memory.largest = 0;
  EXPECT_EQ(parse_model(bytes, "m.plumb").model.features(), 50u);
  EXPECT_LE(memory.largest, 3u << 20) << "one name at a time";
}

// Any model and any record, valid or not: refused, or saved so that it loads and is the same.
RC_GTEST_PROP(ModelFile, WhatIsSavedCanBeLoaded, ()) {
  const auto number = [] {
    return *rc::gen::weightedOneOf<double>(
        {{200, rc::gen::arbitrary<double>()},
         {1, rc::gen::element(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity())}});
  };
  const auto text = [] {
    return *rc::gen::weightedOneOf<std::string>(
        {{200, rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127))},
         {1, rc::gen::element(std::string("\xFF"), std::string("\xC3\xA9"), std::string("a"))}});
  };
  const auto some = [](int most) { return *rc::gen::inRange(0, most); };
  const auto list = [&](std::size_t right) {  // of numbers, mostly of the right length
    std::vector<double> numbers(some(20) == 0 ? right + 1 : right);
    for (double& each : numbers) each = number();
    return numbers;
  };
  SavedModel saved = smallest();
  LinearModel::Parts parts = saved.model.parts();
  FeatureMap::Parts map;
  for (int i = some(4); i >= 0; --i) {
    map.inputs.push_back({text() + "/" + std::to_string(i), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{static_cast<std::uint32_t>(map.inputs.size() - 1), 1}}});
  }
  map.inputs.push_back({text() + "/c", Kind::category, {"", text() + "0", text() + "1"}});
  map.terms.push_back(CategoryTerm{static_cast<std::uint32_t>(map.inputs.size() - 1), 0});
  if (some(2) == 0) map.terms.push_back(OffsetTerm{0});
  parts.map = FeatureMap(map);
  const std::uint32_t features = parts.map.features();
  parts.weights = Weights::dense(1, features, std::vector<double>(features, 1.5));
  Record& record = saved.record;
  for (std::string* each :
       {&record.model, &record.solver, &record.target, &record.data_digest, &record.certificate.kind})
    *each = text();
  for (int i = some(3); i > 0; --i) record.options.emplace_back(text(), text());
  for (int i = some(3); i > 0; --i) record.fit.emplace_back(text(), number());
  record.seed = *rc::gen::arbitrary<std::uint64_t>();
  record.objective = number();
  record.certificate.value = number();
  if (some(2) == 0) record.standard_errors.bias = list(1);
  if (some(2) == 0) record.standard_errors.weights = list(features);
  for (std::vector<double>* errors : {&record.standard_errors.bias, &record.standard_errors.weights})
    for (double& each : *errors) each = some(100) == 0 ? each : std::abs(each);
  if (some(2) == 0)
    record.aliased = some(20) == 0 ? std::vector<std::uint32_t>{1, 0} : std::vector<std::uint32_t>{0, 1};
  for (int i = some(3); i > 0; --i) record.statistics.push_back({text(), {2, 1}, list(2)});
  if (some(2) == 0) record.statistics.push_back({"counts", {1, 3}, std::vector<std::int64_t>(some(20) == 0 ? 2 : 3)});
  std::string bytes;
  try {
    bytes = model_bytes(LinearModel(parts), record);
  } catch (const Error& error) {
    RC_CLASSIFY(true, "refused");
    RC_ASSERT(error.code() == ErrorCode::model);
    return;
  }
  RC_CLASSIFY(true, "saved");
  const SavedModel again = parse_model(bytes, "m.plumb");
  RC_ASSERT(model_bytes(again.model, again.record) == bytes);
  RC_ASSERT(again.record.statistics == record.statistics);
  RC_ASSERT(again.record.options == record.options);
}

TEST(ModelFile, ARecordWithANumberThatIsNotFiniteIsNotSaved) {
  using Change = void (*)(Record&, double);
  for (const Change change : {Change([](Record&record, double number) { record.objective = number; }),
                              Change([](Record&record, double number) { record.certificate.value = number; }),
                              Change([](Record&record, double number) {
                                record.fit = {{"f", number}};
                              }),
                              Change([](Record&record, double number) { record.standard_errors.bias = {number}; }),
                              Change([](Record&record, double number) { record.standard_errors.weights = {number}; }),
                              Change([](Record&record, double number) {
                                record.statistics = {{"s", {1}, std::vector<double>{number}}};
                              })}) {
    SavedModel saved = smallest();
    change(saved.record, 1.0);
    EXPECT_NO_THROW(model_bytes(saved.model, saved.record));
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      change(saved.record, bad);
      EXPECT_THROW(model_bytes(saved.model, saved.record), Error);
    }
  }
}

TEST(ModelFile, MoreColumnsThanAHeaderHoldsAreRefusedWhenSaving) {
  LinearModel::Parts parts = smallest().model.parts();
  const auto saved = [&](std::uint32_t columns) {
    FeatureMap::Parts map;
    for (std::uint32_t j = 0; j < columns; ++j) {
      map.inputs.push_back({"c" + std::to_string(j), Kind::number, {}});
      map.terms.push_back(ProductTerm{{{j, 1}}});
    }
    parts.map = FeatureMap(std::move(map));
    parts.weights = Weights::dense(1, columns, std::vector<double>(columns));
    return model_bytes(LinearModel(parts), {});
  };
  EXPECT_EQ(parse_model(saved(150'000), "m.plumb").model.features(), 150'000u) << "more than a million JSON values";
  try {
    saved(300'000);
    FAIL() << "was saved";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_EQ(error.hint(), "keep fewer columns: --features or --drop");
  }
}

TEST(ModelFile, SavingAndLoadingGoThroughAFile) {
  const std::string path = ::testing::TempDir() + "plumb_model_file_test.plumb";
  const SavedModel saved = everything();
  save_model(path, saved.model, saved.record);
  const SavedModel again = load_model(path);
  EXPECT_EQ(model_bytes(again.model, again.record), model_bytes(saved.model, saved.record));
  EXPECT_THROW(load_model(path + ".missing"), Error);
}

}  // namespace
}  // namespace plumb::model_file_test
