#include "plumb/select/split.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

TestChoice::TestChoice(double share_or_rows) {
  if (share_or_rows > 0 && share_or_rows < 1) {
    fraction = share_or_rows;
  } else if (share_or_rows >= 1 && share_or_rows == std::floor(share_or_rows) && share_or_rows < 0x1p53) {
    what = What::rows;
    rows = static_cast<std::uint64_t>(share_or_rows);
  } else {
    throw Error(ErrorCode::usage, "the held-out rows are " + number_text(share_or_rows) +
                                      "; a fraction between 0 and 1, or a number of rows, was expected");
  }
}

TestChoice OptionText<TestChoice>::read(std::string_view text) {
  TestChoice choice;
  if (text == "none") {
    choice.what = TestChoice::What::none;
    return choice;
  }
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none) {
    if (text.empty()) throw OptionFault{"a fraction such as 0.2, a number of rows, a file, or none"};
    choice.what = TestChoice::What::file;
    choice.file = std::string(text);
    return choice;
  }
  if (number.value > 0 && number.value < 1) {
    choice.fraction = number.value;
  } else if (parse_integer(text, choice.rows) && choice.rows > 0) {
    choice.what = TestChoice::What::rows;
  } else {
    throw OptionFault{"a fraction between 0 and 1, a number of rows of at least 1, a file, or none"};
  }
  return choice;
}

std::string OptionText<TestChoice>::text(const TestChoice& choice) {
  switch (choice.what) {
    case TestChoice::What::none: return "none";
    case TestChoice::What::fraction: return number_text(choice.fraction);
    case TestChoice::What::rows: return std::to_string(choice.rows);
    case TestChoice::What::file: return choice.file;
  }
  return "";
}

TestChoice as_rows(const TestChoice& choice, std::uint64_t n) {
  if (choice.what != TestChoice::What::fraction) return choice;
  return {TestChoice::What::rows, 0.0, held_out_count(n, choice), ""};
}

std::uint64_t held_out_count(std::uint64_t n, const TestChoice& choice, const std::string& option) {
  if (choice.what == TestChoice::What::none || choice.what == TestChoice::What::file) return 0;
  if (n < 2)
    throw Error(ErrorCode::data,
                "there " + std::string(n == 1 ? "is 1 row" : "are no rows") +
                    "; at least 2 were expected, one for training and one for testing",
                "--" + option + " none trains on every row");
  if (choice.what == TestChoice::What::fraction)
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::llround(choice.fraction * static_cast<double>(n))),
                                     1, n - 1);
  if (choice.rows >= n)
    throw Error(ErrorCode::data,
                "--" + option + " asks for " + counted(choice.rows, "row") + " of " + count_text(n) +
                    "; at least one must be left to train on",
                "--" + option + " " + std::to_string(std::max<std::uint64_t>(1, n / 5)));
  return choice.rows;
}

}  // namespace plumb
