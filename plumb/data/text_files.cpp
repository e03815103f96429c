#include "plumb/data/text_files.h"

#include <algorithm>
#include <span>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view filter;  // makes it text; empty if nothing simple does
};
constexpr std::string_view kFromUtf16 = "iconv -f utf-16 -t utf-8";
constexpr Magic kNotText[] = {{"PK\x03\x04", "a zip archive", "funzip"},
                              {"PAR1", "a Parquet file", ""},
                              {"\xff\xfe", "UTF-16 text", kFromUtf16},
                              {"\xfe\xff", "UTF-16 text", kFromUtf16}};

}  // namespace

TextFiles::TextFiles(std::vector<std::string> paths, std::size_t read_size)
    : paths_(std::move(paths)), read_size_(std::max<std::size_t>(read_size, 1)) {
  name_ = paths_.front() == "-" ? "standard input" : paths_.front();
  if (paths_.size() > 1) name_ += " and " + std::to_string(paths_.size() - 1) + " more";
  if (std::count(paths_.begin(), paths_.end(), "-") > 1)
    throw Error(ErrorCode::usage, "standard input is given twice; it can be read only once");
  next_file();
  bytes_total_ = file_->size_hint();
  // A missing file is said before any work is done.
  for (std::size_t i = 1; i < paths_.size(); ++i) bytes_total_ += expect_readable(paths_[i]);
}

bool TextFiles::next_file() {
  if (next_path_ == paths_.size()) return false;
  if (file_) bytes_read_ += file_->compressed_bytes_read();
  file_.emplace(paths_[next_path_++]);
  ended_ = false;
  text_.clear();
  at_ = 0;
  lines_ = 0;
  return true;
}

void TextFiles::fill(std::size_t bytes) {
  if (at_ > 0) {
    text_.erase(0, at_);
    at_ = 0;
  }
  while (!ended_ && text_.size() < bytes) {
    const std::size_t start = text_.size();
    text_.resize(start + read_size_);
    const std::size_t got = file_->read(std::span(text_).subspan(start));
    text_.resize(start + got);
    digest_.add(std::string_view(text_).substr(start));
    ended_ = got < read_size_;
  }
}

void TextFiles::consume(std::size_t bytes, std::uint64_t lines) noexcept {
  at_ += bytes;
  lines_ += lines;
}

void TextFiles::refuse_other_formats(std::string_view expected) const {
  const std::string_view start = unread().substr(0, 4);
  const auto refuse = [&](std::string_view what, std::string_view filter) {
    throw Error(ErrorCode::data, {file()}, "is " + std::string(what) + "; " + std::string(expected) + " was expected",
                filter.empty() ? "" : piped(filter));
  };
  for (const Magic& magic : kNotText)
    if (start.starts_with(magic.bytes)) refuse(magic.what, magic.filter);
  // Without a mark, UTF-16 shows by the empty half of its first two characters.
  if (start.size() < 4 || (start[0] == '\0') == (start[1] == '\0')) return;
  const bool little = start[1] == '\0';
  if ((start[2] == '\0') == (start[0] == '\0') && (start[3] == '\0') == (start[1] == '\0'))
    refuse("UTF-16 text", little ? "iconv -f utf-16le -t utf-8" : "iconv -f utf-16be -t utf-8");
}

std::optional<TextFault> TextFiles::fault_of_text(std::string_view field, LinePlace place,
                                                  const std::string& called) const {
  if (field.find('\0') != std::string_view::npos)
    return TextFault{place, called + " holds a NUL byte in " + in_quotes(field) + "; text was expected",
                     piped("tr -d '\\0'")};
  if (!valid_utf8(field))
    return TextFault{place, called + " holds " + in_quotes(field) + ", which is not valid UTF-8 text",
                     piped("iconv -f latin1 -t utf-8")};
  return std::nullopt;
}

Error TextFiles::error_of(const TextFault& fault, std::string_view before) const {
  const Place place{file(), lines_ + count_lines(before) + fault.place.line, fault.place.column};
  return Error(ErrorCode::data, place, fault.message, fault.hint);
}

void TextFiles::fail(const TextFault& fault, std::string_view before) const { throw error_of(fault, before); }

std::string TextFiles::piped(std::string_view filter) const {
  const bool from_pipe = paths_[next_path_ - 1] == "-";
  return (from_pipe ? "... | " + std::string(filter) : std::string(filter) + " < " + as_typed(file())) +
         " | plumb ... -";
}

std::uint64_t count_lines(std::string_view text) {
  auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  for (std::size_t i = text.find('\r'); i != std::string_view::npos; i = text.find('\r', i + 1))
    if (i + 1 == text.size() || text[i + 1] != '\n') ++lines;
  return lines;
}

}  // namespace plumb
