// What a layer above makes of the texts of a piece while it is parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

// What a layer above makes of the texts of a piece, on the thread that parsed them, so that they need not be kept.
class Extract {
 public:
  virtual ~Extract() = default;
  virtual std::uint64_t bytes() const noexcept = 0;  // that it takes
};

using TextViews = std::span<const std::string_view>;  // one per row, UTF-8

struct Extractor {
  // Called on any thread, several at once. The texts are gone when it returns.
  std::function<std::shared_ptr<const Extract>(TextViews)> make = {};
  bool keep_documents = false;
  std::string work = {};  // two that say the same do the same
};

}  // namespace plumb
