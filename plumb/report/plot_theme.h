// The look of figures: colours, fonts, and the width of a text.
#pragma once

#include <string>
#include <string_view>

#include "plumb/report/plot.h"

namespace plumb {

inline constexpr double kFontSize = 12.0;
inline constexpr double kLineHeight = 16.0;

// The class of a paint: "blue".
std::string_view class_of(Paint paint) noexcept;

// The style sheet of a figure. Marks have a class for their kind (dot, line, area) and their paint; colours are custom
// properties, which an embedding page may set, each after a plain colour for viewers that do not support them.
std::string style_sheet(Theme theme);

// An upper bound, nearly always, of the width of a text in pixels: the reader's fonts are unknown, so the widths are
// those of a wide one.
double text_width(std::string_view text, double size = kFontSize) noexcept;

// The text, or as much of its beginning as fits followed by "...".
std::string shortened(std::string_view text, double width, double size = kFontSize);

}  // namespace plumb
