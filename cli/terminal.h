// Standard output for results, standard error for everything else; colour and progress only where a person looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/forecast.h"
#include "plumb/base/error.h"
#include "plumb/base/options.h"
#include "plumb/base/run.h"
#include "plumb/report/style.h"
#include "plumb/workflow/messages.h"

namespace plumb::cli {

enum class Colour { automatic, always, never };

}  // namespace plumb::cli

template <>
struct plumb::EnumNames<plumb::cli::Colour> {
  static constexpr std::string_view names[] = {"auto", "always", "never"};
};

namespace plumb::cli {

class Terminal final : public Messages {
 public:
  // Colours are decided per stream: `automatic` follows NO_COLOR, TERM and whether the stream is a terminal.
  void set(Colour colour, bool quiet, bool verbose);

  void print(std::string_view text);                                              // data, unchanged, to standard output
  void show(std::string_view text) { print(fitted(text, output_style_.width)); }  // text for people, as wide as fits
  template <class Found>
  void show(const Found& found, bool json) {
    json ? print(to_json(found)) : show(to_text(found, output_style_));
  }
  void hush_notes(bool on) noexcept { hushed_ = on; }              // while a command runs another; progress is shown
  void keep_results(std::string* into) noexcept { kept_ = into; }  // where print() writes instead, if not null
  void print_help(std::string_view text);                          // a page of our own, to standard error
  // One line each, to standard error. Control bytes in them are escaped here, so callers may include any file or column
  // name; text that is already escaped stays as it is.
  void note(const std::string& text) override;    // guesses and actions; not with --quiet
  void detail(const std::string& text) override;  // only with --verbose
  void warn(const std::string& text) override;    // also with --quiet
  void error(const Error& error);

  const Style& style() const noexcept { return output_style_; }
  bool quiet() const noexcept { return quiet_; }
  // Whether the reader of standard output has closed it, as head does when it has enough.
  static bool reader_is_gone() noexcept;

  // Draws progress on a terminal, and asks to stop after a signal.
  Observer observer();

 private:
  void clear_progress();
  void write_error(std::string_view text);

  std::string* kept_ = nullptr;
  bool quiet_ = false;
  bool verbose_ = false;
  bool progress_drawn_ = false;
  bool hushed_ = false;
  Forecast forecast_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_drawn_ = started_;
  Style output_style_;
  Style error_style_;
};

}  // namespace plumb::cli
