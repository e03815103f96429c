// The program: finds the command, parses its options, runs it, and maps every outcome to an exit code.
#include <csignal>
#include <exception>
#include <limits>
#include <new>

#include "cli/command.h"
#include "cli/signals.h"
#include "plumb/base/file.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plumb::cli {
namespace {

constexpr int kBug = 70;

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return 2;
    case ErrorCode::data: return 3;
    case ErrorCode::model: return 4;
    case ErrorCode::resources: return 5;
    case ErrorCode::interrupted: return 130;
    case ErrorCode::internal: return kBug;
  }
  return kBug;
}

int guarded(const std::vector<std::string>& words) {
  Terminal terminal;
  terminal.set(Colour::automatic, false, false);
  watch_signals();
  try {
    return run_words(words, terminal);
  } catch (const Error& error) {
    if (const int signal = stopping_signal(); signal != 0) {
      terminal.error(Error(ErrorCode::interrupted, "interrupted by " + signal_name(signal) + "; nothing was saved"));
      return 128 + signal;
    }
    // If the reader closed the pipe it has what it wanted: no message, and the exit code of a program that the signal
    // ended.
    if (error.code() == ErrorCode::resources && Terminal::reader_is_gone()) return 128 + SIGPIPE;
    terminal.error(error);
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    terminal.error(Error(ErrorCode::resources, "there is not enough memory for this data"));
    return exit_code(ErrorCode::resources);
  } catch (const std::exception& error) {
    terminal.error(Error(ErrorCode::internal, std::string("this is a bug in plumb: ") + error.what()));
    return kBug;
  }
}

// A run allocates and frees arrays of megabytes, block after block. If they are returned to the system they are cleared
// and mapped again each time, which can cost more than filling them; so the process keeps its memory until it ends.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of glibc: larger ones are returned at once
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace
}  // namespace plumb::cli

int main(int count, char** words) {
  plumb::open_closed_streams();
  plumb::cli::keep_freed_memory();
  return plumb::cli::guarded({words + 1, words + count});
}
