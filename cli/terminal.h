// Standard output for results, standard error for everything else; colour and progress only where a person looks.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "plumb/plumb.h"

namespace plumb::cli {

enum class Colour { automatic, always, never };

}  // namespace plumb::cli

template <>
struct plumb::EnumNames<plumb::cli::Colour> {
  static constexpr std::string_view names[] = {"auto", "always", "never"};
};

namespace plumb::cli {

class Terminal {
 public:
  // Colours are decided per stream: `automatic` follows NO_COLOR, TERM and whether the stream is a terminal.
  void set(Colour colour, bool quiet, bool verbose);

  void print(std::string_view text);     // results, to standard output
  void note(const std::string& text);    // what was guessed or done; not with --quiet
  void detail(const std::string& text);  // only with --verbose
  void warn(const std::string& text);    // also with --quiet
  void error(const Error& error);

  const Style& style() const noexcept { return output_style_; }
  bool quiet() const noexcept { return quiet_; }

  // Draws progress on a terminal, and says stop once the user has pressed Ctrl-C.
  Observer observer();

 private:
  void clear_progress();
  void write_error(const std::string& text);

  bool quiet_ = false;
  bool verbose_ = false;
  bool progress_drawn_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_drawn_ = started_;
  Style output_style_;
  Style error_style_;
};

// From now on Ctrl-C and SIGTERM ask to stop instead of ending the program; a second one ends it at once.
void watch_signals();
// The signal that asked to stop, or 0.
int stopping_signal() noexcept;

}  // namespace plumb::cli
