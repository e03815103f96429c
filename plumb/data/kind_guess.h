// Number, category, text or date: a guess from the first values of a column.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "plumb/data/date_text.h"
#include "plumb/data/table.h"

namespace plumb {

class KindGuess {
 public:
  // False if the value is neither empty nor meant as a number.
  bool see(std::string_view value);
  // A value that is text even if it holds a number.
  void see_text(std::string_view value);
  // A number if nine in ten of the values that are not empty are, or if half are and they are too various to be codes:
  // then the others are more likely marks for missing values, which the user should hear of. A date if all are. Text if
  // they are no numbers, have four words or more on the average, and more than half of them are different. Called
  // "text", a column needs no four words.
  // Whole numbers with leading zeros, such as 08123, name things: they are categories.
  Kind kind(std::string_view name = {}) const noexcept;
  // Of a column of dates: how they are written, where only one reading fits.
  std::string date_format() const { return format_of(dates_order_); }
  SampledNumbers sampled() const noexcept;
  const std::string& first_odd() const noexcept { return first_odd_; }  // the first that is no plain number
  const std::string& first_padded() const noexcept { return padded_; }  // ... with a leading zero, if it counts

 private:
  void see_date(std::string_view value);
  void see_digits(std::string_view number);
  void see_words(std::string_view value);

  std::uint64_t seen_ = 0;     // values that are not empty
  std::uint64_t numbers_ = 0;  // those meant as numbers
  std::uint64_t dates_ = 0;    // dates; no longer counted after the first value that is not one
  std::set<double> distinct_;  // of those, the first few different ones
  std::uint64_t plain_ = 0;    // of those, the ones that are read
  bool whole_ = true;
  bool digits_ = true;  // they are nothing but digits
  std::string padded_;  // the first with a leading zero
  std::string first_odd_;
  DateOrder dates_order_{true, true, true, 0};         // what all dates have in common
  std::uint64_t texts_ = 0;                            // values that are not numbers, the first few thousand
  std::uint64_t words_ = 0;                            // in these
  std::unordered_set<std::uint64_t> different_texts_;  // hashes
};

}  // namespace plumb
