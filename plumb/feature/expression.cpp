#include "plumb/feature/expression.h"

#include <algorithm>

namespace plumb {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_byte(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) > 127;
}

bool plain_word(const std::string& name) {
  return !name.empty() && !digit(name.front()) && std::all_of(name.begin(), name.end(), word_byte);
}

}  // namespace

std::string Expression::text() const {
  if (plain_column()) return factors.front().column;
  std::string text;
  for (const Factor& factor : factors) {
    if (!text.empty()) text += '*';
    if (plain_word(factor.column)) {
      text += factor.column;
    } else {
      text += '"';
      for (const char c : factor.column) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    if (factor.power != 1) text += '^' + std::to_string(factor.power);
  }
  return text;
}

}  // namespace plumb
