#include "plumb/text/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <new>
#include <vector>

#include "plumb/base/choices.h"
#include "plumb/text/tokeniser.h"

namespace plumb {

std::vector<std::string> stem_languages() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  std::ranges::sort(names);
  return names;
}

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const noexcept { sb_stemmer_delete(stemmer); }

Stemmer::Stemmer(const std::string& language) {
  const std::vector<std::string> known = stem_languages();
  if (!std::ranges::binary_search(known, language)) throw unknown_choice("stemmer", language, known, "--stem ");
  stemmer_.reset(sb_stemmer_new(language.c_str(), "UTF_8"));
  if (!stemmer_) throw std::bad_alloc();
}

std::string_view Stemmer::stem(std::string_view token) {
  // Longer ones are not words of a language; the length is an int.
  if (token.size() > 1024) return token;
  const sb_symbol* const stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(token.data()), static_cast<int>(token.size()));
  if (stem == nullptr) throw std::bad_alloc();
  const int length = sb_stemmer_length(stemmer_.get());
  if (length <= 0) return token;  // a term has a name
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(length)};
}

}  // namespace plumb
