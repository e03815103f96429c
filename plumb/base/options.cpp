#include "plumb/base/options.h"

#include "plumb/base/choices.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb::option_detail {

template <class Wide>
Wide read_whole(std::string_view text, std::optional<Wide> low, std::optional<Wide> high, Wide least, Wide most) {
  Wide value = 0;
  const bool read = parse_integer(text, value);
  const bool fits = read && value >= least && value <= most;
  if (fits && (!low || value >= *low) && (!high || value <= *high)) return value;
  // Digits that are too many are told where numbers end, a limit that nobody else needs to hear of.
  const std::string_view digits = text.starts_with('-') && std::is_signed_v<Wide> ? text.substr(1) : text;
  if (!fits && !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    low = low.value_or(least);
    high = high.value_or(most);
  }
  if (std::is_unsigned_v<Wide> && !low) low = 0;
  const std::string range = range_text(low ? value_text(*low) : "", high ? value_text(*high) : "");
  throw OptionFault{"a whole number" + (range.empty() ? "" : ", " + range)};
}
template std::int64_t read_whole(std::string_view, std::optional<std::int64_t>, std::optional<std::int64_t>,
                                 std::int64_t, std::int64_t);
template std::uint64_t read_whole(std::string_view, std::optional<std::uint64_t>, std::optional<std::uint64_t>,
                                  std::uint64_t, std::uint64_t);

double read_real(std::string_view text, std::optional<double> low, std::optional<double> high) {
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none || (low && number.value < *low) || (high && number.value > *high))
    throw OptionFault{"a number" + (low || high
                                        ? ", " + range_text(low ? real_text(*low) : "", high ? real_text(*high) : "")
                                        : std::string())};
  return number.value;
}

std::size_t read_choice(std::string_view text, const std::vector<std::string>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i] == text) return i;
  throw OptionFault{one_of(choices)};
}

std::string real_text(double value) { return number_text(value); }

std::string range_text(const std::string& low, const std::string& high) {
  if (!low.empty() && !high.empty()) return "from " + low + " to " + high;
  if (!low.empty()) return "at least " + low;
  return high.empty() ? "" : "at most " + high;
}

void add_items(std::vector<std::string>& list, std::string_view text) {
  for (std::string& item : split_list(text)) {
    if (item.empty()) throw OptionFault{"names separated by commas, none of them empty"};
    list.push_back(std::move(item));
  }
}

}  // namespace plumb::option_detail
