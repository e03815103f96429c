#include "plumb/feature/levels.h"

#include <algorithm>

#include "plumb/base/number.h"

namespace plumb {
namespace {

bool all_numbers(const std::vector<std::string>& levels) {
  return std::all_of(levels.begin(), levels.end(), [](const std::string& level) {
    return level.empty() || parse_number(level).fault == NumberFault::none;
  });
}

}  // namespace

void sort_levels(std::vector<std::string>& levels) {
  const bool numbers = all_numbers(levels);
  std::sort(levels.begin(), levels.end(), [&](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return !a.empty() && b.empty();
    if (!numbers) return a < b;
    const double x = parse_number(a).value, y = parse_number(b).value;
    return x < y || (x == y && a < b);
  });
}

std::vector<std::string> labels_among(std::vector<std::string> levels) {
  sort_levels(levels);
  if (!levels.empty() && levels.back().empty()) levels.pop_back();
  if (!all_numbers(levels)) return levels;
  const auto equal = [](const std::string& a, const std::string& b) {
    return parse_number(a).value == parse_number(b).value;
  };
  levels.erase(std::unique(levels.begin(), levels.end(), equal), levels.end());
  return levels;
}

std::vector<std::string> labels_of_all(std::vector<std::string> labels, const std::string& positive) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  labels = labels_among(std::move(labels));
  if (!positive.empty() && labels.size() == 2 && LabelCodes(labels).find(positive) == std::uint32_t{0})
    std::swap(labels[0], labels[1]);
  return labels;
}

LabelCodes::LabelCodes(std::span<const std::string> labels, std::size_t known) {
  const bool numbers = all_numbers({labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(known)});
  for (const std::string& label : labels) {
    const auto code = static_cast<std::uint32_t>(by_text_.size());
    by_text_.emplace(label, code);
    const ParsedNumber number = parse_number(label);
    if (numbers && number.fault == NumberFault::none) by_number_.emplace(number.value, code);
  }
}

std::optional<std::uint32_t> LabelCodes::find(std::string_view label) const {
  if (const auto found = by_text_.find(label); found != by_text_.end()) return found->second;
  const ParsedNumber number = parse_number(label);
  if (number.fault != NumberFault::none) return std::nullopt;
  const auto found = by_number_.find(number.value);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

void append_new_labels(std::vector<std::string>& labels, std::size_t known, const std::vector<std::string>& levels) {
  const LabelCodes codes(labels, known);
  std::vector<std::string> others;
  for (const std::string& level : levels)
    if (!codes.find(level)) others.push_back(level);
  others = labels_among(std::move(others));
  labels.insert(labels.end(), others.begin(), others.end());
}

}  // namespace plumb
