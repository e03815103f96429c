// SvgWriter builds an SVG picture from calls in document order. The text is always well-formed XML in valid UTF-8, and
// the same bytes on every machine: coordinates are rounded to a tenth of a pixel, without a locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// Escapes text for an element or an attribute. Markup becomes entities; bytes that XML 1.0 does not allow (control
// bytes, bytes that are not UTF-8) become \xNN, and its two non-characters U+FFFE and U+FFFF U+FFFD.
std::string escaped_for_xml(std::string_view text);

// Appends a coordinate: tenths of a pixel, no trailing zero, no minus on zero. It must be finite and below 1e15 in
// size.
void append_pixels(std::string& out, double pixels);

// The d attribute of a path.
class SvgPath {
 public:
  SvgPath& move_to(double x, double y) { return add('M', x, y); }
  SvgPath& line_to(double x, double y) { return add('L', x, y); }
  SvgPath& dot(double x, double y);  // a stroke of no length, which a round cap makes a disc
  SvgPath& box(double x, double y, double width, double height);
  SvgPath& close();

  bool empty() const noexcept { return text_.empty(); }
  const std::string& text() const noexcept { return text_; }

 private:
  SvgPath& add(char command, double x, double y);

  std::string text_;
};

// Calls in an order that makes no document (an attribute after content, a close without its open) are bugs: they
// assert.
class SvgWriter {
 public:
  SvgWriter& open(std::string_view element);
  SvgWriter& attribute(std::string_view name, std::string_view text);
  SvgWriter& attribute(std::string_view name, const char* text) { return attribute(name, std::string_view(text)); }
  SvgWriter& attribute(std::string_view name, double pixels);
  SvgWriter& text(std::string_view content);
  SvgWriter& close();

  SvgWriter& style(std::string_view sheet);                      // a style element; the sheet has no markup in it
  SvgWriter& path(std::string_view style, const SvgPath& path);  // nothing, if the path is empty

  // The finished picture; the writer is then empty and may be used again.
  std::string take();

 private:
  void end_tag();

  std::string out_;
  std::vector<std::string> open_;
  bool in_tag_ = false;  // attributes may still come
};

}  // namespace plumb
