#include "plumb/train/plane_weights.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "plumb/base/error.h"

namespace plumb {

namespace {

// [plane][feature]
std::vector<double> by_plane(const Planes& planes) {
  const std::size_t features = planes.weights.size() / planes.planes;
  std::vector<double> rows(planes.weights.size());
  for (std::size_t k = 0; k < planes.planes; ++k)
    for (std::size_t j = 0; j < features; ++j) rows[k * features + j] = planes.weights[j * planes.planes + k];
  return rows;
}

}  // namespace

Weights weights_of(const Planes& planes) {
  const std::size_t features = planes.weights.size() / planes.planes;
  SparseRows<double> rows;
  rows.offsets.resize(planes.planes + std::size_t{1});
  for (std::size_t i = 0; i < planes.weights.size(); ++i)
    if (planes.weights[i] != 0.0) ++rows.offsets[i % planes.planes + 1];
  for (std::size_t k = 0; k < planes.planes; ++k) rows.offsets[k + 1] += rows.offsets[k];
  constexpr std::uint64_t kFew = 4;
  if (planes.planes == 1 || rows.offsets.back() * kFew > planes.weights.size())
    return Weights::dense(planes.planes, static_cast<std::uint32_t>(features), by_plane(planes));
  rows.index.resize(rows.offsets.back());
  rows.values.resize(rows.offsets.back());
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::size_t i = 0; i < planes.weights.size(); ++i) {
    if (planes.weights[i] == 0.0) continue;
    const std::uint64_t place = next[i % planes.planes]++;
    rows.index[place] = static_cast<std::uint32_t>(i / planes.planes);
    rows.values[place] = planes.weights[i];
  }
  return Weights::sparse(planes.planes, static_cast<std::uint32_t>(features), std::move(rows));
}

Planes planes_of(const LinearModel& model) {
  const auto planes = static_cast<std::uint32_t>(model.rows());
  Planes out{planes, std::vector<double>(std::size_t{model.features()} * planes), model.parts().bias};
  std::vector<double> w(model.features());
  for (std::size_t k = 0; k < planes; ++k) {
    model.parts().weights.row_after(k, w);
    for (std::size_t j = 0; j < w.size(); ++j) out.weights[j * planes + k] = w[j];
  }
  return out;
}

void add_planes(Record& record, std::string_view name, const Planes& planes) {
  const std::uint64_t count = planes.planes, width = planes.weights.size() / count + 1;
  const Weights weights = weights_of(planes);
  if (weights.form() == Weights::Form::dense) {
    std::vector<double> values;
    values.reserve(count * width);
    for (std::uint64_t k = 0; k < count; ++k) {
      const In row = weights.dense_values().subspan(k * (width - 1), width - 1);
      values.insert(values.end(), row.begin(), row.end());
      values.push_back(planes.bias[k]);
    }
    record.statistics.push_back({std::string(name), {count, width}, std::move(values)});
    return;
  }
  std::vector<std::int64_t> places;
  std::vector<double> values;
  const auto add = [&](std::uint64_t place, double value) {
    places.push_back(static_cast<std::int64_t>(place));
    values.push_back(value);
  };
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto index = weights.sparse_values().row_index(k);
    const auto row = weights.sparse_values().row_values(k);
    for (std::size_t i = 0; i < index.size(); ++i) add(k * width + index[i], row[i]);
    add(k * width + width - 1, planes.bias[k]);
  }
  record.statistics.push_back({std::string(name) + "_places", {places.size()}, std::move(places)});
  record.statistics.push_back({std::string(name) + "_values", {values.size()}, std::move(values)});
}

std::optional<Planes> kept_planes(const Record& record, std::string_view name, std::uint32_t planes,
                                  std::uint32_t features) {
  const std::uint64_t width = std::uint64_t{features} + 1;
  Planes found{planes, {}, std::vector<double>(planes)};
  const auto put = [&](std::uint64_t place, double value) {
    const std::uint64_t k = place / width, j = place % width;
    (j == features ? found.bias[k] : found.weights[j * planes + k]) = value;
  };
  const auto broken = [&] {
    return Error(ErrorCode::model, "the statistic " + std::string(name) + " has another size than the model");
  };
  if (const Statistic* const all = find_statistic(record, name)) {
    const auto* const values = std::get_if<std::vector<double>>(&all->values);
    if (values == nullptr || values->size() != planes * width) throw broken();
    found.weights.resize(std::size_t{features} * planes);
    for (std::uint64_t i = 0; i < values->size(); ++i) put(i, (*values)[i]);
    return found;
  }
  const Statistic* const at = find_statistic(record, std::string(name) + "_places");
  const Statistic* const of = find_statistic(record, std::string(name) + "_values");
  if (at == nullptr || of == nullptr) return {};
  const auto* const places = std::get_if<std::vector<std::int64_t>>(&at->values);
  const auto* const values = std::get_if<std::vector<double>>(&of->values);
  if (places == nullptr || values == nullptr || places->size() != values->size()) throw broken();
  found.weights.resize(std::size_t{features} * planes);
  for (std::size_t i = 0; i < places->size(); ++i) {
    const auto place = static_cast<std::uint64_t>((*places)[i]);
    if (place >= planes * width) throw broken();
    put(place, (*values)[i]);
  }
  return found;
}

}  // namespace plumb
