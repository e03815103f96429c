// Texts as a file gives them, one after another in one string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct Documents {
  std::string bytes;
  std::vector<std::uint64_t> ends;  // of each text in `bytes`

  std::size_t size() const noexcept { return ends.size(); }
  std::string_view operator[](std::size_t i) const noexcept {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
  void add(std::string_view text) {
    bytes += text;
    ends.push_back(bytes.size());
  }
  // Leaves the first `count` texts.
  void truncate(std::size_t count) {
    ends.resize(count);
    bytes.resize(count == 0 ? 0 : ends.back());
  }
};

// What a layer above makes of the texts of a piece, on the thread that parsed them, so that they need not be kept.
class Extract {
 public:
  virtual ~Extract() = default;
  virtual std::uint64_t bytes() const noexcept = 0;  // that it takes
};

struct Extractor {
  // Called on any thread, several at once.
  std::function<std::shared_ptr<const Extract>(const Documents&)> make = {};
  bool keep_documents = false;
  std::string work = {};  // two that say the same do the same
};

}  // namespace plumb
