#include "plumb/workflow/further_training.h"

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/feature/levels.h"
#include "plumb/train/naive_bayes_merge.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool grows(const SavedModel& start) { return find_trainer(start.record.model).family == Family::counting; }

void take_up_options(const SavedModel& start, const std::vector<OptionGroup>& groups, std::vector<std::string>& given) {
  const std::vector<std::string> own = {"test", "continue", "classes", "plot",  "model",     "rows",
                                        "id",   "group",    "fold",    "split", "calibrate", "threshold"};
  const std::vector<std::string> typed = given;
  for (const OptionGroup& group : groups) {
    if (group.title == "Reading" || group.title == "Running") continue;
    for (const OptionInfo& info : group.options) {
      if (!info.recorded || among(typed, info.name) || among(own, info.name)) continue;
      for (const auto& [name, text] : start.record.options) {
        if (name != info.name) continue;
        if (name == "dev" && text == "file") continue;  // which is not available either, and not needed
        if (name == "prior" && text == "file")
          throw Error(ErrorCode::usage, "the priors of the model came from a file, which is not at hand",
                      "--prior FILE names it again");
        try {
          info.set(group.owner, text);
        } catch (const OptionFault& fault) {
          throw Error(ErrorCode::model,
                      "its record says --" + name + " " + in_quotes(text) + "; " + fault.expected + " was expected");
        }
        if (!among(given, name)) given.push_back(name);
      }
    }
  }
}

bool hold_out_again(const SavedModel& start, const std::string& data_digest, TestChoice& test, SplitKeys& keys,
                    RandomKey& key, Messages& say, std::vector<std::string>& warnings) {
  const Record& record = start.record;
  const std::string* const was = find_option(record, "test");
  if (record.test_rows == 0 || record.data_digest.empty() || record.data_digest != data_digest ||
      (was != nullptr && *was == "file"))
    return false;
  if (find_option(record, "group") != nullptr || find_option(record, "id") != nullptr) {
    warnings.push_back("the model held out " + counted(record.test_rows, "row") +
                       " of these data by a column, and now trains on them: the score it had says nothing of the new "
                       "model, and no row of these data is a test of it");
    return false;
  }
  test = was != nullptr ? OptionText<TestChoice>::read(*was) : TestChoice();
  key.seed = record.seed;
  const std::string* const how = find_option(record, "split");
  keys.in_order = how != nullptr && *how == "order";
  say.note("the " + counted(record.test_rows, "row") +
           " that the model held out are held out again (--test none trains on them too)");
  return true;
}

void warn_of_other_split(const SavedModel& start, const std::string& data_digest, const TestChoice& test,
                         std::uint64_t seed, std::vector<std::string>& warnings) {
  const Record& record = start.record;
  if (test.what == TestChoice::What::none || test.what == TestChoice::What::file || record.data_digest.empty() ||
      record.data_digest != data_digest)
    return;
  const std::string* const was = find_option(record, "test");
  const bool by_column = find_option(record, "group") != nullptr || find_option(record, "id") != nullptr;
  const bool in_order = find_option(record, "split") != nullptr;
  const std::string own = was != nullptr ? *was : OptionText<TestChoice>::text(TestChoice());
  if (record.test_rows > 0 && !by_column && !in_order && record.seed == seed &&
      own == OptionText<TestChoice>::text(test))
    return;
  const bool again = record.test_rows > 0 && !by_column && own != "file";
  warnings.push_back(
      "the model was trained on rows of these data that --test now holds out: the score on them says "
      "little of rows it has not seen" +
      std::string(again ? "; without --test the same rows are held out again" : ""));
}

void expect_continued(const SavedModel& start, const std::string& model, const std::vector<std::string>& given) {
  if (!model.empty() && find_trainer(model).name != start.record.model)
    throw Error(ErrorCode::usage,
                "--continue names a model of " + in_quotes(start.record.model) + ", and -m one of " +
                    in_quotes(find_trainer(model).name) + "; one kind was expected",
                "leave out -m");
  for (const std::string option : {"id", "group", "fold", "split"})
    if (among(given, option))
      throw Error(ErrorCode::usage,
                  "--" + option + " and --continue are given; a model that is trained further has no split of its own",
                  "leave out --" + option);
}

void refuse_shapes(const std::vector<OptionGroup>& groups, const std::vector<std::string>& given) {
  const std::vector<std::string> still = {"target", "weight", "missing"};  // how new rows are read
  for (const OptionGroup& group : groups)
    for (const OptionInfo& info : group.options) {
      const bool shapes =
          group.title == "Data" || group.title == "Text" || among({"positive", "start", "no-bias"}, info.name);
      if (shapes && among(given, info.name) && !among(still, info.name))
        throw Error(ErrorCode::usage,
                    "--" + info.name + " and --continue are given; features, labels and weights are those of the model",
                    "leave out --" + info.name + ", or train a new model");
    }
}

void take_up_texts(const SavedModel& start, TextOptions& text) {
  const auto& options = start.record.options;
  const bool given = std::any_of(options.begin(), options.end(), [](const auto& o) { return o.first == "vocabulary"; });
  for (const Term& term : start.model.parts().map.parts().terms) {
    const TextTerm* const of = std::get_if<TextTerm>(&term);
    if (of == nullptr) continue;
    text.kept_stop_words = of->bag->rules.stop_words;
    if (!given || of->bag->hash_bits > 0) return;
    text.kept_vocabulary.emplace();
    for (std::size_t id = 0; id < of->bag->texts().size(); ++id)
      text.kept_vocabulary->emplace_back(of->bag->texts()[id]);
    return;  // the options are those of every column
  }
}

void take_up_kinds(const SavedModel& start, FeatureOptions& features, const std::vector<std::string>& given) {
  if (features.target.empty()) features.target = start.record.target;
  std::vector<std::string> names;
  for (const FeatureMap::Input& input : start.model.parts().map.parts().inputs) {
    names.push_back(input.name);
    if (input.kind == Kind::sparse) return;
    std::vector<std::string>* const kind = input.kind == Kind::category ? &features.categorical
                                           : input.kind == Kind::number ? &features.numeric
                                           : input.kind == Kind::text   ? &features.text
                                                                        : nullptr;
    if (kind != nullptr && !among(*kind, input.name)) kind->push_back(input.name);
  }
  // In the model's order, where its columns are its features.
  if (!among(given, "features") && !among(given, "derive") && !among(given, "drop")) features.features = names;
}

std::vector<std::string> grown_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                                      const std::string& positive) {
  std::vector<std::string> labels = start.model.parts().labels;
  std::vector<bool> seen(classes.labels.size() + 1);
  for (std::uint64_t row = 0; row < classes.of_row.size(); ++row)
    if (training.has(row) && classes.counted.has(row)) seen[classes.of_row[row]] = true;
  for (std::size_t k = 0; k < classes.labels.size(); ++k)
    if (seen[k] && !among(labels, classes.labels[k])) labels.push_back(classes.labels[k]);
  return labels.size() == start.model.parts().labels.size() ? labels : labels_of_all(std::move(labels), positive);
}

}  // namespace

void expect_known_labels(const SavedModel& start, const Classes& classes, const RowSet& training,
                         const std::string& source, const std::string& hint) {
  const LabelCodes known(start.model.parts().labels);
  for (std::uint64_t row = 0; row < classes.of_row.size(); ++row)
    if (training.has(row) && classes.of_row[row] < classes.labels.size() &&
        !known.find(classes.labels[classes.of_row[row]]))
      throw Error(ErrorCode::data, {source},
                  "the label " + in_quotes(classes.labels[classes.of_row[row]]) + " of row " + count_text(row + 1) +
                      " is not one of the model's, which are " + listed(start.model.parts().labels),
                  hint);
}

void take_up(const SavedModel& start, TrainRequest& request) {
  const std::vector<OptionGroup> groups = request.groups();
  TrainOptions& options = request.options;
  expect_continued(start, options.model, request.given);
  if (!grows(start)) refuse_shapes(groups, request.given);
  if (!was_given(request.given, "seed")) options.seed = start.record.seed;
  if (!was_given(request.given, "test")) options.test.what = TestChoice::What::none;
  take_up_options(start, groups, request.given);
  if (!grows(start)) return;
  take_up_kinds(start, request.data.features, request.given);
  take_up_texts(start, request.data.text);
}

FurtherTraining::FurtherTraining(const SavedModel& start, TrainRequest& request, Source& source, Messages& say,
                                 const Run& run)
    : Training(request, source, say, run), start_(start), stays_(!grows(start)) {}

std::string FurtherTraining::model_name() {
  return request_.options.model.empty() ? start_.record.model : request_.options.model;
}

std::string FurtherTraining::target() const {
  const std::string& given = request_.data.features.target;
  return given.empty() ? start_.record.target : given;
}

FeaturePlan FurtherTraining::make_plan() const {
  if (start_.model.parts().target)
    throw Error(ErrorCode::usage,
                "--continue names a model that was fitted to " + start_.model.parts().target->formula().text() +
                    "; a model of the column itself was expected",
                "train on all rows together");
  if (!stays_) return Training::make_plan();
  FeaturePlan plan;
  for (const FeatureMap::Input& input : start_.model.parts().map.parts().inputs)
    plan.inputs.push_back({input.name, input.kind});
  plan.target = target();
  plan.target_kind = entry_->target;
  plan.weight = request_.data.features.weight;
  return plan;
}

void FurtherTraining::select() {
  if (!stays_) return Training::select();
  const FeatureOptions& features = request_.data.features;
  layout_ = start_.model.parts().map.select_from(
      source_, {target(), start_.model.parts().labels, features.weight, if_weight_missing(features.missing),
                if_target_missing(features.missing)});
}

Classes FurtherTraining::find_classes() const {
  const std::vector<std::string>& known = start_.model.parts().labels;
  if (layout_.target) return classes_of(tables_, *layout_.target, layout_.weight, known);
  const std::size_t target = plan_.inputs.size();
  return classes_of(tables_, target, plan_.weight.empty() ? std::nullopt : std::optional(target + 1), known);
}

SplitKeys FurtherTraining::split_by(RandomKey& key) {
  SplitKeys keys = stays_ ? SplitKeys() : Training::split_by(key);
  TestChoice& test = request_.options.test;
  if (was_given(request_.given, "test")) {
    warn_of_other_split(start_, source_.digest(), test, request_.options.seed, warnings_);
  } else if (hold_out_again(start_, source_.digest(), test, keys, key, say_, warnings_)) {
    // Recorded, so that a model made from this one holds them out too.
    request_.given.emplace_back("test");
    if (keys.in_order) {
      request_.data.split.split = SplitOrder::order;
      request_.given.emplace_back("split");
    }
  }
  return keys;
}

Learnt FurtherTraining::learn_map(Wishes wishes) const {
  if (stays_) return {start_.model.parts().map, layout_, {}, {}, {}, {}};
  wishes.terms_may_be_none = true;  // then they are added to those of the model
  Learnt learnt = Training::learn_map(std::move(wishes));
  learnt.map = grown_map(start_, learnt.map);
  return learnt;
}

std::vector<std::string> FurtherTraining::labels_of_training(const Classes& classes) const {
  if (!stays_) return grown_labels(start_, classes, training_, request_.data.classes.positive);
  expect_known_labels(start_, classes, training_, source_.name(),
                      "--classes " + as_typed(list_of(start_.model.parts().labels)) +
                          " leaves out rows with other labels; or train a new model without --continue");
  return start_.model.parts().labels;
}

std::string FurtherTraining::unseen_place() const { return stays_ ? "" : Training::unseen_place(); }

}  // namespace plumb
