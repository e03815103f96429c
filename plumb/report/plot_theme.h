// How figures look: colours, fonts, and how wide a text will be.
#pragma once

#include <string>
#include <string_view>

#include "plumb/report/plot.h"

namespace plumb {

inline constexpr double kFontSize = 12.0;
inline constexpr double kLineHeight = 16.0;

// The class of a paint: "blue".
std::string_view class_of(Paint paint) noexcept;

// The style sheet of a figure. Marks say what they are (dot, line, area) and their paint; colours are custom
// properties, which an embedding page may set, each behind a plain colour for viewers that do not know such.
std::string style_sheet(Theme theme);

// An upper bound, nearly always, of the width of a text in pixels: the fonts of a reader are not known, so the widths
// are those of a wide one.
double text_width(std::string_view text, double size = kFontSize) noexcept;

// The text, or as much of its beginning as fits with "..." after it.
std::string shortened(std::string_view text, double width, double size = kFontSize);

}  // namespace plumb
