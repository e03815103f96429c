// Snowball stemmers, by the name of a language.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sb_stemmer;

namespace plumb {

// One per thread: it keeps the last stem.
class Stemmer {
 public:
  // Throws Error(usage) for a language that is not one of stem_languages().
  explicit Stemmer(const std::string& language);
  // For a token in lowercase, in UTF-8; valid until the next call.
  std::string_view stem(std::string_view token);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const noexcept;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

}  // namespace plumb
