// Numbers names 0, 1, 2, ... in order of first appearance: the levels of a category, the features of a sparse piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class NameCodes {
 public:
  // A new name is appended to `names`, which the caller owns and passes at every call.
  std::uint32_t code(std::string_view name, std::vector<std::string>& names);
  // Removes the name that was appended last; directly afterwards, before any other call.
  void forget_last(std::vector<std::string>& names);

 private:
  struct Slot {
    std::uint32_t hash = 0;  // of the name
    std::uint32_t code = 0;  // plus 1; 0 is an empty slot
  };
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half full; a name is in the first free slot from its own on
};

}  // namespace plumb
