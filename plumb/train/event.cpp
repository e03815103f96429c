#include "plumb/train/event.h"

#include <algorithm>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/data/entry_names.h"
#include "plumb/feature/square.h"

namespace plumb {
namespace {

std::vector<std::string> event_names() {
  return {std::begin(EnumNames<Event>::names), std::end(EnumNames<Event>::names)};
}

std::optional<Event> find_event(std::string_view text) {
  const auto* const found = std::find(std::begin(EnumNames<Event>::names), std::end(EnumNames<Event>::names), text);
  if (found == std::end(EnumNames<Event>::names)) return {};
  return static_cast<Event>(found - std::begin(EnumNames<Event>::names));
}

[[noreturn]] void refuse(const std::string& column, const std::string& what, Event event, const std::string& hint) {
  throw Error(ErrorCode::usage,
              "column " + in_quotes(column) + " holds " + what + ", which --event " + std::string(name_of(event)) +
                  " has no use for",
              hint);
}

// Walks the terms of a map.
class Planner {
 public:
  Planner(const FeatureMap& map, const EventChoices& choices, bool squares)
      : map_(map), inputs_(map.parts().inputs), choices_(choices), squares_(squares) {}

  EventPlan plan() {
    const std::vector<Term>& terms = map_.parts().terms;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      first_ = map_.first_feature(t);
      last_ = map_.first_feature(t + 1);
      if (formula_of(terms[t], inputs_)) {
        t += number(terms, t);
      } else if (const CategoryTerm* const category = std::get_if<CategoryTerm>(&terms[t])) {
        one_of_levels(inputs_[category->input].name, category->base.has_value(), true);
      } else if (std::holds_alternative<CrossTerm>(terms[t])) {
        cross(std::get<CrossTerm>(terms[t]));
      } else if (std::holds_alternative<MissingTerm>(terms[t])) {
        add(Event::bernoulli, map_.name(first_));
      } else if (const EntriesTerm* const entries = std::get_if<EntriesTerm>(&terms[t])) {
        of_entries(*entries);
      } else if (const TextTerm* const text = std::get_if<TextTerm>(&terms[t])) {
        of_texts(*text);
      }
    }
    if (!counts_.ranges.empty()) plan_.groups.push_back(std::move(counts_));
    if (!complements_.ranges.empty()) plan_.groups.push_back(std::move(complements_));
    plan_.features = map_.features();
    check_names();
    return std::move(plan_);
  }

 private:
  // How many terms beyond this one it used.
  std::size_t number(const std::vector<Term>& terms, std::size_t t) {
    const std::string name = map_.name(first_);
    const Event event = asked(name_before_presence(terms[t], name), Kind::number);
    if (event == Event::categorical)
      refuse(name, "numbers", event, "--categorical " + as_typed_item(name) + " reads it as a category");
    if (event == Event::bernoulli) {
      add(event, name);
    } else if (event == Event::gaussian) {
      const std::optional<double> centre =
          squares_ && t + 1 < terms.size() ? centre_of_square(terms[t], terms[t + 1], inputs_) : std::nullopt;
      plan_.gaussians.push_back({first_, centre ? std::optional(first_ + 1) : std::nullopt, centre.value_or(0.0)});
      return centre ? 1 : 0;
    } else {
      EventGroup& group = event == Event::complement ? complements_ : counts_;
      group.ranges.push_back({first_, last_});
    }
    return 0;
  }

  // A number requested by its presence became the formula x>0, and x is the user's name for it.
  std::string name_before_presence(const Term& term, const std::string& name) const {
    constexpr std::string_view suffix = ">0";
    const FormulaTerm* const formula = std::get_if<FormulaTerm>(&term);
    if (formula == nullptr || !formula->formula.text().ends_with(suffix)) return name;
    const std::string& text = formula->formula.text();
    const std::string plain = Formula::parse(text.substr(0, text.size() - suffix.size())).name();
    return choices_.of(plain, Kind::number) == Event::bernoulli ? plain : name;
  }

  void one_of_levels(const std::string& name, bool has_base, bool learnt) {
    const Event event = asked(name, Kind::category);
    if (event != Event::categorical && event != Event::bernoulli)
      refuse(name, "categories", event, "--event " + as_typed(name + "=categorical"));
    if (event == Event::categorical && has_base)
      throw Error(ErrorCode::usage, "naive Bayes counts every level, and --coding treatment leaves one out",
                  "--coding full");
    add(event, name, learnt);
  }

  void cross(const CrossTerm& term) {
    std::string name;
    bool categories = true, based = false;
    for (const CategoryTerm& side : term.sides()) {
      name += (name.empty() ? "" : "*") + inputs_[side.input].name;
      categories = categories && inputs_[side.input].kind == Kind::category;
      based = based || side.base;
    }
    if (!categories)
      refuse(name, "the product of a number and a category", asked(name, Kind::category), "cross two categories");
    one_of_levels(name, based, false);
  }

  void of_entries(const EntriesTerm& term) {
    const std::string& name = inputs_[term.input].name;
    const Event event = asked(name, Kind::sparse);
    if (event == Event::categorical) refuse(name, "sparse entries", event, "--event multinomial");
    const std::vector<std::string>& names = inputs_[term.input].levels;
    // Every number up to the last exists, unless there are too many.
    const auto last = names.empty() ? std::nullopt : number_in_name(names.back());
    if (event != Event::gaussian) {
      add(event, name, true, last && *last <= names.size());
      plan_.groups.back().has_zero = plan_.groups.back().numbered && number_in_name(names.front()) == 0;
      return;
    }
    const bool squares = term.form == EntryForm::with_square;
    const std::uint32_t count = (last_ - first_) / (squares ? 2 : 1);
    for (std::uint32_t j = first_; j < first_ + count; ++j)
      plan_.gaussians.push_back({j, squares ? std::optional(j + count) : std::nullopt, 0.0});
  }

  void of_texts(const TextTerm& term) {
    const std::string& name = inputs_[term.input].name;
    const Event event = asked(name, Kind::text);
    if (event == Event::gaussian || (event == Event::categorical && term.bag->positions == 0))
      refuse(name, "texts", event, "--event multinomial");
    if (term.bag->positions == 0 || event == Event::bernoulli) return add(event, name, term.bag->hash_bits == 0);
    expect_words_in_places(*term.bag, name, event);
    // The word at each place is a variable of its own: features are called 1=dear, 2=sir.
    std::vector<EventGroup> places(term.bag->positions);
    for (std::uint32_t j = first_; j < last_; ++j) {
      const std::string_view text = term.bag->texts()[j - first_];
      std::size_t place = 0;
      for (const char c : text.substr(0, text.find('='))) place = place * 10 + static_cast<std::size_t>(c - '0');
      if (place < 1 || place > places.size())
        throw Error(ErrorCode::model,
                    "the term " + in_quotes(text) + " of column " + in_quotes(name) + " stands at no place from 1 to " +
                        std::to_string(places.size()),
                    "terms of texts with --positions are called 1=dear, 2=sir");
      std::vector<EventGroup::Range>& ranges = places[place - 1].ranges;
      if (!ranges.empty() && ranges.back().last == j)
        ++ranges.back().last;
      else
        ranges.push_back({j, j + 1});
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].ranges.empty()) continue;
      places[i].event = Event::categorical;
      places[i].learnt = true;
      places[i].name = name + ":" + std::to_string(i + 1);
      plan_.groups.push_back(std::move(places[i]));
    }
  }

  // With --positions the word at a place is a category, counted as it is.
  void expect_words_in_places(const BagOfWords& bag, const std::string& name, Event event) const {
    if (!choices_.automatic(name) && event != Event::categorical)
      refuse(name, "words in their places", event,
             "leave out --event " + std::string(name_of(event)) + ": with --positions each place is categorical");
    if (bag.hash_bits > 0)
      throw Error(ErrorCode::usage,
                  "--positions and --hash-bits are both given; naive Bayes must know which words stand at which place",
                  "leave out --hash-bits");
    if (bag.weighting.idf || bag.weighting.norm != RowNorm::none)
      throw Error(ErrorCode::usage,
                  "with --positions the word at each place is counted, so --tfidf and --normalise have no meaning",
                  "leave them out");
  }

  Event asked(const std::string& name, Kind kind) {
    names_.push_back(name);
    return choices_.of(name, kind);
  }
  void add(Event event, const std::string& name, bool learnt = false, bool numbered = false) {
    plan_.groups.push_back({event, name, learnt, numbered, false, 0, {{first_, last_}}});
  }

  void check_names() const {
    const std::optional<std::string> stranger = choices_.stranger(names_);
    if (stranger)
      throw Error(
          ErrorCode::usage,
          "--event names column " + in_quotes(*stranger) + ", which is not there; the columns are " + listed(names_),
          did_you_mean(*stranger, names_));
  }

  const FeatureMap& map_;
  const std::vector<FeatureMap::Input>& inputs_;
  const EventChoices& choices_;
  const bool squares_;
  EventPlan plan_;
  EventGroup counts_{Event::multinomial, "counts", false, false, false, 0, {}};
  EventGroup complements_{Event::complement, "counts", false, false, false, 0, {}};
  std::vector<std::string> names_;
  std::uint32_t first_ = 0, last_ = 0;
};

}  // namespace

std::string_view name_of(Event event) noexcept { return EnumNames<Event>::names[static_cast<std::size_t>(event)]; }

EventChoices::EventChoices(const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, Event>> said;  // "" is not a column's name
  for (const std::string& item : given) {
    const std::size_t equals = item.rfind('=');
    const std::string_view text = std::string_view(item).substr(equals == std::string::npos ? 0 : equals + 1);
    const std::optional<Event> event = find_event(text);
    if (!event) throw unknown_choice("event", text, event_names(), "--event ");
    const std::string column = equals == std::string::npos ? "" : item.substr(0, equals);
    const auto before = std::find_if(said.begin(), said.end(), [&](const auto& each) { return each.first == column; });
    if (before != said.end() && before->second != *event)
      throw Error(ErrorCode::usage,
                  "--event says " + std::string(name_of(before->second)) + " and " + std::string(name_of(*event)) +
                      " of " + (column.empty() ? std::string("all columns") : "column " + in_quotes(column)),
                  "leave out one of them");
    said.emplace_back(column, *event);
    if (equals == std::string::npos)
      all_ = *event;
    else
      columns_.emplace_back(column, *event);
  }
}

Event EventChoices::asked(const std::string& name) const {
  Event event = all_;
  for (const auto& [column, own] : columns_)
    if (column == name) event = own;
  return event;
}

Event EventChoices::of(const std::string& name, Kind kind) const {
  if (const Event event = asked(name); event != Event::automatic) return event;
  switch (kind) {
    case Kind::number:
    case Kind::date: return Event::gaussian;
    case Kind::category: return Event::categorical;
    case Kind::sparse:
    case Kind::text: return Event::multinomial;
  }
  return Event::gaussian;
}

std::optional<std::string> EventChoices::stranger(const std::vector<std::string>& names) const {
  for (const auto& [column, event] : columns_)
    if (std::find(names.begin(), names.end(), column) == names.end()) return column;
  return {};
}

std::uint32_t EventGroup::features() const noexcept {
  std::uint32_t count = 0;
  for (const Range& range : ranges) count += range.last - range.first;
  return count;
}

bool EventPlan::has(Event event) const noexcept {
  if (event == Event::gaussian) return !gaussians.empty();
  return std::any_of(groups.begin(), groups.end(), [&](const EventGroup& group) { return group.event == event; });
}

std::string event_text(const EventPlan& plan, const FeatureMap& map) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> items;
  for (const EventGroup& group : plan.groups) items.push_back(group.name + " " + std::string(name_of(group.event)));
  for (const GaussianFeature& each : plan.gaussians) items.push_back(map.name(each.feature) + " gaussian");
  return listed(items, kMost);
}

EventPlan plan_events(const FeatureMap& map, const EventChoices& choices, bool squares) {
  return Planner(map, choices, squares).plan();
}

}  // namespace plumb
