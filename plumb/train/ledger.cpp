#include "plumb/train/ledger.h"

#include <numeric>
#include <string>

namespace plumb {
namespace {

constexpr std::string_view kMistakes = "ledger.mistakes", kUpdates = "ledger.updates", kNorm = "ledger.norm";

template <class Number>
void read(const Record& record, std::string_view name, std::vector<Number>& out) {
  const Statistic* const found = find_statistic(record, name);
  if (found == nullptr) return;
  if (const auto* values = std::get_if<std::vector<Number>>(&found->values)) out = *values;
}

std::int64_t total(const std::vector<std::int64_t>& counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

void Ledger::add(std::uint64_t pass_mistakes, std::uint64_t pass_updates, double weights_norm) {
  mistakes.push_back(static_cast<std::int64_t>(pass_mistakes));
  updates.push_back(static_cast<std::int64_t>(pass_updates));
  norm.push_back(weights_norm);
}

std::int64_t Ledger::all_mistakes() const noexcept { return total(mistakes); }
std::int64_t Ledger::all_updates() const noexcept { return total(updates); }

void Ledger::write(Record& record) const {
  record.statistics.push_back({std::string(kMistakes), {mistakes.size()}, mistakes});
  record.statistics.push_back({std::string(kUpdates), {updates.size()}, updates});
  record.statistics.push_back({std::string(kNorm), {norm.size()}, norm});
}

Ledger Ledger::of(const Record& record) {
  Ledger ledger;
  read(record, kMistakes, ledger.mistakes);
  read(record, kUpdates, ledger.updates);
  read(record, kNorm, ledger.norm);
  if (ledger.updates.size() != ledger.mistakes.size() || ledger.norm.size() != ledger.mistakes.size()) return {};
  return ledger;
}

std::vector<double> boundary_path(const Record& record) {
  const Statistic* const path = find_statistic(record, kBoundaryPath);
  const auto* const values = path == nullptr ? nullptr : std::get_if<std::vector<double>>(&path->values);
  return values == nullptr ? std::vector<double>() : *values;
}

}  // namespace plumb
