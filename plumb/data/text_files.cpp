#include "plumb/data/text_files.h"

#include <algorithm>
#include <span>
#include <utility>

#include "plumb/base/error.h"

namespace plumb {

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
    bytes_read_ += got;
    ended_ = got < read_size_;
  }
}

void TextFiles::consume(std::size_t bytes, std::uint64_t lines) noexcept {
  at_ += bytes;
  lines_ += lines;
}

void TextFiles::fail(const TextFault& fault, std::string_view before) const {
  const Place place{file(), lines_ + count_lines(before) + fault.place.line, fault.place.column};
  throw Error(ErrorCode::data, place, fault.message, fault.hint);
}

std::string TextFiles::piped(std::string_view filter) const {
  const bool from_pipe = paths_[next_path_ - 1] == "-";
  return (from_pipe ? "... | " + std::string(filter) : std::string(filter) + " < " + file()) + " | plumb ... -";
}

std::uint64_t count_lines(std::string_view text) {
  auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  for (std::size_t i = text.find('\r'); i != std::string_view::npos; i = text.find('\r', i + 1))
    if (i + 1 == text.size() || text[i + 1] != '\n') ++lines;
  return lines;
}

}  // namespace plumb
