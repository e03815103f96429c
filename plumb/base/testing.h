// Shared by the tests of this layer: the error of an action, and actions in a process of their own. Included by tests
// alone.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

// How many cases of a sweep to try: a tenth under a sanitizer. The sanitizer watches memory, which every case uses in
// the same way; the release build checks the digits and bytes of all cases.
template <class Number>
constexpr Number sweep_size(Number cases) noexcept {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return cases / 10;
#else
  return cases;
#endif
}

// The cases of a sweep over a list, of thread counts for example: under a sanitizer the first and the last.
template <class Case>
std::vector<Case> sweep_of(std::initializer_list<Case> cases) {
  if (sweep_size(10) < 10) return {*cases.begin(), *(cases.end() - 1)};
  return cases;
}

// The Error that the action throws, if it throws one.
inline std::optional<Error> failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// The Error that the action must throw.
inline Error error_of(const std::function<void()>& action) {
  if (const std::optional<Error> error = failure_of(action)) return *error;
  ADD_FAILURE() << "no Error was thrown";
  return Error(ErrorCode::internal, "none");
}

// Runs the action in a child process, because it changes limits or standard handles; it must return true.
inline void expect_in_child(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    bool good = false;
    try {
      good = action();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace plumb
