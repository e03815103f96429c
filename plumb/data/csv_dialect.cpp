#include "plumb/data/csv_dialect.h"

#include <cstdint>

#include "plumb/data/csv_record.h"

namespace plumb {
namespace {

struct Cut {
  std::uint64_t fields = 0;  // of the first record
  std::uint64_t records = 0;
  std::uint64_t alike = 0;  // records with as many fields as the first
  std::uint64_t stray = 0;  // fields with a quote in them that does not open one

  // Whether this is the better cut of the same text.
  bool operator>(const Cut& other) const noexcept {
    const std::uint64_t share = alike * other.records, other_share = other.alike * records;
    if (share != other_share) return share > other_share;
    return stray != other.stray ? stray < other.stray : fields > other.fields;
  }
};

Cut cut_by(std::string_view text, Dialect dialect) {
  Cut cut;
  FieldReader reader(text, dialect);
  try {
    while (!reader.done()) {
      if (reader.skip_blank_line()) continue;
      std::uint64_t fields = 0;
      do {
        const bool opens = dialect.quotes && text[reader.at() - (reader.done() ? 1 : 0)] == '"';
        const std::string_view field = reader.next();
        cut.stray += dialect.quotes && !opens && field.find('"') != field.npos ? 1 : 0;
        ++fields;
      } while (!reader.ends_record());
      if (cut.records++ == 0) cut.fields = fields;
      cut.alike += fields == cut.fields;
    }
  } catch (const TextFault&) {
    // A quote that another delimiter would have understood, or none: counts up to there.
  }
  return cut;
}

}  // namespace

char guess_delimiter(std::string_view text, bool quotes, std::uint64_t fields) {
  const std::string_view signs = quotes ? ",;\t|" : "\t,;|";
  char best_sign = signs.front();
  Cut best;
  for (const char sign : signs) {
    const Cut cut = cut_by(text, {sign, quotes});
    // The first record always equals itself: it counts only if it is alone.
    const bool half = cut.records == 1 || (cut.alike - 1) * 2 >= cut.records - 1;
    const bool right = fields == 0 ? cut.fields >= 2 : cut.fields == fields;
    if (cut.records == 0 || !right || !half) continue;
    if (best.records > 0 && !(cut > best)) continue;
    best = cut;
    best_sign = sign;
  }
  return best_sign;
}

}  // namespace plumb
