// Any text and numbers as the content of a model file with valid checksums: the code behind the container's checks.
// Accepted input must be written and read back the same, and must be shown and predict without harm.
//   input = the JSON text, a byte 1, then for each name below: a byte 255 (no such tensor) or a number of elements, and
//   their bytes
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/model/explain.h"
#include "plumb/model/model_file.h"
#include "plumb/model/tensor_file.h"
#include "plumb/report/report.h"

namespace {

using namespace plumb;

struct Slot {
  const char* name;
  TensorType type;
};
constexpr std::array kSlots = {Slot{"weights", TensorType::f64},
                               Slot{"weights.offsets", TensorType::u64},
                               Slot{"weights.index", TensorType::u32},
                               Slot{"weights.values", TensorType::f64},
                               Slot{"bias", TensorType::f64},
                               Slot{"votes", TensorType::f64},
                               Slot{"vetoes.offsets", TensorType::u64},
                               Slot{"vetoes.index", TensorType::u32},
                               Slot{"vetoes.values", TensorType::i32},
                               Slot{"labels.bytes", TensorType::u8},
                               Slot{"labels.ends", TensorType::u64},
                               Slot{"levels.bytes", TensorType::u8},
                               Slot{"levels.ends", TensorType::u64},
                               Slot{"aliased", TensorType::u32},
                               Slot{"standard_errors.bias", TensorType::f64},
                               Slot{"standard_errors.weights", TensorType::f64},
                               Slot{"statistics.s", TensorType::f64},
                               Slot{"statistics.n", TensorType::i64},
                               Slot{"terms.bytes", TensorType::u8},
                               Slot{"terms.ends", TensorType::u64},
                               Slot{"document_frequencies", TensorType::u64},
                               Slot{"weights.chains", TensorType::u32}};

// The shape of a tensor with that many elements: matrices have as many columns as the text claims features.
std::vector<std::uint64_t> shape_of(std::string_view name, std::uint64_t count, std::string_view json) {
  constexpr std::string_view key = "\"features\":";
  std::uint64_t features = 0;
  const std::size_t at = json.find(key);
  if (at != json.npos) std::from_chars(json.data() + at + key.size(), json.data() + json.size(), features);
  const bool matrix = name == "weights" || name == "standard_errors.weights";
  if (!matrix || features == 0 || count % features != 0) return {count};
  return {count / features, features};
}

void require(bool holds) {
  if (!holds) std::abort();
}

// Safe for a terminal: only lines of printable text.
bool safe(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= ' '; });
}

// Any loaded model can be inspected.
void inspect(const SavedModel& saved) {
  for (const std::uint64_t top : {0u, 2u}) {
    const InspectReport report{saved, "fuzz", top};
    require(safe(to_text(report, Style{})) && !to_json(report).empty());
  }
}

// A prediction that is too large is refused; explanations are finite.
void explain_row(const LinearModel& model, const Record& record, const Row& row) {
  try {
    const ExplainReport report{
        std::make_shared<SavedModel>(SavedModel{model, record}), {{1, explain(model, row)}}, 1, true};
    require(std::isfinite(report.rows[0].explanation.score));
    require(safe(to_text(report, Style{})) && !to_json(report).empty());
  } catch (const Error& error) {
    require(error.code() == ErrorCode::data);
  }
}

// Every kind of row the model could meet.
void predict(const LinearModel& model, const Record& record) {
  if (model.features() > 10'000 || model.rows() > 10'000) return;
  Predictor predictor(model);
  const std::vector<double> dense(model.features(), 1.5);
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  for (std::uint32_t j = 0; j < model.features(); j += 2) {
    index.push_back(j);
    value.push_back(-2.0);
  }
  for (const Row& row : {Row{{}, dense}, Row{index, value}, Row{}}) {
    const RowPrediction prediction = predictor.predict(row);
    if (model.parts().link != Link::identity) require(prediction.label < model.parts().labels.size());
    if (model.parts().link == Link::logistic || model.parts().link == Link::softmax) {
      double sum = 0.0;
      for (const double p : predictor.probabilities()) sum += p;
      const bool finite =
          std::all_of(predictor.scores().begin(), predictor.scores().end(), [](double s) { return std::isfinite(s); });
      require(!finite || !std::isfinite(model.parts().calibration.slope * 1e10) || std::abs(sum - 1) < 1e-9 ||
              std::isnan(sum));
    }
    explain_row(model, record, row);
  }
  for (const std::string& name : model.parts().map.names()) require(!name.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t* const end = data + size;
  const std::uint8_t* at = std::find(data, end, std::uint8_t{1});
  const std::string json(data, at);
  if (at != end) ++at;
  std::vector<Tensor> tensors;
  for (const Slot& slot : kSlots) {
    if (at == end) break;
    const std::size_t count = *at++;
    if (count == 255) continue;
    const std::size_t bytes = std::min<std::size_t>(count * size_of(slot.type), static_cast<std::size_t>(end - at)) /
                              size_of(slot.type) * size_of(slot.type);
    tensors.push_back({slot.name, slot.type, shape_of(slot.name, bytes / size_of(slot.type), json),
                       std::as_bytes(std::span(at, bytes))});
    at += bytes;
  }
  std::string file;
  try {
    file = write_tensor_file(json, tensors);
  } catch (const Error&) {
    return 0;  // text that no container accepts
  }
  try {
    const SavedModel saved = parse_model(file, "fuzz");
    const std::string bytes = model_bytes(saved.model, saved.record);
    const SavedModel again = parse_model(bytes, "fuzz");
    require(model_bytes(again.model, again.record) == bytes);
    inspect(saved);
    predict(saved.model, saved.record);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::model && error.place().file == "fuzz" && !error.message().empty());
  }
  return 0;
}
