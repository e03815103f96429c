#include "plumb/report/style.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "plumb/base/text.h"

namespace plumb {
namespace {

// The length in bytes of an escape code at the start of `text`, or 0.
std::size_t escape_length(std::string_view text) noexcept {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t blanks_at(std::string_view text, std::size_t from) noexcept {
  const std::size_t end = text.find_first_not_of(' ', from);
  return (end == std::string_view::npos ? text.size() : end) - from;
}

// The indent of the lines after the first: below the words behind a heading ("  saved     model.plumb"), or two
// columns.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t margin = blanks_at(line, 0);
  for (std::size_t i = margin; margin > 0 && i < line.size(); ++i) {
    const std::size_t gap = blanks_at(line, i);
    if (gap < 2) continue;
    const std::size_t start = display_width(line.substr(0, i)) + gap;
    if (start <= width / 2 && i + gap < line.size()) return start;
    break;
  }
  return std::min(margin + 2, width / 2);
}

constexpr std::string_view kCommandLine = "  again     ";

std::string fitted_line(std::string_view line, std::size_t width) {
  if (display_width(line) <= width) return std::string(line);
  const std::size_t indent = hanging_indent(line, width);
  // A command is cut as a shell allows it, so that it can be copied.
  const std::string_view cut = line.starts_with(kCommandLine) ? " \\" : "";
  width -= cut.size();
  std::string text;
  std::size_t column = 0;
  bool fresh = true;  // nothing but blanks on the line so far
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t blanks = blanks_at(line, i);
    i += blanks;
    const std::size_t end = std::min(line.find(' ', i), line.size());
    // Text between gaps of three blanks is one item, which is kept on one line if it fits.
    const std::size_t item = blanks >= 3 ? std::min(line.find("   ", i), line.size()) : end;
    const std::size_t word = display_width(line.substr(i, end - i));
    const std::size_t wanted = std::max(word, display_width(line.substr(i, item - i)));
    const bool fits = column + blanks + (indent + wanted <= width ? wanted : word) <= width;
    if (fresh || fits) {
      text.append(blanks, ' ');
      column += blanks;
    } else if (word > 0) {
      text += std::string(cut) + "\n" + std::string(indent, ' ');
      column = indent;
    }
    text += line.substr(i, end - i);
    column += word;
    fresh = fresh && word == 0;
    i = end;
  }
  return text;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    longest = std::max(longest, display_width(text.substr(i, end - i)));
    i = end + 1;
  }
  return longest;
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return {std::string(text)};
  const std::string broken = wrapped(text, width, 0);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i <= broken.size();) {
    const std::size_t end = std::min(broken.find('\n', i), broken.size());
    lines.push_back(broken.substr(i, end - i));
    i = end + 1;
  }
  return lines;
}

constexpr std::size_t kGap = 2;
constexpr std::size_t kFewest = 8;          // no column of words is made narrower
constexpr std::size_t kFewestOfNames = 24;  // nor the first one

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + kGap * (widths.size() - 1);
}

// Takes columns from the widest that can give, one by one, until they fit.
void shrink(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width) {
  while (total(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

}  // namespace

std::string short_number(double number, int digits) {
  const double size = std::abs(number);
  if (size < 1e7)
    for (double power = std::pow(10.0, digits); power <= size + 0.5; power *= 10) ++digits;
  return number_text(number, digits);
}

std::string two_decimals(double number) {
  if (!(std::abs(number) < 1e15)) return four_digits(number);
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed, 2).ptr};
}

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t escape = escape_length(text.substr(i)); escape > 0) {
      i += escape;
      continue;
    }
    width += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    ++i;
  }
  return width;
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string lines;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    lines += fitted_line(text.substr(i, end - i), width);
    if (end < text.size()) lines += '\n';
    i = end + 1;
  }
  return lines;
}

bool TextTable::is_left(std::size_t column) const {
  return column == 0 || others_ == Align::left || std::find(left_.begin(), left_.end(), column) != left_.end();
}

std::string TextTable::text(const Style& style) const {
  std::vector<std::size_t> widths, least;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    least.resize(widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t cell = display_width(row[i]);
      widths[i] = std::max(widths[i], cell);
      least[i] = std::max(least[i], std::min(cell, std::max(longest_word(row[i]), kFewest)));
    }
  }
  if (widths.empty()) return "";
  // A name too long for the first column gets a line of its own.
  if (total(widths) > style.width) least[0] = std::min(widths[0], kFewestOfNames);
  shrink(widths, least, style.width);

  std::string text;
  std::size_t begin = 1;
  do {
    // As many columns as fit beside the first; at least one.
    std::size_t end = begin, used = widths[0];
    while (end < widths.size() && (end == begin || used + kGap + widths[end] <= style.width))
      used += kGap + widths[end++];
    if (begin > 1) text += "\n";
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& row = rows_[r];
      std::vector<std::size_t> columns = {0};
      for (std::size_t i = begin; i < end; ++i) columns.push_back(i);
      std::vector<std::vector<std::string>> cells;
      for (const std::size_t i : columns)
        cells.push_back(i < row.size() ? lines_of(row[i], widths[i]) : std::vector<std::string>{""});
      std::string block;
      const bool own_line = longest_word(row.empty() ? "" : row[0]) > widths[0];
      if (own_line) {
        block += row[0] + "\n";
        cells[0] = {""};
      }
      std::size_t height = 1;
      for (const auto& cell : cells) height = std::max(height, cell.size());
      for (std::size_t h = 0; h < height; ++h) {
        std::string line;
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const std::string& cell = h < cells[c].size() ? cells[c][h] : std::string();
          const std::string blanks(widths[columns[c]] - std::min(widths[columns[c]], display_width(cell)), ' ');
          const bool left = is_left(columns[c]) || (r > 0 && cells[c].size() > 1);
          line += (c == 0 ? "" : std::string(kGap, ' ')) + (left ? cell + blanks : blanks + cell);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        block += (r == 0 ? style.faint(line) : line) + "\n";
      }
      text += block;
    }
    begin = end;
  } while (begin < widths.size());
  return text;
}

}  // namespace plumb
