#include "cli/signals.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>

namespace plumb::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t has_file_to_remove = 0;
char file_to_remove[PATH_MAX];

// A wait that begins just after the signal would miss it, so a timer repeats waking waits until the program ends.
constexpr itimerval kTicks{.it_interval = {0, 50'000}, .it_value = {0, 50'000}};

extern "C" void on_tick(int) {}

// Calls only functions that POSIX or Linux allow in a handler.
extern "C" void on_stop_signal(int number) {
  const int error = errno;
  if (stop_signal != 0) {
    if (has_file_to_remove != 0) unlink(file_to_remove);
    _exit(128 + number);
  }
  stop_signal = number;
  setitimer(ITIMER_REAL, &kTicks, nullptr);
  errno = error;
}

}  // namespace

void watch_signals() {
  // Without SA_RESTART, so that signals end waits.
  struct sigaction action {};
  sigfillset(&action.sa_mask);
  action.sa_handler = on_tick;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = on_stop_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

int stopping_signal() noexcept { return stop_signal; }

std::string signal_name(int number) {
  switch (number) {
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    case SIGHUP: return "SIGHUP";
    case SIGQUIT: return "SIGQUIT";
    case SIGXCPU: return "SIGXCPU";
    default: return "signal " + std::to_string(number);
  }
}

RemovedBySignal::RemovedBySignal(const std::string& path) {
  if (path.empty() || path.size() >= sizeof file_to_remove) return;
  std::copy_n(path.c_str(), path.size() + 1, file_to_remove);
  has_file_to_remove = 1;
}

RemovedBySignal::~RemovedBySignal() { has_file_to_remove = 0; }

}  // namespace plumb::cli
