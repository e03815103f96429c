// Text from HTML, well formed or not: it never fails.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

// Every tag, comment and declaration becomes one blank, and so does a script or style element as a whole. Character
// references become their characters: numeric ones, and the names amp, lt, gt, quot, apos, nbsp and those of Latin-1. A
// "<" that begins no tag, a tag that is never closed and an invalid reference stay as they are.
std::string without_html(std::string_view text);

}  // namespace plumb
