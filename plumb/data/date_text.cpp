#include "plumb/data/date_text.h"

#include <array>

namespace plumb {
namespace {

// Takes texts apart from the front.
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
  // As many digits as there are, at most 9.
  Digits digits() noexcept {
    Digits found;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9' && found.length < 9) {
      found.value = found.value * 10 + static_cast<unsigned>(text_.front() - '0');
      ++found.length;
      text_.remove_prefix(1);
    }
    return found;
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

bool takes_date(Cursor& cursor) noexcept {
  const Cursor::Digits first = cursor.digits();
  if (first.length == 8) {
    const unsigned year = first.value / 10000;
    return year >= 1900 && year <= 2099 && is_day(year, first.value / 100 % 100, first.value % 100);
  }
  for (const char separator : {'-', '/', '.'}) {
    if (!cursor.take(separator)) continue;
    const Cursor::Digits second = cursor.digits();
    if (second.length < 1 || second.length > 2 || !cursor.take(separator)) return false;
    const Cursor::Digits third = cursor.digits();
    if (first.length == 4 && (third.length == 1 || third.length == 2))
      return is_day(first.value, second.value, third.value);
    return (first.length == 1 || first.length == 2) && third.length == 4 &&
           (is_day(third.value, second.value, first.value) || is_day(third.value, first.value, second.value));
  }
  return false;
}

// Two digits below `limit`.
bool takes_pair(Cursor& cursor, unsigned limit) noexcept {
  const Cursor::Digits pair = cursor.digits();
  return pair.length == 2 && pair.value < limit;
}

bool takes_time(Cursor& cursor) noexcept {
  if (!takes_pair(cursor, 24) || !cursor.take(':') || !takes_pair(cursor, 60)) return false;
  if (cursor.take(':')) {
    if (!takes_pair(cursor, 61)) return false;  // a leap second is 60
    if (cursor.take('.') && cursor.digits().length == 0) return false;
  }
  if (cursor.take('Z')) return true;
  if (!cursor.take('+') && !cursor.take('-')) return true;
  const Cursor::Digits offset = cursor.digits();
  if (offset.length == 4) return offset.value / 100 < 24 && offset.value % 100 < 60;
  if (offset.length != 2 || offset.value >= 24) return false;
  return !cursor.take(':') || takes_pair(cursor, 60);
}

}  // namespace

bool is_date(std::string_view text) noexcept {
  Cursor cursor(text);
  if (!takes_date(cursor)) return false;
  if ((cursor.take('T') || cursor.take(' ')) && !takes_time(cursor)) return false;
  return cursor.done();
}

}  // namespace plumb
