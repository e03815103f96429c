#include "plumb/report/svg.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "plumb/base/utf8.h"

namespace plumb {

std::string escaped_for_xml(std::string_view text) {
  std::string out;
  const std::string shown = escaped_for_terminal(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    switch (shown[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += shown[i];
    }
    // U+FFFE and U+FFFF are EF BF BE and EF BF BF; the replacement character is EF BF BD.
    if (i >= 2 && shown[i - 2] == '\xEF' && shown[i - 1] == '\xBF' && (shown[i] == '\xBE' || shown[i] == '\xBF'))
      out.back() = '\xBD';
  }
  return out;
}

void append_pixels(std::string& out, double pixels) {
  assert(std::abs(pixels) < 1e15);
  const long long tenths = std::llround(pixels * 10.0);
  const long long size = std::abs(tenths);
  if (tenths < 0) out += '-';
  out += std::to_string(size / 10);
  if (size % 10 != 0) {
    out += '.';
    out += static_cast<char>('0' + size % 10);
  }
}

SvgPath& SvgPath::add(char command, double x, double y) {
  text_ += command;
  append_pixels(text_, x);
  text_ += ' ';
  append_pixels(text_, y);
  return *this;
}

SvgPath& SvgPath::dot(double x, double y) {
  move_to(x, y);
  text_ += "h0";
  return *this;
}

SvgPath& SvgPath::box(double x, double y, double width, double height) {
  move_to(x, y);
  text_ += 'h';
  append_pixels(text_, width);
  text_ += 'v';
  append_pixels(text_, height);
  text_ += 'h';
  append_pixels(text_, -width);
  return close();
}

SvgPath& SvgPath::close() {
  text_ += 'z';
  return *this;
}

SvgWriter& SvgWriter::open(std::string_view element) {
  end_tag();
  if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  out_ += '<';
  out_ += element;
  open_.emplace_back(element);
  in_tag_ = true;
  return *this;
}

SvgWriter& SvgWriter::attribute(std::string_view name, std::string_view text) {
  assert(in_tag_);
  out_ += ' ';
  out_ += name;
  out_ += "=\"" + escaped_for_xml(text) + '"';
  return *this;
}

SvgWriter& SvgWriter::attribute(std::string_view name, double pixels) {
  std::string text;
  append_pixels(text, pixels);
  return attribute(name, text);
}

SvgWriter& SvgWriter::text(std::string_view content) {
  assert(!open_.empty());
  end_tag();
  out_ += escaped_for_xml(content);
  return *this;
}

SvgWriter& SvgWriter::close() {
  assert(!open_.empty());
  if (in_tag_) {
    out_ += "/>\n";
  } else {
    out_ += "</" + open_.back() + ">\n";
  }
  in_tag_ = false;
  open_.pop_back();
  return *this;
}

SvgWriter& SvgWriter::style(std::string_view sheet) {
  assert(sheet.find_first_of("<&") == std::string_view::npos);
  open("style");
  end_tag();
  out_ += sheet;
  return close();
}

SvgWriter& SvgWriter::path(std::string_view style, const SvgPath& path) {
  if (path.empty()) return *this;
  return open("path").attribute("class", style).attribute("d", path.text()).close();
}

std::string SvgWriter::take() {
  assert(open_.empty());
  return std::exchange(out_, {});
}

void SvgWriter::end_tag() {
  if (in_tag_) out_ += '>';
  in_tag_ = false;
}

}  // namespace plumb
