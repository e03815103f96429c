// The kind of event that a column is for naive Bayes, and so the family of its distribution given the class. Words are
// drawn one after another (multinomial), a feature is present or not (bernoulli), a category has one of its levels
// (categorical), a number is drawn from a Gaussian (gaussian); complement is multinomial, judged by the words of the
// other classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/feature/feature_map.h"

namespace plumb {

enum class Event { automatic, multinomial, bernoulli, categorical, gaussian, complement };
template <>
struct EnumNames<Event> {
  static constexpr std::string_view names[] = {"auto",        "multinomial", "bernoulli",
                                               "categorical", "gaussian",    "complement"};
};
std::string_view name_of(Event event) noexcept;

// --event: one for all columns, or COL=EVENT for some.
class EventChoices {
 public:
  EventChoices() = default;
  // Throws Error(usage) for an unknown event.
  explicit EventChoices(const std::vector<std::string>& given);
  // Never automatic.
  Event of(const std::string& name, Kind kind) const;
  // Whether the user did not name the column, so that its kind decides.
  bool automatic(const std::string& name) const { return asked(name) == Event::automatic; }
  // Named columns that are not among these.
  std::optional<std::string> stranger(const std::vector<std::string>& names) const;

 private:
  Event asked(const std::string& name) const;

  Event all_ = Event::automatic;
  std::vector<std::pair<std::string, Event>> columns_;
};

// A random variable, or many alike, given the class.
struct EventGroup {
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // one past
  };
  Event event = Event::multinomial;
  std::string name;  // of the column; "counts" for several columns that are one multinomial
  // Whether its outcomes come from the rows, so that they are removed with the last row that has them; `numbered` ones
  // are removed only at the end, and the first `declared` of them never. Numbers begin at 1: a 0 exists only if a row
  // has it.
  bool learnt = false;
  bool numbered = false;
  bool has_zero = false;
  std::uint32_t declared = 0;
  std::vector<Range> ranges;  // multinomial, complement, categorical: the outcomes; bernoulli: a variable each

  std::uint32_t features() const noexcept;
  // Whether it is the number 0.
  bool is_zero(std::uint32_t feature) const noexcept { return has_zero && feature == ranges.front().first; }
};

// A number with its own mean and variance in each class.
struct GaussianFeature {
  std::uint32_t feature = 0;
  std::optional<std::uint32_t> square = {};  // the feature (x - centre)^2, if the map has it
  double centre = 0.0;
};

struct EventPlan {
  std::vector<EventGroup> groups;          // all but gaussian
  std::vector<GaussianFeature> gaussians;  // by feature
  std::uint32_t features = 0;

  bool has(Event event) const noexcept;
};

// "size gaussian, colour categorical, text multinomial": the choice, for people.
std::string event_text(const EventPlan& plan, const FeatureMap& map);

// The events of a map; `squares` if it was learnt with squares for Gaussians: otherwise x^2 beside x is an independent
// number. Throws Error(usage) for an event that a column cannot be, or an unknown COL.
EventPlan plan_events(const FeatureMap& map, const EventChoices& choices, bool squares = true);

}  // namespace plumb
