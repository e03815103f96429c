// The one exception type. An Error says what is wrong, where, and what to type next.
// Thrown when an operation cannot give its result; bad news that is a result is a value, not an Error.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumb {

// One code per kind of failure; cli/ maps them to exit codes (usage 2, data 3, model 4, resources 5, internal 70,
// interrupted 130).
enum class ErrorCode { usage, data, model, resources, interrupted, internal };

// A place in a user's file; line and column count from 1, 0 means "not known".
struct Place {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;

  // "FILE:LINE:COLUMN", as far as known.
  std::string text() const;
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, Place place, const std::string& message, std::string hint = {});
  // For errors without a place. A template, so that a place in braces is never taken for a message.
  template <class Text>
  requires std::convertible_to<const Text&, std::string> Error(ErrorCode code, const Text& message,
                                                               std::string hint = {})
      : Error(code, Place{}, std::string(message), std::move(hint)) {}

  ErrorCode code() const noexcept { return code_; }
  const Place& place() const noexcept { return place_; }
  const std::string& message() const noexcept { return message_; }  // what() without the place
  const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  Place place_;
  std::string message_;
  std::string hint_;
};

}  // namespace plumb
