#include "plumb/report/style.h"

#include <algorithm>

#include "plumb/base/number.h"

namespace plumb {

std::size_t display_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string TextTable::text(const Style& style) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string blanks(widths[i] - display_width(rows_[r][i]), ' ');
      line += (i == 0 ? rows_[r][i] + blanks : "  " + blanks + rows_[r][i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (r == 0 ? style.faint(line) : line) + "\n";
  }
  return text;
}

}  // namespace plumb
