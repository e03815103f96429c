#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cli/signals.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/utf8.h"

namespace plumb::cli {
namespace {

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool colour_for(Colour colour, int stream) {
  if (colour != Colour::automatic) return colour == Colour::always;
  const char* term = std::getenv("TERM");
  return !set_in_environment("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb" && isatty(stream) != 0;
}

// The columns of a stream: COLUMNS if it is set, otherwise the terminal's, otherwise the default.
std::size_t width_of(int stream) {
  constexpr std::uint64_t kFewest = 20, kMost = 100'000;
  std::uint64_t columns = 0;
  if (const char* variable = std::getenv("COLUMNS");
      variable != nullptr && parse_integer(variable, columns) && columns >= kFewest)
    return std::min(columns, kMost);
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col >= kFewest) return size.ws_col;
  return kUsualWidth;
}

}  // namespace

void Terminal::set(Colour colour, bool quiet, bool verbose) {
  quiet_ = quiet;
  verbose_ = verbose;
  output_style_.colour = colour_for(colour, STDOUT_FILENO);
  error_style_.colour = colour_for(colour, STDERR_FILENO);
  output_style_.width = width_of(STDOUT_FILENO);
  error_style_.width = width_of(STDERR_FILENO);
}

void Terminal::print(std::string_view text) {
  clear_progress();
  if (kept_ != nullptr) {
    kept_->append(text);
    return;
  }
  OutputFile output("-");
  output.write(text);
  output.commit();
}

void Terminal::write_error(std::string_view text) {
  clear_progress();
  const std::string lines = fitted(text, error_style_.width);
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

void Terminal::print_help(std::string_view text) { write_error(text); }

void Terminal::note(const std::string& text) {
  if (!quiet_ && !hushed_) write_error(escaped_for_terminal(text) + "\n");
}

void Terminal::detail(const std::string& text) {
  if (verbose_) write_error(error_style_.faint(escaped_for_terminal(text)) + "\n");
}

void Terminal::warn(const std::string& text) {
  write_error(error_style_.yellow("warning:") + " " + escaped_for_terminal(text) + "\n");
}

void Terminal::error(const Error& error) {
  write_error(error_style_.red("error:") + " " + escaped_for_terminal(error.what()) + "\n");
  if (!error.hint().empty())
    write_error("  " + error_style_.bold("hint:") + " " + escaped_for_terminal(error.hint()) + "\n");
}

bool Terminal::reader_is_gone() noexcept {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

void Terminal::clear_progress() {
  if (progress_drawn_) std::fputs("\r\x1b[K", stderr);
  progress_drawn_ = false;
}

Observer Terminal::observer() {
  // Progress is drawn with escape codes, as colours are, so NO_COLOR, TERM=dumb and --color never turn it off too.
  const bool draws = !quiet_ && isatty(STDERR_FILENO) != 0 && error_style_.colour;
  return [this, draws](const Progress& progress) {
    if (stopping_signal() != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - started_).count();
    forecast_.hear(progress, seconds);
    if (!draws || now - last_drawn_ < std::chrono::milliseconds(100)) return true;
    last_drawn_ = now;
    std::fputs(("\r\x1b[K" + forecast_.text(seconds)).c_str(), stderr);
    std::fflush(stderr);
    progress_drawn_ = true;
    return true;
  };
}

}  // namespace plumb::cli
