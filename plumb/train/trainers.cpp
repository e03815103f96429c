#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/objective/loss.h"
#include "plumb/train/lasso.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/logistic.h"
#include "plumb/train/loss_trainer.h"
#include "plumb/train/naive_bayes.h"
#include "plumb/train/perceptron.h"
#include "plumb/train/refitter.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

// Options is the struct with the table; T is made from it.
template <class T, class Options, OptionTable (*table)()>
class SetupOf final : public TrainerSetup {
 public:
  OptionGroup options() override { return options_of("", options_, table()); }
  std::unique_ptr<Trainer> make() const override { return std::make_unique<T>(options_); }

 private:
  Options options_;
};

template <class T, class Options, OptionTable (*table)() = Options::table>
std::unique_ptr<TrainerSetup> setup() {
  return std::make_unique<SetupOf<T, Options, table>>();
}

}  // namespace

void Trainer::check(const FeatureMap& map) const {
  if (const std::optional<std::uint32_t> offset = map.offset())
    throw Error(ErrorCode::usage, map.name(*offset) + " is given, but this model does not support an offset",
                "leave out --offset");
}

std::vector<std::string> Trainer::notes(const FeatureMap&) const { return {}; }
std::unique_ptr<Refitter> Trainer::refitter(const RefitData&) const { return nullptr; }
std::unique_ptr<LockstepFits> Trainer::lockstep(const Problem&, std::size_t, const Run&) const { return nullptr; }

FitSize FitSize::of(const Examples& examples, std::size_t classes) {
  return {examples.features(), examples.rows(), examples.entries(), examples.sparse(), classes};
}

void expect_memory(const Trainer& trainer, const Examples& examples, std::size_t classes, const Run& run) {
  run.memory.expect(examples.bytes() + trainer.memory(FitSize::of(examples, classes), run.executor),
                    "the fit of " + counted(examples.features(), "feature") + " to " + counted(examples.rows(), "row") +
                        (classes > 2 ? " of " + counted(classes, "class") : "") + " needs",
                    "--drop a column with many levels, or make fewer features of texts: --hash-bits 12, --min-df 2");
}

// Losses that are models by themselves come last, in the order of THE list of losses.
std::span<const TrainerEntry> trainer_list() {
  static const std::vector<TrainerEntry> list = [] {
    std::vector<TrainerEntry> all = {
        TrainerEntry{"least-squares", "linear regression by least squares", Kind::number, true, Family::penalised, true,
                     setup<LeastSquaresTrainer, LeastSquaresOptions>},
        TrainerEntry{"ridge", "least squares with an L2 penalty, chosen unless --l2 says it", Kind::number, true,
                     Family::penalised, true, setup<RidgeTrainer, RidgeOptions>},
        TrainerEntry{"lasso", "least squares with an L1 penalty, chosen unless --l1 says it", Kind::number, true,
                     Family::penalised, false, setup<LassoTrainer, LassoOptions>, false, "-m logistic --l1 auto"},
        TrainerEntry{"elastic-net", "least squares with L1 and L2 penalties, chosen unless --l1 says them",
                     Kind::number, true, Family::penalised, false,
                     setup<LassoTrainer, ElasticNetOptions, LassoOptions::table>, false,
                     "-m logistic --l1 auto --l1-ratio 0.5"},
        TrainerEntry{"logistic", "logistic regression: probabilities of two or more classes", Kind::category, true,
                     Family::penalised, true, setup<LogisticTrainer, LogisticOptions, LogisticOptions::logistic_table>},
        TrainerEntry{"hinge", "linear support vector machine (hinge loss)", Kind::category, true, Family::penalised,
                     false, setup<HingeTrainer, HingeOptions>},
        TrainerEntry{"squared-hinge", "linear support vector machine with squared hinge loss", Kind::category, true,
                     Family::penalised, false, setup<SquaredHingeTrainer, HingeOptions, HingeOptions::sparse_table>},
        TrainerEntry{"perceptron", "perceptron: an online linear classifier", Kind::category, false, Family::online,
                     true, setup<PerceptronTrainer, PerceptronOptions>},
        TrainerEntry{"naive-bayes", "naive Bayes: features independent given the class", Kind::category, false,
                     Family::counting, true, setup<NaiveBayesTrainer, NaiveBayesOptions>},
    };
    for_each_loss([&]<class L>(Loss, const L&) {
      if constexpr (ModelLoss<L>)
        all.push_back({L::kName, L::kModel.meaning, Kind::number, true, Family::penalised, false,
                       setup<LossTrainer<L>, LossOptions<L>>, L::kModel.log_link});
    });
    return all;
  }();
  return list;
}

const TrainerEntry& default_trainer(Kind target) {
  const std::span<const TrainerEntry> list = trainer_list();
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const TrainerEntry& each) { return each.target == target && each.compared; });
  return found == list.end() ? list.front() : *found;
}

const TrainerEntry* listed_trainer(std::string_view name) {
  for (const TrainerEntry& entry : trainer_list())
    if (entry.name == name) return &entry;
  return nullptr;
}

namespace {

// What other programs call the models here, and what to type for it.
struct OtherName {
  std::string_view name;
  const char* hint;
};
constexpr OtherName kOtherNames[] = {
    {"logit", "-m logistic --l2 0"},
    {"logistic-regression", "-m logistic"},
    {"maxent", "-m logistic"},
    {"softmax", "-m logistic"},
    {"glm", "-m logistic --l2 0 for labels, -m poisson for counts, -m least-squares for other numbers"},
    {"svm", "-m hinge"},
    {"svc", "-m hinge"},
    {"linear-svm", "-m hinge"},
    {"linear-svc", "-m squared-hinge"},
    {"ols", "-m least-squares"},
    {"lm", "-m least-squares"},
    {"linear", "-m least-squares"},
    {"linear-regression", "-m least-squares"},
    {"ridge-regression", "-m ridge"},
    {"sgd", "-m logistic --solver sgd"},
    {"nb", "-m naive-bayes"},
    {"bayes", "-m naive-bayes"},
    {"multinomial-nb", "-m naive-bayes --event multinomial"},
    {"bernoulli-nb", "-m naive-bayes --event bernoulli"},
    {"gaussian-nb", "-m naive-bayes --event gaussian"},
};

// Models that are not linear, or not here, and what comes nearest.
constexpr const char* kNearestModel =
    "-m logistic for labels, -m ridge for numbers; --derive 'cross(all)' adds interactions";
constexpr OtherName kNotHere[] = {
    {"lda", "-m logistic has the same boundaries"},
    {"qda", "-m naive-bayes"},
    {"gam", "--derive 'poly(x, 3)' bends a column"},
    {"kmeans", "train needs a target"},
    {"pca", "-m ridge"},
    {"random-forest", kNearestModel},
    {"rf", kNearestModel},
    {"forest", kNearestModel},
    {"decision-tree", kNearestModel},
    {"tree", kNearestModel},
    {"cart", kNearestModel},
    {"knn", kNearestModel},
    {"xgboost", kNearestModel},
    {"lightgbm", kNearestModel},
    {"catboost", kNearestModel},
    {"gbm", kNearestModel},
    {"gradient-boosting", kNearestModel},
    {"adaboost", kNearestModel},
    {"mlp", kNearestModel},
    {"nn", kNearestModel},
    {"neural-network", kNearestModel},
    {"deep-learning", kNearestModel},
    {"gp", kNearestModel},
    {"gaussian-process", kNearestModel},
};

// In small letters, with "-" for "_" and blanks.
std::string as_a_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c == '_' || c == ' ' ? '-' : c;
  return name;
}

}  // namespace

const TrainerEntry& find_trainer(std::string_view name) {
  if (const TrainerEntry* const found = listed_trainer(name)) return *found;
  std::vector<std::string> names;
  for (const TrainerEntry& entry : trainer_list()) names.emplace_back(entry.name);
  const std::string meant = as_a_name(name);
  if (meant == "auto")
    throw Error(ErrorCode::usage, "-m auto is for train, crossval and compare; a model was expected here",
                "-m " + std::string(names.front()) + " for numbers, -m logistic for labels");
  for (const TrainerEntry& entry : trainer_list())
    if (entry.name == meant)
      throw Error(ErrorCode::usage, "there is no model " + in_quotes(name), "-m " + std::string(entry.name));
  for (const OtherName& other : kOtherNames)
    if (other.name == meant) throw Error(ErrorCode::usage, "there is no model " + in_quotes(name), other.hint);
  for (const OtherName& other : kNotHere)
    if (other.name == meant)
      throw Error(ErrorCode::usage, "plumb has linear models only, and no " + std::string(name), other.hint);
  throw unknown_choice("model", name, names, "-m ");
}

}  // namespace plumb
