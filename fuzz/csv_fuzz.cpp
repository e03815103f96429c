#include "source_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plumb::read_in_every_way("csv", data, size);
  plumb::read_in_every_way("tsv", data, size);
  return 0;
}
