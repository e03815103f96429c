#include "plumb/base/error.h"

#include <utility>

namespace plumb {

std::string Place::text() const {
  std::string text = file;
  if (line != 0) text += ":" + std::to_string(line);
  if (line != 0 && column != 0) text += ":" + std::to_string(column);
  return text;
}

Error::Error(ErrorCode code, Place place, const std::string& message, std::string hint)
    : std::runtime_error(place.file.empty() ? message : place.text() + ": " + message),
      code_(code),
      place_(std::move(place)),
      message_(message),
      hint_(std::move(hint)) {}

}  // namespace plumb
