#include "source_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  static const std::vector<std::string> keys = {"a", "b", "c"};
  static const std::vector<Selected> wanted = {{0, Kind::number}, {1, Kind::category}, {1, Kind::category}};
  parse_in_every_cut(data, size, [](std::string_view text) { return parse_jsonl(text, {keys, wanted}); });
  read_in_every_way("jsonl", data, size);
  return 0;
}
