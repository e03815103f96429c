#include "plumb/select/grid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostValues = 1000, kMostSettings = 10'000;
// The direction in which an option simplifies a model.
constexpr std::pair<std::string_view, double> kSimpler[] = {
    {"l2", 1.0},       {"l1", 1.0}, {"smoothing", 1.0},       {"virtual", 1.0},    {"min-df", 1.0},  {"min-count", 1.0},
    {"drop-top", 1.0}, {"C", -1.0}, {"prior-variance", -1.0}, {"max-terms", -1.0}, {"passes", -1.0},
};

Error not_a_grid(std::string_view text) {
  return Error(ErrorCode::usage,
               "--grid is " + in_quotes(text) + "; an option and its values were expected, as in l2=1e-3..1e3:7",
               "--grid l2=1e-3..1e3:7");
}

// `ends`: the text before the colon.
Error not_a_count(std::string_view text, std::string_view ends) {
  return Error(ErrorCode::usage,
               "--grid is " + in_quotes(text) + "; a range ends with :N, the number of values, from 2 to " +
                   count_text(kMostValues),
               "--grid " + std::string(ends) + ":7");
}

double number(std::string_view text, std::string_view all) {
  const ParsedNumber parsed = parse_number(text);
  if (parsed.fault == NumberFault::none) return parsed.value;
  throw Error(
      ErrorCode::usage,
      "--grid is " + in_quotes(all) + "; a range runs from one number to another, and " + in_quotes(text) + " is none",
      "--grid l2=1e-3..1e3:7");
}

// A value that occurs twice would be tried twice, for nothing.
void add_once(std::vector<std::string>& values, std::string value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
}

// Between the ends `digits` are enough, so that people can read and type the values again: 31.6, not 31.6227766017. An
// end stays as typed, except that a whole number is written as one.
std::string value_text(double value, bool end, int digits, const std::string& option, const TakesValue& takes) {
  std::string text = number_text(value, end ? 12 : digits);
  constexpr double kMostWhole = 1e15;
  if (!takes || takes(option, text) || !(std::abs(value) < kMostWhole)) return text;
  std::string whole = std::to_string(std::llround(value));
  return (!end || value == std::round(value)) && takes(option, whole) ? whole : text;
}

}  // namespace

GridAxis read_axis(std::string_view text, const TakesValue& takes) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) throw not_a_grid(text);
  GridAxis axis{std::string(text.substr(0, equals)), {}};
  const std::string_view rest = text.substr(equals + 1);
  const std::size_t dots = rest.find("..");
  if (dots == std::string_view::npos) {
    for (std::size_t begin = 0; begin <= rest.size();) {
      const std::size_t comma = std::min(rest.find(',', begin), rest.size());
      if (comma == begin) throw not_a_grid(text);
      add_once(axis.values, std::string(rest.substr(begin, comma - begin)));
      begin = comma + 1;
    }
    return axis;
  }
  const std::size_t colon = rest.find(':', dots);
  std::uint64_t count = 0;
  const std::size_t end = std::min(colon, rest.size());
  const double low = number(rest.substr(0, dots), text), high = number(rest.substr(dots + 2, end - dots - 2), text);
  if (end == rest.size() || !parse_integer(rest.substr(end + 1), count) || count < 2 || count > kMostValues)
    throw not_a_count(text, text.substr(0, equals + 1 + end));
  const bool ratios = low > 0 && high > 0;
  const double step = ratios ? std::abs(math::log(high) - math::log(low)) / static_cast<double>(count - 1) : 0.0;
  constexpr std::uint64_t kFew = 100;
  // Few enough digits, but distinct values.
  const int digits = ratios ? (step > 0.05 ? 3 : 12) : (count <= kFew && low <= 0 && high >= 0 ? 4 : 12);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double value = i == 0           ? low
                         : i + 1 == count ? high
                         : ratios         ? math::exp(math::log(low) + share * (math::log(high) - math::log(low)))
                                          : low + share * (high - low);
    add_once(axis.values, value_text(value, i == 0 || i + 1 == count, digits, axis.option, takes));
  }
  return axis;
}

std::vector<std::vector<std::pair<std::string, std::string>>> combinations(const std::vector<GridAxis>& axes) {
  std::vector<std::vector<std::pair<std::string, std::string>>> all = {{}};
  for (const GridAxis& axis : axes) {
    if (axis.values.size() > kMostSettings / all.size())
      throw Error(
          ErrorCode::usage,
          "the grid has more than " + count_text(kMostSettings) + " settings, its values of all options combined",
          "--grid " + axis.option + "=... with fewer values");
    std::vector<std::vector<std::pair<std::string, std::string>>> longer;
    for (const auto& before : all)
      for (const std::string& value : axis.values) {
        longer.push_back(before);
        longer.back().emplace_back(axis.option, value);
      }
    all = std::move(longer);
  }
  return all;
}

double simplicity(const std::string& option, const std::string& value) {
  const ParsedNumber parsed = parse_number(value);
  if (parsed.fault != NumberFault::none) return 0.0;
  for (const auto& [name, sign] : kSimpler)
    if (name == option) return sign * math::log1p(std::max(0.0, parsed.value) * 1e12);  // equal in order, including 0
  return 0.0;
}

GridChoice choose(const std::vector<double>& loss, const std::vector<double>& standard_error,
                  const std::vector<double>& simple) {
  GridChoice choice;
  for (std::size_t i = 1; i < loss.size(); ++i)
    if (loss[i] < loss[choice.best] || (loss[i] == loss[choice.best] && simple[i] > simple[choice.best]))
      choice.best = i;
  choice.one_se = choice.best;
  const double bound = loss[choice.best] + standard_error[choice.best];
  for (std::size_t i = 0; i < loss.size(); ++i) {
    if (!(loss[i] <= bound)) continue;
    if (simple[i] > simple[choice.one_se] || (simple[i] == simple[choice.one_se] && loss[i] < loss[choice.one_se]))
      choice.one_se = i;
  }
  return choice;
}

}  // namespace plumb
