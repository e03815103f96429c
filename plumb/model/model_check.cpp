#include "plumb/model/model_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw Error(ErrorCode::model, otherwise);
}

bool all_finite(In numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

// Not negative, and not NaN.
bool errors(In numbers) {
  return all_finite(numbers) && std::all_of(numbers.begin(), numbers.end(), [](double number) { return number >= 0; });
}

void check_text(std::string_view text, const char* what) {
  if (!valid_utf8(text)) expect(false, std::string(what) + " " + in_quotes(text) + " is not valid UTF-8");
}

// Texts that are valid together, each beginning at a character, are valid one by one: millions are checked at once.
void check_terms(const TextList& texts) {
  const std::string_view bytes = texts.bytes();
  const auto inside = [&](std::uint64_t at) { return at < bytes.size() && (bytes[at] & 0xC0) == 0x80; };
  if (valid_utf8(bytes) && std::none_of(texts.ends().begin(), texts.ends().end(), inside)) return;
  for (std::size_t i = 0; i < texts.size(); ++i) check_text(texts[i], "term");
}

void check_texts(const LinearModel& model, const Record& record) {
  for (const std::string& mark : model.parts().map.parts().na) check_text(mark, "the mark for missing values");
  for (const std::string& label : model.parts().labels) check_text(label, "label");
  for (const FeatureMap::Input& input : model.parts().map.parts().inputs) {
    check_text(input.name, "column");
    expect(input.name.size() <= kLongestColumnName,
           "the name of column " + in_quotes(input.name) + " has " + std::to_string(input.name.size()) +
               " bytes, expected at most " + std::to_string(kLongestColumnName));
    for (const std::string& level : input.levels) check_text(level, "level");
  }
  for (const Term& each : model.parts().map.parts().terms)
    if (const TextTerm* const term = std::get_if<TextTerm>(&each)) {
      for (const std::string& word : term->bag->rules.stop_words) check_text(word, "stop word");
      check_terms(term->bag->texts());
    }
  for (const std::string& text :
       {record.model, record.solver, record.target, record.data_digest, record.certificate.kind})
    check_text(text, "the record's");
  for (const auto& [name, text] : record.options) {
    check_text(name, "option");
    check_text(text, "the value of an option");
  }
  for (const auto& [name, value] : record.fit) check_text(name, "the record's");
}

// A lower bound of the bytes of the names of all features, before one of them is made.
std::uint64_t name_bytes(const FeatureMap::Parts& map) {
  struct Size {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // of all of them together
  };
  const auto side = [&](const CategoryTerm& term) {
    const FeatureMap::Input& input = map.inputs[term.input];
    if (holds_numbers(input.kind)) return Size{1, input.name.size()};
    Size size{input.levels.size() - (term.base ? 1 : 0), 0};
    for (const std::string& level : input.levels) size.bytes += input.name.size() + level.size();
    return size;
  };
  std::uint64_t bytes = 0;
  for (const Term& term : map.terms)
    bytes +=
        std::visit(Cases{[&](const ProductTerm& product) {
                           std::uint64_t sum = 0;
                           for (const Power& each : product.powers) sum += map.inputs[each.input].name.size();
                           return sum;
                         },
                         [](const FormulaTerm& formula) { return std::uint64_t{formula.formula.text().size()}; },
                         [&](const CategoryTerm& category) { return side(category).bytes; },
                         [&](const CrossTerm& cross) {
                           Size all{1, 0};
                           for (const CategoryTerm& each : cross.sides()) {
                             const Size next = side(each);
                             all = {all.count * next.count, all.count * next.bytes + next.count * all.bytes};
                           }
                           return all.bytes;
                         },
                         [&](const EntriesTerm& entries) {
                           std::uint64_t sum = 0;
                           for (const std::string& name : map.inputs[entries.input].levels) sum += name.size();
                           if (entries.form == EntryForm::with_square)
                             sum += sum + 2 * map.inputs[entries.input].levels.size();
                           return sum;
                         },
                         [&](const TextTerm& text) {
                           const std::uint64_t each = map.inputs[text.input].name.size() + 1;
                           return each * text.bag->features() + text.bag->texts().bytes().size();
                         },
                         [&](const MissingTerm& missing) {
                           return std::uint64_t{map.inputs[missing.input].name.size() + sizeof " missing"};
                         },
                         [&](const OffsetTerm& offset) { return std::uint64_t{map.inputs[offset.input].name.size()}; }},
                   term);
  return bytes;
}

// By digests, so that memory does not grow with the names; equal digests are compared in full.
void check_feature_names(const FeatureMap& map) {
  // A vocabulary has checked its own terms.
  const std::vector<Term>& terms = map.parts().terms;
  const TextTerm* const only = terms.size() == 1 ? std::get_if<TextTerm>(&terms[0]) : nullptr;
  const bool distinct = only != nullptr && only->bag->hash_bits == 0;
  const std::uint64_t bytes = name_bytes(map.parts());
  expect(bytes <= kMostNameBytes, "the names of its features take " + std::to_string(bytes) +
                                      " bytes, expected at most " + std::to_string(kMostNameBytes));
  if (distinct) return;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> digests;
  digests.reserve(map.features());
  for (std::uint32_t j = 0; j < map.features(); ++j) digests.emplace_back(digest64(map.name(j)), j);
  std::sort(digests.begin(), digests.end());
  for (std::size_t i = 0; i < digests.size(); ++i)
    for (std::size_t k = i + 1; k < digests.size() && digests[k].first == digests[i].first; ++k)
      expect(map.name(digests[i].second) != map.name(digests[k].second),
             "two features are called " + in_quotes(map.name(digests[i].second)));
}

template <class Value>
void check_distinct(const std::vector<std::pair<std::string, Value>>& named, const char* what) {
  expect(named.size() <= kMostNamed,
         "there are " + std::to_string(named.size()) + " " + what + ", expected at most " + std::to_string(kMostNamed));
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : named)
    expect(names.insert(name).second, "two " + std::string(what) + " are called " + in_quotes(name));
}

void check_record(const Record& record, std::uint64_t rows, std::uint32_t features) {
  check_distinct(record.options, "options");
  check_distinct(record.fit, "numbers of the fit");
  expect(std::isfinite(record.objective), "the objective is not a finite number");
  expect(std::isfinite(record.certificate.value), "the certificate is not a finite number");
  for (const auto& [name, value] : record.fit)
    expect(std::isfinite(value), in_quotes(name) + " of the fit is not a finite number");
  for (std::size_t i = 0; i < record.aliased.size(); ++i)
    expect(record.aliased[i] < features && (i == 0 || record.aliased[i - 1] < record.aliased[i]),
           "the aliased features do not ascend below the number of features");

  const auto& [bias, weights] = record.standard_errors;
  expect(bias.empty() || bias.size() == rows, "there is not one standard error per bias");
  expect(weights.empty() || (features != 0 && weights.size() / features == rows && weights.size() % features == 0),
         "the standard errors are not rows times features");
  expect(errors(bias) && errors(weights), "a standard error is negative or not a finite number");
  for (const Statistic& statistic : record.statistics)
    if (const auto* numbers = std::get_if<std::vector<double>>(&statistic.values))
      expect(all_finite(*numbers), "statistic " + in_quotes(statistic.name) + " holds a number that is not finite");
}

}  // namespace

void check_saved(const LinearModel& model, const Record& record) {
  check_texts(model, record);
  check_feature_names(model.parts().map);
  check_record(record, model.rows(), model.features());
}

}  // namespace plumb
