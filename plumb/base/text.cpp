#include "plumb/base/text.h"

#include <algorithm>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

// The end of the quoted text that opens at 0; npos if it does not end.
std::size_t closing_quote(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (i + 1 == text.size() || text[i + 1] != '"') return i;
    ++i;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view item) {
  std::string text;
  for (std::size_t i = 1; i + 1 < item.size(); ++i) {
    text += item[i];
    if (item[i] == '"') ++i;
  }
  return text;
}

// Characters without a special meaning in any shell, at any place in a word.
bool plain_in_a_shell(char c) {
  constexpr std::string_view signs = "_./:@%+-,";
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || signs.find(c) != signs.npos ||
         static_cast<unsigned char>(c) > 127;
}

std::string printed(std::string_view text) {
  std::string format;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '\\') {
      format += std::string(2, c);
    } else if (byte < 0x20 || byte > 0x7E || c == '\'' || (c == '-' && format.empty())) {
      format += '\\';
      for (const int shift : {6, 3, 0}) format += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      format += c;
    }
  }
  return "\"$(printf '" + format + "')\"";
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return escaped_for_terminal(text);
  // Before the character that would be cut in two.
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  return escaped_for_terminal(text.substr(0, longest)) + "...";
}

}  // namespace

// Optimal string alignment, three rows of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = lowered(name.substr(0, 200));
  std::size_t best = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > wanted.size() + best || wanted.size() > candidate.size() + best) continue;
    const std::size_t distance = edit_distance(wanted, lowered(candidate));
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string found = nearest(name, candidates);
  return found.empty() ? "" : "did you mean " + in_quotes(found) + "?";
}

std::string in_quotes(std::string_view text, std::size_t longest) { return "\"" + shortened(text, longest) + "\""; }

std::string listed(std::span<const std::string> names, std::size_t most) {
  constexpr std::size_t kLongest = 60;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + shortened(names[i], kLongest);
  if (names.size() > most) text += ", ... (" + std::to_string(names.size() - most) + " more)";
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

bool has_suffix(std::string_view path, std::string_view suffix) noexcept {
  if (path.size() <= suffix.size()) return false;
  path.remove_prefix(path.size() - suffix.size());
  return std::equal(suffix.begin(), suffix.end(), path.begin(), [](char a, char b) { return a == lower(b); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  const auto add = [&](std::string_view item) {
    item = trimmed(item);
    const bool wrapped_in_quotes = item.starts_with('"') && closing_quote(item) == item.size() - 1;
    items.push_back(wrapped_in_quotes ? unquoted(item) : std::string(item));
  };
  bool inside = false;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      add(text.substr(start, i - start));
      start = i + 1;
    }
  }
  add(text.substr(start));
  return items;
}

std::string list_item(std::string_view item) {
  // Between two neighbours, because an open quote or parenthesis would include the comma after it.
  const std::vector<std::string> expected = {"x", std::string(item), "x"};
  if (!item.empty() && split_list("x," + expected[1] + ",x") == expected) return expected[1];
  std::string quoted = "\"";
  for (const char c : item) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string as_typed(std::string_view text) {
  if (escaped_for_terminal(text) != text) return printed(text);
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain_in_a_shell)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string list_of(std::span<const std::string> items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + list_item(item);
  return text;
}

std::string as_typed_item(std::string_view item) { return as_typed(list_item(item)); }

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace plumb
