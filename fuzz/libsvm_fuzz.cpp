#include "source_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  for (const Kind label : {Kind::number, Kind::category})
    parse_in_every_cut(data, size, [&](std::string_view text) { return parse_libsvm(text, {label, size % 2 == 1}); });
  read_in_every_way("libsvm", data, size);
  return 0;
}
