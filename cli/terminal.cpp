#include "cli/terminal.h"

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace plumb::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

// Closing standard input wakes a read that waits for a pipe or for typing.
extern "C" void on_stop_signal(int number) {
  if (stop_signal != 0) _exit(128 + number);
  stop_signal = number;
  close(STDIN_FILENO);
}

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool colour_for(Colour colour, int stream) {
  if (colour != Colour::automatic) return colour == Colour::always;
  const char* term = std::getenv("TERM");
  return !set_in_environment("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb" && isatty(stream) != 0;
}

constexpr std::string_view kPhases[] = {"reading", "learning features", "fitting", "evaluating", "predicting", "saving"};

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a size limit then is a failed write, which is reported
}

int stopping_signal() noexcept { return stop_signal; }

void Terminal::set(Colour colour, bool quiet, bool verbose) {
  quiet_ = quiet;
  verbose_ = verbose;
  output_style_.colour = colour_for(colour, STDOUT_FILENO);
  error_style_.colour = colour_for(colour, STDERR_FILENO);
}

void Terminal::print(std::string_view text) {
  clear_progress();
  OutputFile output("-");
  output.write(text);
  output.commit();
}

void Terminal::write_error(const std::string& text) {
  clear_progress();
  std::fputs(text.c_str(), stderr);
}

void Terminal::note(const std::string& text) {
  if (!quiet_) write_error(text + "\n");
}

void Terminal::detail(const std::string& text) {
  if (verbose_) write_error(error_style_.faint(text) + "\n");
}

void Terminal::warn(const std::string& text) { write_error(error_style_.yellow("warning:") + " " + text + "\n"); }

void Terminal::error(const Error& error) {
  write_error(error_style_.red("error:") + " " + escaped_for_terminal(error.what()) + "\n");
  if (!error.hint().empty())
    write_error("  " + error_style_.bold("hint:") + " " + escaped_for_terminal(error.hint()) + "\n");
}

void Terminal::clear_progress() {
  if (progress_drawn_) std::fputs("\r\x1b[K", stderr);
  progress_drawn_ = false;
}

Observer Terminal::observer() {
  const char* term = std::getenv("TERM");
  const bool draws = !quiet_ && isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
  return [this, draws](const Progress& progress) {
    if (stop_signal != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!draws || now - last_drawn_ < std::chrono::milliseconds(100)) return true;
    last_drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - started_).count();
    std::string line = std::string(kPhases[static_cast<std::size_t>(progress.phase)]) + " ";
    if (progress.total > 0 && progress.done > 0 && progress.done <= progress.total) {
      const double part = static_cast<double>(progress.done) / static_cast<double>(progress.total);
      line += number_text(100 * part, 2) + " %, " + number_text(seconds * (1 - part) / part, 2) + " s left";
    } else if (progress.done > 0) {
      line += count_text(progress.done);
    }
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    std::fflush(stderr);
    progress_drawn_ = true;
    return true;
  };
}

}  // namespace plumb::cli
