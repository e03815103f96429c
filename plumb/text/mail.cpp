#include "plumb/text/mail.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/base/utf8.h"
#include "plumb/text/html.h"

namespace plumb {
namespace {

constexpr int kDeepest = 16;  // parts within parts

char lower_letter(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower_letter(x) == lower_letter(y); });
}

std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// The next line of a text, which is cut off, without its end.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<unsigned> hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower_letter(c) >= 'a' && lower_letter(c) <= 'f') return lower_letter(c) - 'a' + 10;
  return {};
}

// `header`: in an encoded word, where an underscore is a blank.
std::string from_quoted_printable(std::string_view text, bool header) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (header && c == '_') {
      out += ' ';
    } else if (c != '=') {
      out += c;
    } else if (const std::size_t line = text.find_first_not_of(" \t\r", at + 1);
               line != text.npos && text[line] == '\n') {
      at = line;  // a soft line end
    } else if (const auto high = at + 2 < text.size() ? hex_digit(text[at + 1]) : std::nullopt,
               low = at + 2 < text.size() ? hex_digit(text[at + 2]) : std::nullopt;
               high && low) {
      out += static_cast<char>(16 * *high + *low);
      at += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (c == '=') break;
    if (digit == kDigits.npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xFF);
  }
  return out;
}

// UTF-8 whatever the charset is said to be: what is not valid is ISO 8859-1. No byte of it ends the text.
std::string in_utf8(std::string text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  return valid_utf8(text) ? text : utf8_from_latin1(text);
}

// =?charset?Q?text?= and =?charset?B?text?= (RFC 2047); blanks between two of them are no part of the text.
std::string decoded_header(std::string_view text) {
  std::string out;
  bool after_encoded = false;
  while (!text.empty()) {
    const std::size_t begin = text.find("=?"), kind = begin == text.npos ? begin : text.find('?', begin + 2);
    const bool known = kind != text.npos && kind + 2 < text.size() && text[kind + 2] == '?' &&
                       (lower_letter(text[kind + 1]) == 'q' || lower_letter(text[kind + 1]) == 'b');
    const std::size_t end = known ? text.find("?=", kind + 3) : text.npos;
    const std::string_view before = text.substr(0, end == text.npos ? text.size() : begin);
    if (!(after_encoded && end != text.npos && without_blanks(before).empty())) out += before;
    if (end == text.npos) break;
    const std::string_view inside = text.substr(kind + 3, end - kind - 3);
    out += in_utf8(lower_letter(text[kind + 1]) == 'q' ? from_quoted_printable(inside, true) : from_base64(inside));
    after_encoded = true;
    text.remove_prefix(end + 2);
  }
  return out;
}

struct Header {
  std::string name, value;
};

bool begins_header(std::string_view line) noexcept {
  const std::size_t colon = line.find(':');
  return colon != line.npos && colon > 0 &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return c > ' ' && c < 127; });
}

// Cut off with the empty line behind them. Continued lines are joined.
std::vector<Header> take_headers(std::string_view& text) {
  std::vector<Header> headers;
  while (!text.empty()) {
    std::string_view rest = text;
    const std::string_view line = take_line(rest);
    if (line.empty()) {
      text = rest;
      break;
    }
    if ((line.front() == ' ' || line.front() == '\t') && !headers.empty()) {
      headers.back().value.append(" ").append(without_blanks(line));
    } else if (begins_header(line)) {
      const std::size_t colon = line.find(':');
      headers.push_back({std::string(line.substr(0, colon)), std::string(without_blanks(line.substr(colon + 1)))});
    } else {
      break;  // a body without an empty line before it
    }
    text = rest;
  }
  return headers;
}

std::string_view value_of(const std::vector<Header>& headers, std::string_view name) noexcept {
  for (const Header& header : headers)
    if (same_word(header.name, name)) return header.value;
  return {};
}

// boundary of: multipart/mixed; boundary="x"
std::string_view parameter(std::string_view value, std::string_view name) noexcept {
  for (std::size_t at = value.find(';'); at != value.npos; at = value.find(';', at + 1)) {
    const std::string_view rest = without_blanks(value.substr(at + 1));
    const std::size_t equals = rest.find('=');
    if (equals == rest.npos || !same_word(without_blanks(rest.substr(0, equals)), name)) continue;
    const std::string_view found = without_blanks(rest.substr(equals + 1));
    if (found.starts_with('"')) return found.substr(1, found.find('"', 1) - 1);
    return without_blanks(found.substr(0, found.find(';')));
  }
  return {};
}

struct PartText {
  std::string text;
  bool plain = false;
  bool found = false;
};

PartText text_of_part(std::string_view part, int depth);

// The parts between lines of two hyphens and the boundary.
std::vector<std::string_view> parts_of(std::string_view body, std::string_view boundary) {
  std::vector<std::string_view> parts;
  std::optional<const char*> begin;
  while (!body.empty()) {
    const char* const here = body.data();
    const std::string_view line = take_line(body);
    if (!line.starts_with("--") || !line.substr(2).starts_with(boundary)) continue;
    if (begin) parts.emplace_back(*begin, static_cast<std::size_t>(here - *begin));
    begin = body.data();
    if (line.substr(2 + boundary.size()).starts_with("--")) return parts;
  }
  if (begin) parts.emplace_back(*begin, static_cast<std::size_t>(body.data() + body.size() - *begin));
  return parts;
}

PartText text_of_parts(std::string_view body, std::string_view boundary, bool alternatives, int depth) {
  PartText all;
  for (const std::string_view part : parts_of(body, boundary)) {
    PartText own = text_of_part(part, depth + 1);
    if (!own.found) continue;
    if (alternatives && all.plain) continue;
    all.text = alternatives ? std::move(own.text) : all.text + own.text + "\n";
    all.plain = alternatives && own.plain;
    all.found = true;
  }
  return all;
}

PartText text_of_body(const std::vector<Header>& headers, std::string_view body, int depth) {
  const std::string_view type = value_of(headers, "Content-Type");
  const std::string_view kind = without_blanks(type.substr(0, type.find(';')));
  const auto is = [&](std::string_view family) { return same_word(kind.substr(0, family.size()), family); };
  const std::string_view boundary = parameter(type, "boundary");
  if (depth < kDeepest && is("multipart/") && !boundary.empty())
    return text_of_parts(body, boundary, same_word(kind, "multipart/alternative"), depth);
  if (depth < kDeepest && is("message/rfc822")) return text_of_part(body, depth + 1);
  if (!kind.empty() && !is("text/") && !is("multipart/")) return {};
  const std::string_view coding = without_blanks(value_of(headers, "Content-Transfer-Encoding"));
  std::string text = in_utf8(same_word(coding, "quoted-printable") ? from_quoted_printable(body, false)
                             : same_word(coding, "base64")         ? from_base64(body)
                                                                   : std::string(body));
  const bool html = same_word(kind, "text/html");
  return {html ? without_html(text) : std::move(text), !html, true};
}

PartText text_of_part(std::string_view part, int depth) {
  const std::vector<Header> headers = take_headers(part);
  return text_of_body(headers, part, depth);
}

}  // namespace

std::string mail_text(std::string_view message, Mail mail) {
  std::string_view rest = message;
  if (message.starts_with("From ")) take_line(rest);  // of a mailbox
  std::string_view first = rest;
  if (mail == Mail::none || !begins_header(take_line(first))) return std::string(message);
  const std::vector<Header> headers = take_headers(rest);
  std::string text;
  for (const Header& header : headers) {
    const bool subject = same_word(header.name, "Subject");
    if (mail == Mail::keep) text += header.name + ": ";
    if (subject || mail == Mail::keep) text += decoded_header(header.value) + "\n";
  }
  return text + "\n" + text_of_body(headers, rest, 0).text;
}

}  // namespace plumb
