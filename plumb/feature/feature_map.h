// FeatureMap: Table -> Examples. Learnt on training rows in one pass, then fixed and kept in the model; names every
// feature. A number or a formula is one feature; a category is one feature per level (one-hot), a text one per term.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/feature/plan.h"
#include "plumb/feature/scale.h"
#include "plumb/feature/term.h"

namespace plumb {

// The form of a number: itself, 1 if it is above 0 and otherwise 0, or itself and its square. For texts, presence
// counts a term once. Categories have one form.
enum class NumberForm { value, presence, with_square };

// A trainer's requirements for the features, from Trainer::wishes().
struct Wishes {
  bool bias = true;  // without one, the first category keeps all its levels, so that the base level is not forced to 0
  bool full_coding = false;  // a feature for every level; otherwise the first level is the base and has none
  bool low_parts = false;    // products and formulas in double-double, for up to kMostLowParts numbers
  // Under Missing::automatic: rows with a missing number are left out of the fit, as its standard errors take every
  // number for a measured one.
  bool complete_rows = false;
  // Under Missing::automatic: a column that misses nothing here has a median all the same, for rows yet to come.
  bool fill_ahead = true;
  // Sums over these rows will be added to those over others: nothing may be learnt that others would have differently.
  bool adds_up = false;
  // For entries with numeric names: a feature for every number from 1 to the highest in the data, or to this one if it
  // is higher, whether rows have it or not; if those are too many (kMostNumbers), only for those in the data.
  std::optional<std::uint32_t> every_number = {};
  static constexpr std::uint32_t kMostNumbers = 1'000'000;
  // Terms of texts in the order of their bytes, which does not change when rows are added; otherwise the most common
  // come first.
  bool terms_by_text = false;
  bool terms_may_be_none = false;  // for texts whose vocabulary is added to another
  // The form of a term called `name`, made from such a column; without this function every number is itself.
  std::function<NumberForm(const std::string& name, Kind kind)> form = {};
  static constexpr std::uint64_t kMostLowParts = 10'000'000;
};

// The columns that examples need beside the inputs of a map; an empty name means no column.
struct Roles {
  std::string target = {};
  std::vector<std::string> labels = {};  // of a category target, as in Learnt::layout; empty for numbers
  std::string weight = {};
  IfMissing if_missing = IfMissing::error;         // columns without a fill value
  IfMissing if_target_missing = IfMissing::error;  // for the target
  bool keep_texts = false;                         // kept beside the features made from them
  std::vector<std::size_t> beside = {};            // columns of the source to fill as written, after all others
};

class FeatureMap {
 public:
  // A column that rows must have, and the levels seen in training (sorted: as numbers if all are numbers, otherwise
  // bytewise; the empty field last). An unseen level has no feature: it adds nothing to a score, and is counted. The
  // levels of sparse entries are the names of its features: "f3" for an entry 3:0.5 with a numeric name.
  struct Input {
    std::string name;
    Kind kind = Kind::number;
    std::vector<std::string> levels;
    std::optional<double> fill = {};  // for a number: fills a missing value; without it missing values are errors
    bool operator==(const Input&) const = default;
  };
  struct Parts {
    std::vector<Input> inputs;
    std::vector<Term> terms;
    std::vector<std::string> na = {};  // texts that mean a missing value, for ReadOptions::na
    Scale scale = {};
    bool operator==(const Parts&) const = default;
  };

  FeatureMap();  // no inputs, no features
  // Throws Error(model) if the parts contradict each other: they may come from an untrusted file.
  explicit FeatureMap(Parts parts);

  const Parts& parts() const noexcept;
  std::uint32_t features() const noexcept;
  bool sparse() const noexcept;  // whether apply() makes sparse pieces: if most of a row would be zeros
  std::string name(std::uint32_t feature) const;  // "age", "height^3", "Sex=I", "review:good"
  // The feature of the offset, whose weight is 1 in every model: trainers may not change it.
  std::optional<std::uint32_t> offset() const noexcept;
  std::vector<std::string> names() const;
  std::uint32_t first_feature(std::size_t term) const noexcept;  // one past the last feature after the last term

  // Tells the source to fill the columns this map needs, matched by name, and returns where they will be. Throws
  // Error(data) if one is missing.
  TableLayout select_from(Source& source, const Roles& roles = {}) const;

  struct Unseen {  // values of a category that training did not know, and terms of texts without a feature
    std::uint64_t values = 0;
    std::string first = {};  // "Sex=X", or empty: of the lowest row, there of the first input, however rows were cut
    std::uint64_t row = 0;   // the place of `first`
    std::size_t input = 0;
    std::uint64_t terms = 0;          // of texts, as often as they occur
    std::uint64_t unknown_terms = 0;  // those without a feature
    void add(const Unseen& other);
    std::string text() const;        // a sentence for the user about the values
    std::string terms_text() const;  // ... and about the terms
  };
  // The examples of one piece. Throws Error(data) with the place of the first row that has a feature without a finite
  // value, a label that training did not know, or a weight that cannot be used: negative, or not 0 and below the least
  // normal double.
  Piece apply(const Table& table, const TableLayout& layout, Unseen& unseen) const;
  // The same for a table whose inputs are not needed again: their memory becomes part of the piece without a copy if
  // possible. Other columns and the places of rows stay.
  Piece use_up(Table& table, const TableLayout& layout, Unseen& unseen) const;
  // All pieces, in parallel; they are freed as they are used up. Throws Error(resources) if the examples exceed the
  // run's memory.
  Examples apply(Tables&& tables, const TableLayout& layout, Unseen& unseen, const Run& run) const;

 private:
  struct Content;
  // `used_up`, if any, is the table: the piece may take its memory.
  Piece apply(const Table& table, Table* used_up, const TableLayout& layout, Unseen& unseen) const;
  void expect_room(const Tables& tables, const TableLayout& layout, const MemoryBudget& memory) const;
  std::shared_ptr<const Content> content_;  // immutable, so copies are cheap and threads may share it
};

struct Learnt {
  FeatureMap map;
  TableLayout layout;  // where the map's inputs are in the tables it was learnt from, and the labels of the target
  std::vector<std::string> notes;     // decisions, for a user who asks
  std::vector<std::string> said;      // ... and for every user
  std::vector<std::string> filled;    // ... about missing numbers
  std::vector<std::string> warnings;  // what the user may want to change
  std::optional<RowSet> complete =
      {};  // rows that no number is missing in, if the fit is to those alone and others are
};

// Learns levels, vocabularies, and the labels of a category target, from the given rows of the tables.
Learnt learn_features(const Tables& tables, const FeaturePlan& plan, const RowSet& rows, const Wishes& wishes,
                      const Run& run);
// On this thread alone.
Learnt learn_features(const Tables& tables, const FeaturePlan& plan, const RowSet& rows, const Wishes& wishes);

}  // namespace plumb
