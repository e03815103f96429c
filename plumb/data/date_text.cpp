#include "plumb/data/date_text.h"

#include <array>

#include "plumb/math/calendar.h"

namespace plumb {
namespace {

// Parses texts from the front.
class Cursor {
 public:
  explicit Cursor(std::string_view text) noexcept : text_(text) {}
  bool done() const noexcept { return text_.empty(); }
  bool take(char c) noexcept {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  struct Digits {
    unsigned value = 0;
    std::size_t length = 0;
  };
  // As many digits as there are, up to a limit.
  Digits digits(std::size_t most = 9) noexcept {
    Digits found;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9' && found.length < most) {
      found.value = found.value * 10 + static_cast<unsigned>(text_.front() - '0');
      ++found.length;
      text_.remove_prefix(1);
    }
    return found;
  }
  // An English month, in full or by its first three letters, in any case; 0: there is none.
  unsigned month() noexcept {
    constexpr std::array<std::string_view, 12> names = {"january",   "february", "march",    "april",
                                                        "may",       "june",     "july",     "august",
                                                        "september", "october",  "november", "december"};
    for (unsigned m = 0; m < names.size(); ++m)
      for (const std::size_t length : {names[m].size(), std::size_t{3}}) {
        if (text_.size() < length) continue;
        std::size_t i = 0;
        while (i < length && (text_[i] | 0x20) == names[m][i]) ++i;
        if (i < length) continue;
        text_.remove_prefix(length);
        return m + 1;
      }
    return 0;
  }

 private:
  std::string_view text_;
};

bool is_day(unsigned year, unsigned month, unsigned day) noexcept {
  constexpr std::array<unsigned, 12> days = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1 || day > days[month - 1]) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month != 2 || day < 29 || leap;
}

struct Date {
  bool year_first = false;
  bool day_first = false;
  bool month_first = false;
  char separator = 0;
  math::Day day = {};
  double seconds = 0.0;  // of the day, in UTC
};

bool takes_date(Cursor& cursor, Date& date) noexcept {
  const Cursor::Digits first = cursor.digits();
  const auto is = [&date](unsigned year, unsigned month, unsigned day, bool year_first) {
    date.year_first = year_first;
    date.day = {year, month, day};
    return is_day(year, month, day);
  };
  if (first.length == 8) {
    const unsigned year = first.value / 10000;
    return year >= 1900 && year <= 2099 && is(year, first.value / 100 % 100, first.value % 100, true);
  }
  for (const char separator : {'-', '/', '.'}) {
    if (!cursor.take(separator)) continue;
    const Cursor::Digits second = cursor.digits();
    if (second.length < 1 || second.length > 2 || !cursor.take(separator)) return false;
    const Cursor::Digits third = cursor.digits();
    date.separator = separator;
    if (first.length == 4 && (third.length == 1 || third.length == 2))
      return is(first.value, second.value, third.value, true);
    if (first.length < 1 || first.length > 2 || third.length != 4) return false;
    date.month_first = is_day(third.value, first.value, second.value);
    date.day_first = is(third.value, second.value, first.value, false);
    return date.day_first || is(third.value, first.value, second.value, false);
  }
  return false;
}

// Two digits below `limit`.
std::optional<unsigned> take_pair(Cursor& cursor, unsigned limit) noexcept {
  const Cursor::Digits pair = cursor.digits();
  return pair.length == 2 && pair.value < limit ? std::optional(pair.value) : std::nullopt;
}

bool takes_offset(Cursor& cursor, double sign, Date& date) noexcept {
  const Cursor::Digits offset = cursor.digits();
  unsigned hours = offset.value, minutes = 0;
  if (offset.length == 4) {
    hours = offset.value / 100;
    minutes = offset.value % 100;
  } else if (offset.length != 2) {
    return false;
  } else if (cursor.take(':')) {
    const std::optional<unsigned> pair = take_pair(cursor, 60);
    if (!pair) return false;
    minutes = *pair;
  }
  date.seconds -= sign * (hours * 3600.0 + minutes * 60.0);
  return hours < 24 && minutes < 60;
}

bool takes_time(Cursor& cursor, Date& date) noexcept {
  const std::optional<unsigned> hours = take_pair(cursor, 24);
  if (!hours || !cursor.take(':')) return false;
  const std::optional<unsigned> minutes = take_pair(cursor, 60);
  if (!minutes) return false;
  date.seconds = *hours * 3600.0 + *minutes * 60.0;
  if (cursor.take(':')) {
    const std::optional<unsigned> seconds = take_pair(cursor, 61);  // a leap second is 60
    if (!seconds) return false;
    date.seconds += *seconds;
    if (cursor.take('.')) {
      const Cursor::Digits fraction = cursor.digits();
      if (fraction.length == 0) return false;
      double unit = 1.0;
      for (std::size_t i = 0; i < fraction.length; ++i) unit *= 10.0;
      date.seconds += fraction.value / unit;
    }
  }
  if (cursor.take('Z')) return true;
  if (cursor.take('+')) return takes_offset(cursor, 1.0, date);
  if (cursor.take('-')) return takes_offset(cursor, -1.0, date);
  return true;
}

std::optional<Date> date_of(std::string_view text) noexcept {
  Date date;
  Cursor cursor(text);
  if (!takes_date(cursor, date)) return std::nullopt;
  if ((cursor.take('T') || cursor.take(' ')) && !takes_time(cursor, date)) return std::nullopt;
  return cursor.done() ? std::optional(date) : std::nullopt;
}

}  // namespace

bool is_date(std::string_view text) noexcept { return date_of(text).has_value(); }

std::optional<double> date_days(std::string_view text) noexcept {
  const std::optional<Date> date = date_of(text);
  if (!date || !date->year_first) return std::nullopt;
  return static_cast<double>(math::days_of(date->day)) + date->seconds / 86400.0;
}

std::optional<DateOrder> date_order(std::string_view text) noexcept {
  const std::optional<Date> date = date_of(text);
  if (!date) return std::nullopt;
  return DateOrder{date->year_first, date->day_first, date->month_first, date->separator};
}

std::string format_of(const DateOrder& order) {
  if (order.year_first || order.day_first == order.month_first) return "";
  const std::string sign(1, order.separator);
  return order.day_first ? "%d" + sign + "%m" + sign + "%Y" : "%m" + sign + "%d" + sign + "%Y";
}

bool is_date_format(std::string_view format) noexcept {
  bool year = false, month = false, day = false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (++i == format.size()) return false;
    switch (format[i]) {
      case 'Y':
      case 'y': year = true; break;
      case 'm':
      case 'b':
      case 'B': month = true; break;
      case 'd': day = true; break;
      case 'H':
      case 'M':
      case 'S':
      case '%': break;
      default: return false;
    }
  }
  return year && month && day;
}

std::optional<double> date_days(std::string_view text, std::string_view format) noexcept {
  if (format.empty()) return date_days(text);
  Date date;
  unsigned year = 0, month = 0, day = 0;
  double seconds = 0.0;
  Cursor cursor(text);
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      if (!cursor.take(format[i])) return std::nullopt;
      continue;
    }
    const char what = format[++i];
    if (what == '%') {
      if (!cursor.take('%')) return std::nullopt;
      continue;
    }
    if (what == 'b' || what == 'B') {
      month = cursor.month();
      continue;
    }
    const Cursor::Digits digits = cursor.digits(what == 'Y' ? 4 : 2);
    if (digits.length == 0 || (what == 'Y' && digits.length != 4)) return std::nullopt;
    if (what == 'Y') year = digits.value;
    if (what == 'y') year = digits.value + (digits.value < 69 ? 2000 : 1900);
    if (what == 'm') month = digits.value;
    if (what == 'd') day = digits.value;
    if ((what == 'H' && digits.value > 23) || (what == 'M' && digits.value > 59) || (what == 'S' && digits.value > 60))
      return std::nullopt;
    seconds += digits.value * (what == 'H' ? 3600.0 : what == 'M' ? 60.0 : what == 'S' ? 1.0 : 0.0);
  }
  if (!is_day(year, month, day)) return std::nullopt;
  if (!cursor.done() && ((!cursor.take('T') && !cursor.take(' ')) || !takes_time(cursor, date) || !cursor.done()))
    return std::nullopt;
  return static_cast<double>(math::days_of({year, month, day})) + (seconds + date.seconds) / 86400.0;
}

std::string_view why_no_days(std::string_view text) noexcept {
  return is_date(text) ? "of which the month and the day cannot be told apart; a date like 2024-02-29 was expected"
                       : "which is not a date like 2024-02-29";
}

}  // namespace plumb
