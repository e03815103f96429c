// Models of texts: saved models come back, forged ones are refused, and words explain a document.
#include <gtest/gtest.h>

#include <functional>

#include "plumb/base/error.h"
#include "plumb/model/explain_text.h"
#include "plumb/model/model_file.h"
#include "plumb/model/tensor_file.h"
#include "plumb/text/hashed_terms.h"

namespace plumb::text_model_test {
namespace {

TextList texts(std::initializer_list<const char*> all) {
  TextList texts;
  for (const char* const each : all) texts.add(each);
  return texts;
}

BagOfWords words(std::initializer_list<const char*> terms) {
  BagOfWords bag;
  bag.vocabulary = std::make_shared<const Vocabulary>(texts(terms));
  return bag;
}

TextTerm term(std::uint32_t input, const BagOfWords& bag) { return {input, std::make_shared<const BagOfWords>(bag)}; }

FeatureMap::Parts parts_of_map() {
  BagOfWords weighted = words({"good", "not good", "bad"});
  weighted.rules.longest_ngram = 2;
  weighted.rules.stop_words = {"the", "a"};
  weighted.rules.stem = "english";
  weighted.rules.html = true;
  weighted.rules.gap = 4;
  weighted.rules.mail = Mail::keep;
  weighted.weighting = {.sublinear = true, .idf = true, .norm = RowNorm::length};
  weighted.documents = 7;
  weighted.document_frequency = {5, 2, 0};
  BagOfWords hashed{.hash_bits = 2, .names = texts({"x", "", "caf\xC3\xA9", "y"})};
  hashed.rules.tokens = Tokens::character;
  hashed.rules.lowercase = false;
  hashed.positions = 3;
  hashed.weighting.binary = true;
  return {{{"n", Kind::number, {}}, {"review", Kind::text, {}}, {"title", Kind::text, {}}},
          {ProductTerm{{{0, 1}}}, term(1, weighted), term(2, hashed),
           FormulaTerm{Formula::parse("n*count(review,\"too \"\"much\"\"\")+length(title)"), {0, 1, 2}}}};
}

SavedModel saved() {
  LinearModel::Parts parts;
  parts.map = FeatureMap(parts_of_map());
  parts.weights = Weights::dense(1, parts.map.features(), std::vector<double>(parts.map.features(), 0.5));
  parts.bias = {1};
  return {LinearModel(std::move(parts)), Record{}};
}

std::string refusal(const std::function<void(std::string& json, std::vector<Tensor>& tensors)>& change) {
  const SavedModel all = saved();
  const TensorFile file = TensorFile::parse(model_bytes(all.model, all.record), {"m.plumb"});
  std::string json = file.plumb();
  std::vector<Tensor> tensors(file.tensors().begin(), file.tensors().end());
  change(json, tensors);
  try {
    parse_model(write_tensor_file(json, tensors), "m.plumb");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    return error.message();
  }
  return "accepted";
}

TEST(TextModel, ComesBackAsItWas) {
  const SavedModel all = saved();
  const std::string bytes = model_bytes(all.model, all.record);
  const SavedModel loaded = parse_model(bytes, "m.plumb");
  EXPECT_TRUE(loaded.model.parts().map.parts() == parts_of_map());
  EXPECT_EQ(model_bytes(loaded.model, loaded.record), bytes);
  EXPECT_EQ(
      loaded.model.parts().map.names(),
      (std::vector<std::string>{"n", "review:good", "review:not good", "review:bad", "title:x", "title:#1",
                                "title:caf\xC3\xA9", "title:y", "n*count(review,\"too \"\"much\"\"\")+length(title)"}));
}

TEST(TextModel, ForgedTextIsRefused) {
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"\"tokens\":\"word\"", "\"tokens\":\"magic\""},
                                                        {"\"ngrams\":[1,2]", "\"ngrams\":[2,1]"},
                                                        {"\"ngrams\":[1,2]", "\"ngrams\":[0,0]"},
                                                        {"\"ngrams\":[1,2]", "\"ngrams\":[1,4294967295]"},
                                                        {"\"stem\":\"english\"", "\"stem\":\"klingon\""},
                                                        {"\"mail\":\"keep\"", "\"mail\":\"send\""},
                                                        {"\"gap\":4", "\"gap\":101"},
                                                        {"\"gap\":4", "\"gap\":4294967296"},
                                                        {"\"stop_words\":2", "\"stop_words\":3"},
                                                        {"\"stop_words\":2", "\"stop_words\":18446744073709551615"},
                                                        {"\"sublinear\":true", "\"sublinear\":1"},
                                                        {"\"binary\":false", "\"binary\":true"},
                                                        {"\"idf\":true", "\"idf\":false"},
                                                        {"\"norm\":\"length\"", "\"norm\":\"size\""},
                                                        {"\"hash_bits\":2", "\"hash_bits\":3"},
                                                        {"\"hash_bits\":2", "\"hash_bits\":40"},
                                                        {"\"terms\":3", "\"terms\":2"},
                                                        {"\"terms\":3", "\"terms\":18446744073709551615"},
                                                        {"\"documents\":7", "\"documents\":4"},
                                                        {"\"text\":{\"input\":1", "\"text\":{\"input\":0"},
                                                        {"\"text\":{\"input\":1", "\"text\":{\"input\":2"},
                                                        {"count(review,", "matches(n,"},
                                                        {"\"kind\":\"text\"", "\"kind\":\"number\""}})
    EXPECT_NE(refusal([&](std::string& json, std::vector<Tensor>&) {
                const std::size_t at = json.find(from);
                ASSERT_NE(at, std::string::npos) << from;
                json.replace(at, std::string_view(from).size(), to);
              }),
              "accepted")
        << from << " -> " << to;
}

TEST(TextModel, ForgedTensorsAreRefused) {
  for (const char* const name : {"terms.bytes", "terms.ends", "document_frequencies"}) {
    const auto changed = [&](const std::function<void(std::vector<Tensor>&, std::size_t)>& change) {
      return refusal([&](std::string&, std::vector<Tensor>& tensors) {
        for (std::size_t i = 0; i < tensors.size(); ++i)
          if (tensors[i].name == name) return change(tensors, i);
        FAIL() << name;
      });
    };
    EXPECT_NE(changed([](auto& tensors, std::size_t i) { tensors.erase(tensors.begin() + static_cast<int>(i)); }),
              "accepted")
        << name;
    EXPECT_NE(changed([](auto& tensors, std::size_t i) {
                const std::size_t count = tensors[i].shape[0] - 1;
                tensors[i].shape = {count};
                tensors[i].bytes = tensors[i].bytes.first(count * size_of(tensors[i].type));
              }),
              "accepted")
        << name;
  }
  static const std::string twice =
      "theagoodnot goodgood"
      "xcaf\xC3\xA9y";  // a term twice
  EXPECT_NE(refusal([](std::string&, std::vector<Tensor>& tensors) {
              for (Tensor& tensor : tensors)
                if (tensor.name == "terms.bytes") {
                  tensor.bytes = std::as_bytes(std::span(twice).first(tensor.bytes.size()));
                }
            }),
            "accepted");
}

// Two halves of a character are a valid text together, but not separately.
TEST(TextModel, TermsThatAreCutInsideACharacterAreNotSaved) {
  const auto said_of = [](std::initializer_list<const char*> terms) -> std::string {
    LinearModel::Parts parts;
    parts.map = FeatureMap({{{"review", Kind::text, {}}}, {term(0, words(terms))}});
    parts.weights = Weights::dense(1, parts.map.features(), std::vector<double>(parts.map.features(), 0.5));
    parts.bias = {1};
    try {
      model_bytes(LinearModel(std::move(parts)), Record{});
    } catch (const Error& error) {
      return error.message();
    }
    return "saved";
  };
  EXPECT_EQ(said_of({"good", "caf\xC3\xA9", "\xC3\xA9", "bad"}), "saved");
  const auto refused = [](const std::string& message) { return message.find("is not valid UTF-8") != message.npos; };
  EXPECT_TRUE(refused(said_of({"caf\xC3", "\xA9t\xC3\xA9"})));
  EXPECT_TRUE(refused(said_of({"\xA9", "x"})));
  EXPECT_TRUE(refused(said_of({"x", "\xC3"})));
}

TEST(TextModel, ADocumentIsExplainedByItsTokens) {
  LinearModel::Parts parts;
  BagOfWords bag = words({"good", "not good", "film"});
  bag.rules.longest_ngram = 2;
  parts.map = FeatureMap({{{"review", Kind::text, {}}}, {term(0, bag)}});
  parts.weights = Weights::dense(1, 3, {2.0, -5.0, 0.25});
  parts.bias = {1};
  const LinearModel model(std::move(parts));
  const std::vector<double> x = {2, 1, 1};
  const Explanation why = explain(model, Row{{}, x});
  const MarkedText marked = mark_text(model, why, 0, "Not good, a Good film yesterday");
  EXPECT_EQ(marked.column, "review");
  std::vector<std::pair<std::string, double>> found;
  double sum = why.bias;
  for (const MarkedToken& each : marked.tokens) {
    found.emplace_back(each.token, each.contribution);
    sum += each.contribution;
  }
  EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{
                       {"not", -2.5}, {"good", -0.5}, {"good", 2.0}, {"film", 0.25}, {"yesterday", 0.0}}));
  EXPECT_EQ(sum, why.score);
}

}  // namespace
}  // namespace plumb::text_model_test
