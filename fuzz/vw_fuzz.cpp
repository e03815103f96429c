#include "source_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  for (const VwForm& form : {VwForm{true, true, true, true, false}, VwForm{false, false, false, true, true}})
    parse_in_every_cut(data, size, [&](std::string_view text) { return parse_vw(text, form); });
  read_in_every_way("vw", data, size);
  return 0;
}
