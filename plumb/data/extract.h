// An extractor: turns the texts of a piece into something else while it is parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

// The result of an extractor, made on the thread that parsed the texts, so that they need not be kept.
class Extract {
 public:
  virtual ~Extract() = default;
  virtual std::uint64_t bytes() const noexcept = 0;  // of its memory
  // About how many values other than 0 the rows made of it will have.
  virtual std::uint64_t entries() const noexcept { return 0; }
  // A copy of some rows, ascending; null if it has none.
  virtual std::shared_ptr<const Extract> of_rows(std::span<const std::uint64_t>) const { return nullptr; }
};

using TextViews = std::span<const std::string_view>;  // one per row, UTF-8

struct Extractor {
  // Called on any thread, several at once. The texts are gone when it returns.
  std::function<std::shared_ptr<const Extract>(TextViews)> make = {};
  bool keep_documents = false;
  std::string work = {};  // two with the same text do the same
};

}  // namespace plumb
