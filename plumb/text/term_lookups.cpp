#include "plumb/text/term_lookups.h"

#include <optional>
#include <utility>

namespace plumb {

void TermLookups::with_rows(std::span<const std::string_view> documents,
                            const std::function<void(const TermRows&)>& use) {
  std::optional<Waiting> mine = waiting_.with([](std::vector<Waiting>& waiting) {
    std::optional<Waiting> taken;
    if (waiting.empty()) return taken;
    taken.emplace(std::move(waiting.back()));
    waiting.pop_back();
    return taken;
  });
  if (!mine) mine.emplace(Waiting{make_(), {}});
  TermRows& rows = mine->room;
  rows.offsets.resize(1);
  rows.id.clear();
  rows.count.clear();
  rows.unseen = 0;
  for (const std::string_view document : documents) {  // an exception discards the lookup too
    const TermLookup::Found found = mine->lookup.look_up(document);
    rows.id.insert(rows.id.end(), found.id.begin(), found.id.end());
    rows.count.insert(rows.count.end(), found.count.begin(), found.count.end());
    rows.offsets.push_back(rows.id.size());
    rows.unseen += found.unseen;
  }
  use(rows);
  waiting_.with([&](std::vector<Waiting>& waiting) { waiting.push_back(std::move(*mine)); });
}

}  // namespace plumb
