#include "plumb/report/plot_theme.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

struct Colour {
  std::string_view name;
  std::string_view light;
  std::string_view dark;
};

// The first five in the order of Paint.
constexpr std::array kColours = {Colour{"blue", "#0072b2", "#56b4e9"},  Colour{"vermilion", "#d55e00", "#f59a4c"},
                                 Colour{"green", "#009e73", "#35cfa0"}, Colour{"purple", "#b0568a", "#e3a3c8"},
                                 Colour{"grey", "#6b7580", "#98a3ae"},  Colour{"paper", "#ffffff", "#11161b"},
                                 Colour{"ink", "#1f2328", "#e6e9ec"},   Colour{"soft", "#59636e", "#a3adb7"},
                                 Colour{"grid", "#e6e9ec", "#262d34"},  Colour{"edge", "#aab2ba", "#4a545e"}};

// "--blue:#0072b2;..."
std::string properties(bool dark) {
  std::string text;
  for (const Colour& colour : kColours)
    text += "--" + std::string(colour.name) + ":" + std::string(dark ? colour.dark : colour.light) + ";";
  return text;
}

// "color:#0072b2;color:var(--blue)": a viewer that does not know the second keeps the first.
std::string painted(std::string_view property, std::string_view name, bool dark) {
  std::string text;
  for (const Colour& colour : kColours)
    if (colour.name == name)
      text = std::string(property) + ":" + std::string(dark ? colour.dark : colour.light) + ";" +
             std::string(property) + ":var(--" + std::string(name) + ")";
  return text;
}

// In parts of the font size, after DejaVu Sans, which is wide.
double width_of(std::uint32_t character) noexcept {
  if (character >= 0x1100) return 1.05;  // most characters up there are square
  if (character >= 0x80) return 0.75;
  const auto c = static_cast<char>(character);
  if (std::string_view("iljI.,:;'|!").find(c) != std::string_view::npos) return 0.34;
  if (std::string_view(" ()[]ftr-/\"").find(c) != std::string_view::npos) return 0.42;
  if (std::string_view("mwMW%@").find(c) != std::string_view::npos) return 0.98;
  if ((c >= 'A' && c <= 'Z') || std::string_view("+=<>#~^").find(c) != std::string_view::npos) return 0.8;
  return 0.64;
}

// Calls visit(code point, offset after it); bytes that are not UTF-8 count one by one.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    std::uint32_t character = lead;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (more > 0) character = lead & (0x3Fu >> more);
    for (int k = 0; k < more && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; ++k, ++i)
      character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    if (!visit(character, i)) return;
  }
}

}  // namespace

std::string_view class_of(Paint paint) noexcept { return kColours[static_cast<std::size_t>(paint)].name; }

std::string style_sheet(Theme theme) {
  const bool dark = theme == Theme::dark;
  std::string css = "\n.plumb{" + properties(dark) + "}\n";
  if (theme == Theme::automatic) css += "@media (prefers-color-scheme:dark){.plumb{" + properties(true) + "}}\n";
  css += ".plumb text{font:12px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;" + painted("fill", "ink", dark) +
         "}\n"
         ".plumb .heading{font-size:17px;font-weight:600}\n"
         ".plumb .title{font-size:13px;font-weight:600}\n"
         ".plumb .soft{" +
         painted("fill", "soft", dark) +
         "}\n"
         ".plumb .small{font-size:11px}\n"
         ".plumb .middle{text-anchor:middle}\n"
         ".plumb .end{text-anchor:end}\n"
         ".plumb .paper{" +
         painted("fill", "paper", dark) +
         "}\n"
         ".plumb .grid{fill:none;" +
         painted("stroke", "grid", dark) +
         "}\n"
         ".plumb .edge{fill:none;" +
         painted("stroke", "edge", dark) +
         "}\n"
         // The outline of a label has the paper's colour, so that it can be read across lines and points.
         ".plumb .label{font-size:11px;paint-order:stroke;stroke-width:3px;stroke-linejoin:round;" +
         painted("stroke", "paper", dark) + "}\n";
  for (const Paint paint : {Paint::blue, Paint::vermilion, Paint::green, Paint::purple, Paint::grey})
    css += ".plumb ." + std::string(class_of(paint)) + "{" + painted("color", class_of(paint), dark) + "}\n";
  css += ".plumb .ink{" + painted("color", "ink", dark) + "}\n";
  return css +
         ".plumb .dot{fill:none;stroke:currentColor;stroke-linecap:round;stroke-width:4px;stroke-opacity:.5}\n"
         ".plumb .few{stroke-width:6px;stroke-opacity:.8}\n"
         ".plumb .line{fill:none;stroke:currentColor;stroke-width:2px;stroke-linejoin:round}\n"
         ".plumb .thin{stroke-width:1.3px}\n"
         ".plumb .dashed{stroke-dasharray:6 4}\n"
         ".plumb .area{fill:currentColor;stroke:none}\n"
         ".plumb .faint{fill-opacity:.2}\n";
}

double text_width(std::string_view text, double size) noexcept {
  double width = 0.0;
  for_each_character(text, [&](std::uint32_t character, std::size_t) {
    width += width_of(character);
    return true;
  });
  return width * size;
}

std::string shortened(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  double used = text_width("...", size);
  std::size_t kept = 0;
  for_each_character(text, [&](std::uint32_t character, std::size_t end) {
    used += width_of(character) * size;
    if (used <= width) kept = end;
    return used <= width;
  });
  return std::string(text.substr(0, kept)) + "...";
}

}  // namespace plumb
