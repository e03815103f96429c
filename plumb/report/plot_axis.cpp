#include "plumb/report/plot_axis.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "plumb/base/number.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::min();

// count * 10^exponent, rounded once.
double decimal(std::int64_t count, int exponent) {
  return parse_number(std::to_string(count) + "e" + std::to_string(exponent)).value;
}

// digits * 10^exponent without an exponent, with as many decimals as that has.
std::string in_full(std::string digits, int exponent) {
  if (exponent >= 0) return digits + std::string(static_cast<std::size_t>(exponent), '0');
  const auto decimals = static_cast<std::size_t>(-exponent);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  return digits.substr(0, digits.size() - decimals) + "." + digits.substr(digits.size() - decimals);
}

struct Label {
  std::string full;   // 1700000100, 0.50
  std::string brief;  // 1.7000001e9, 5e-1
  bool plain;         // few digits before the point and after it
};

Label label_of(std::int64_t count, int exponent) {
  if (count == 0) return {in_full("0", std::clamp(exponent, -20, 0)), "0", exponent >= -5};
  const std::string sign = count < 0 ? "-" : "";
  std::string digits = std::to_string(count < 0 ? -count : count);
  const int whole = static_cast<int>(digits.size()) + exponent;  // digits in front of the point
  Label label{"", "", whole <= 7 && exponent >= -5};
  if (whole <= 20 && exponent >= -20) label.full = sign + in_full(digits, exponent);
  digits.erase(digits.find_last_not_of('0') + 1);
  const std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
  label.brief = sign + digits.substr(0, 1) + fraction + "e" + std::to_string(whole - 1);
  return label;
}

// All in full, with as many decimals as their step, if that is plain or no longer; otherwise all with an exponent.
std::vector<std::string> texts_of(const std::vector<Label>& labels) {
  std::size_t full = 0, brief = 0;
  bool plain = true, possible = true;
  for (const Label& label : labels) {
    full = std::max(full, label.full.size());
    brief = std::max(brief, label.brief.size());
    plain = plain && label.plain;
    possible = possible && !label.full.empty();
  }
  std::vector<std::string> texts;
  for (const Label& label : labels) texts.push_back(plain || (possible && full <= brief) ? label.full : label.brief);
  return texts;
}

// The multiples of lead * 10^exponent in the range, or too many of them: one more than `most`.
std::vector<std::int64_t> multiples(const AxisRange& range, int lead, int exponent, std::size_t most) {
  const double step = decimal(lead, exponent);
  if (step == 0.0 || !std::isfinite(step)) return {};
  const double first = std::ceil(range.low / step), last = std::floor(range.high / step);
  // More than the steps that are searched, and more than fits in an integer.
  if (!(last - first < 1e4) || !(std::max(std::abs(first), std::abs(last)) < 1e17))
    return std::vector<std::int64_t>(most + 1);
  std::vector<std::int64_t> found;
  // The quotients are rounded, so the multiples themselves are checked against the range.
  for (auto k = static_cast<std::int64_t>(first) - 1; k <= static_cast<std::int64_t>(last) + 1; ++k) {
    const double value = decimal(k * lead, exponent);
    if (value >= range.low && value <= range.high) found.push_back(k);
    if (found.size() > most) break;
  }
  return found;
}

double log10_of(double value) { return math::log(value) * 0.43429448190325182; }

}  // namespace

AxisRange axis_range(double low, double high, double margin) {
  assert(low <= high);
  const double size = std::max(std::abs(low), std::abs(high));
  if (low == high) {
    const double room = low == 0.0 ? 1.0 : std::max(std::abs(low) * 0.1, 1e-300);
    return {std::max(low - room, -kLargest), std::min(high + room, kLargest)};
  }
  const double half = high / 2 - low / 2;  // the whole span may overflow
  double extra = 2 * margin * half;
  extra = std::max(extra, std::max(size * 1e-12, 1e-300) / 2 - half);
  return {std::max(low - extra, -kLargest), std::min(high + extra, kLargest)};
}

AxisRange logarithmic_range(double low, double high, double margin) {
  assert(low > 0.0 && low <= high);
  const double first = math::log(low), last = math::log(high);
  const AxisRange logs = axis_range(first, last, margin);
  // One value, or nearly: a factor of 2 to each side.
  const double room = std::max({first - logs.low, logs.high - last, last - first < 1e-9 ? 0.7 : 0.0});
  return {std::clamp(math::exp(first - room), kLeast, low), std::clamp(math::exp(last + room), high, kLargest)};
}

std::vector<Tick> linear_ticks(const AxisRange& range, std::size_t most) {
  most = std::max<std::size_t>(most, 1);
  const double step = range.high / static_cast<double>(most) - range.low / static_cast<double>(most);
  // From a step that is too small: each further one gives fewer ticks.
  for (int exponent = std::max(static_cast<int>(std::floor(std::log10(step))) - 1, -323);; ++exponent)
    for (const int lead : {1, 2, 5}) {
      const std::vector<std::int64_t> found = multiples(range, lead, exponent, most);
      if (found.size() > most) continue;
      std::vector<Label> labels;
      for (const std::int64_t k : found) labels.push_back(label_of(k * lead, exponent));
      const std::vector<std::string> texts = texts_of(labels);
      std::vector<Tick> ticks;
      for (std::size_t i = 0; i < found.size(); ++i) ticks.push_back({decimal(found[i] * lead, exponent), texts[i]});
      return ticks;
    }
}

std::vector<Tick> logarithmic_ticks(const AxisRange& range, std::size_t most) {
  assert(range.low > 0.0);
  most = std::max<std::size_t>(most, 1);
  const int first = static_cast<int>(std::floor(log10_of(range.low))) - 1;
  const int last = static_cast<int>(std::ceil(log10_of(range.high))) + 1;
  const auto within = [&](std::initializer_list<int> leads, int every) {
    std::vector<Tick> ticks;
    for (int exponent = first; exponent <= last; ++exponent)
      for (const int lead : leads) {
        const double value = decimal(lead, exponent);
        if (exponent % every == 0 && value >= range.low && value <= range.high)
          ticks.push_back({value, texts_of({label_of(lead, exponent)})[0]});
      }
    return ticks;
  };
  std::vector<Tick> ticks = within({1, 2, 5}, 1);
  if (ticks.size() < 2) return linear_ticks(range, most);
  for (int every = 1; ticks.size() > most; ++every) ticks = within({1}, every);
  return ticks;
}

AxisScale::AxisScale(const AxisRange& range, bool logarithmic, double first_pixel, double last_pixel)
    : range_(range), logarithmic_(logarithmic), first_(first_pixel), last_(last_pixel) {
  low_ = place(range.low);
  high_ = place(range.high);
}

bool AxisScale::shows(double value) const noexcept { return value >= range_.low && value <= range_.high; }

bool AxisScale::has_place(double value) const noexcept {
  return std::isfinite(value) && (!logarithmic_ || value > 0.0);
}

double AxisScale::operator()(double value) const noexcept {
  const double part = (place(value) - low_) / (high_ - low_);
  return first_ + std::clamp(part, -100.0, 100.0) * (last_ - first_);
}

double AxisScale::value_at(double part) const noexcept {
  const double place = low_ + part * (high_ - low_);
  return std::clamp(logarithmic_ ? math::exp(place) : place * 2, range_.low, range_.high);
}

// Halves, because the span of an axis may overflow.
double AxisScale::place(double value) const noexcept { return logarithmic_ ? math::log(value) : value / 2; }

}  // namespace plumb
