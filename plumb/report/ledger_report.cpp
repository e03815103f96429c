#include "plumb/report/ledger_report.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/report/style.h"
#include "plumb/train/ledger.h"

namespace plumb::report_detail {
namespace {

constexpr std::size_t kShownPasses = 12;

std::string count(std::int64_t number) { return count_text(static_cast<std::uint64_t>(number)); }
std::string ledger_passes(std::uint64_t number) { return count_text(number) + (number == 1 ? " pass" : " passes"); }
std::string mistakes(std::int64_t number) { return count(number) + (number == 1 ? " mistake" : " mistakes"); }

// R and the margin are those of (x, 1), or of x without a bias.
bool has_bias(const Record& record) {
  return std::none_of(record.options.begin(), record.options.end(),
                      [](const auto& option) { return option.first == "no-bias"; });
}

}  // namespace

std::string ledger_line(const Record& record) {
  const Ledger ledger = Ledger::of(record);
  if (ledger.empty()) return "";
  std::string line = record.converged ? "no mistakes in the last of " + ledger_passes(record.iterations)
                                      : "mistakes in each of " + ledger_passes(record.iterations) + ", " +
                                            mistakes(ledger.mistakes.back()) + " in the last";
  line += "; " + mistakes(ledger.all_mistakes()) + " in all";
  if (ledger.all_updates() != ledger.all_mistakes()) line += ", " + count(ledger.all_updates()) + " updates";
  if (const double* const bound = find_number(record, "mistake_bound"))
    line += ", at most " + four_digits(std::floor(*bound)) + " by theory";
  return line;
}

std::string ledger_text(const Record& record, const Style& style) {
  const Ledger ledger = Ledger::of(record);
  if (ledger.empty()) return "";
  TextTable table;
  table.add({"pass", "mistakes", "updates", "|w|"});
  const std::size_t all = ledger.mistakes.size(), tail = all > kShownPasses ? all - kShownPasses / 2 : all;
  for (std::size_t k = 0; k < all; ++k) {
    if (k == kShownPasses / 2 && tail < all) {
      table.add({"...", "", "", ""});
      k = tail;
    }
    table.add({count_text(k + 1), count(ledger.mistakes[k]), count(ledger.updates[k]), four_digits(ledger.norm[k])});
  }
  std::string text = "\n" + table.text(style) + "  in all    " + mistakes(ledger.all_mistakes()) + ", " +
                     count(ledger.all_updates()) + (ledger.all_updates() == 1 ? " update" : " updates") + " in " +
                     ledger_passes(all) + "\n";
  const double* const radius = find_number(record, "radius");
  const double* const low = find_number(record, "margin_low");
  const double* const high = find_number(record, "margin_high");
  const double* const aim = find_number(record, "slack_margin");
  const double* const slack = find_number(record, "slack");
  const double* const bound = find_number(record, "mistake_bound");
  const double* const any_passes = find_number(record, "margin_bound");
  const std::string row = has_bias(record) ? "(x, 1)" : "x";
  if (radius != nullptr) text += "  radius    " + four_digits(*radius) + ", the largest |" + row + "|\n";
  if (low != nullptr)
    text += "  margin    " +
            (high != nullptr ? four_digits(*low) + " to " + four_digits(*high) : "at least " + four_digits(*low)) +
            ", of " + row + "\n";
  if (low == nullptr && aim != nullptr)
    text += high != nullptr ? "  margin    none: no hyperplane " + std::string(has_bias(record) ? "" : "through 0 ") +
                                  "separates the rows; plumb margin proves it\n"
                            : "  margin    none found; plumb margin tells whether there is one\n";
  if (aim != nullptr && slack != nullptr)
    text += "  slack     " + four_digits(*slack) + ": rows fall short of the margin " + four_digits(*aim) +
            " by this, squares summed over all passes\n";
  if (bound != nullptr) {
    text += "  bound     at most " + four_digits(std::floor(*bound)) + " updates";
    if (aim != nullptr) text += " in " + ledger_passes(all) + ", by the slack";
    if (aim != nullptr && any_passes != nullptr)
      text += "; " + four_digits(std::floor(*any_passes)) + " in any number of them, by the margin";
    text += "; " + count(ledger.all_updates()) + " were made\n";
  }
  return text;
}

void ledger_json(JsonWriter& json, const Record& record) {
  const Ledger ledger = Ledger::of(record);
  if (ledger.empty()) return;
  json.key("ledger").begin_object();
  json.member("mistakes", ledger.all_mistakes()).member("updates", ledger.all_updates());
  for (const char* const name :
       {"radius", "margin_low", "margin_high", "slack_margin", "slack", "mistake_bound", "margin_bound"})
    if (const double* const value = find_number(record, name)) json.member(name, *value);
  if (find_number(record, "mistake_bound") != nullptr)
    json.member("mistake_bound_by", find_number(record, "slack") != nullptr ? "slack" : "margin");
  json.key("passes").begin_array();
  for (std::size_t k = 0; k < ledger.mistakes.size(); ++k)
    json.begin_object()
        .member("mistakes", ledger.mistakes[k])
        .member("updates", ledger.updates[k])
        .member("norm", ledger.norm[k])
        .end_object();
  json.end_array().end_object();
}

}  // namespace plumb::report_detail
