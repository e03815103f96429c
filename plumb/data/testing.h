// What the tests of the text formats share.
#pragma once

#include <string>

#include "plumb/base/number.h"
#include "plumb/data/entries.h"
#include "plumb/data/text_files.h"

namespace plumb {

// A line a row: "index:value" or "name:value".
inline std::string text_of(const Entries& entries) {
  std::string text;
  for (std::size_t r = 0; r < entries.rows(); ++r) {
    for (std::size_t i = entries.offsets[r]; i < entries.offsets[r + 1]; ++i) {
      const std::uint32_t index = entries.index[i];
      if (i > entries.offsets[r]) text += " ";
      text +=
          (entries.names.empty() ? std::to_string(index) : entries.names[index]) + ":" + number_text(entries.value[i]);
    }
    text += "\n";
  }
  return text;
}

// The fault that is thrown; line 0 if there is none.
template <class Action>
TextFault fault_in(const Action& action) {
  try {
    action();
  } catch (const TextFault& fault) {
    return fault;
  }
  return {{0, 0}, "accepted", ""};
}

}  // namespace plumb
