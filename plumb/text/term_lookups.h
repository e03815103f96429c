// Lookups shared by the threads that parse texts.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/base/guarded.h"
#include "plumb/text/term_counts.h"
#include "plumb/text/term_lookup.h"

namespace plumb {

// Idle lookups, to be reused with the terms that they remember. Any thread may ask. Its arguments must outlive it.
class TermLookups {
 public:
  TermLookups(const Tokeniser& tokeniser, const Vocabulary& vocabulary)
      : make_([&tokeniser, &vocabulary] { return TermLookup(tokeniser, vocabulary); }) {}
  TermLookups(const Tokeniser& tokeniser, unsigned hash_bits)
      : make_([&tokeniser, hash_bits] { return TermLookup(tokeniser, hash_bits); }) {}

  // use(rows) of the documents, in memory that is reused.
  void with_rows(std::span<const std::string_view> documents, const std::function<void(const TermRows&)>& use);

 private:
  struct Waiting {
    TermLookup lookup;
    TermRows room;
  };

  std::function<TermLookup()> make_;
  Guarded<std::vector<Waiting>> waiting_;
};

}  // namespace plumb
