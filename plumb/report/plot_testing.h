// A checker of the XML of pictures, for tests: anything that a parser would refuse, or that a picture must not contain.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/utf8.h"

namespace plumb {

// The fault of a document of elements, attributes in double quotes and text; empty if there is none.
inline std::string xml_fault(std::string_view xml) {
  if (!valid_utf8(xml)) return "bytes that are not UTF-8";
  std::vector<std::string> open;
  std::size_t roots = 0;
  const auto name_end = [&](std::size_t i) {
    while (i < xml.size() && (std::isalnum(static_cast<unsigned char>(xml[i])) || xml[i] == '-')) ++i;
    return i;
  };
  const auto text_fault = [&](std::string_view text) -> std::string {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n') return "a control byte";
      if (text.substr(i, 2) == "\xEF\xBF" && i + 2 < text.size() && (text[i + 2] == '\xBE' || text[i + 2] == '\xBF'))
        return "a non-character";
      if (text[i] != '&') continue;
      const std::string_view rest = text.substr(i);
      bool entity = false;
      for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;"})
        entity = entity || rest.substr(0, known.size()) == known;
      if (!entity) return "a & that begins no entity";
    }
    return "";
  };
  for (std::size_t i = 0; i < xml.size();) {
    if (xml[i] != '<') {
      const std::size_t end = std::min(xml.find('<', i), xml.size());
      if (open.empty() && xml.substr(i, end - i).find_first_not_of('\n') != std::string_view::npos)
        return "text outside of the root";
      if (const std::string fault = text_fault(xml.substr(i, end - i)); !fault.empty()) return fault;
      i = end;
      continue;
    }
    if (i + 1 < xml.size() && xml[i + 1] == '/') {
      const std::size_t end = name_end(i + 2);
      if (open.empty() || open.back() != xml.substr(i + 2, end - i - 2) || xml[end] != '>') return "an end of nothing";
      open.pop_back();
      i = end + 1;
      continue;
    }
    std::size_t at = name_end(i + 1);
    if (at == i + 1) return "an element without a name";
    if (open.empty() && roots++ > 0) return "a second root";
    open.emplace_back(xml.substr(i + 1, at - i - 1));
    std::vector<std::string_view> names;
    while (at < xml.size() && xml[at] == ' ') {
      const std::size_t name = name_end(at + 1);
      if (xml.substr(name, 2) != "=\"") return "an attribute without a value";
      names.push_back(xml.substr(at + 1, name - at - 1));
      if (std::count(names.begin(), names.end(), names.back()) > 1) return "an attribute twice";
      const std::size_t end = xml.find('"', name + 2);
      if (end == std::string_view::npos) return "a quote without its end";
      const std::string_view value = xml.substr(name + 2, end - name - 2);
      if (value.find('<') != std::string_view::npos) return "a < in an attribute";
      if (const std::string fault = text_fault(value); !fault.empty()) return fault;
      at = end + 1;
    }
    if (xml.substr(at, 2) == "/>") {
      open.pop_back();
      i = at + 2;
    } else if (at < xml.size() && xml[at] == '>') {
      i = at + 1;
    } else {
      return "a tag without its end";
    }
  }
  return open.empty() && roots == 1 ? "" : "an element without its end";
}

// Also the rules for a picture: only valid numbers, nothing from elsewhere, no scripts.
inline std::string picture_fault(const std::string& svg) {
  for (const char* word : {"nan", "inf ", "inf\"", "<script", "href", "url(", "@import", "<image"})
    if (svg.find(word) != std::string::npos) return std::string("the word ") + word;
  return xml_fault(svg);
}

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t i = text.find(part); i != std::string_view::npos; i = text.find(part, i + 1)) ++count;
  return count;
}

}  // namespace plumb
