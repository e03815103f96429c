#include "plumb/train/traits.h"

#include <iterator>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/objective/loss.h"

namespace plumb {
namespace {

constexpr std::string_view kPlane = "hyperplanes w.x + b";
constexpr std::string_view kAny = "none";

constexpr Traits kTraits[] = {
    {"least-squares", "linear", "discriminative", "E(y | x)", kAny, "linear functions w.x + b", "squared error",
     "closed form: Cholesky of the normal equations", "one pass, n s^2 + p^3", "exact: the one optimum",
     "no iterations, standard errors, leave-one-out at no cost", "far rows pull hard"},
    {"ridge", "linear", "discriminative", "E(y | x)", kAny, "linear functions w.x + b", "squared error + penalty",
     "closed form: Cholesky of the normal equations", "one pass, n s^2 + p^3", "exact: the one optimum",
     "stable where columns are alike or many", "weights are pulled towards 0"},
    {"lasso", "linear", "discriminative", "E(y | x)", kAny, "linear functions w.x + b", "squared error + L1 penalty",
     "convex: coordinate descent on a path of penalties", "some passes, n s each", "certified: within a bound",
     "few features have a weight", "of correlated features it picks one; weights are pulled towards 0"},
    {"elastic-net", "linear", "discriminative", "E(y | x)", kAny, "linear functions w.x + b",
     "squared error + L1 and L2 penalties", "convex: coordinate descent on a path of penalties",
     "some passes, n s each", "certified: within a bound", "few features have a weight; correlated ones share it",
     "weights are pulled towards 0"},
    {"logistic", "linear", "discriminative", "P(y | x)", kAny, kPlane, "conditional likelihood + penalty",
     "convex: Newton, L-BFGS, coordinate descent and others", "some passes, n s each", "certified: within a bound",
     "calibrated, no assumption about the features", "needs more rows than naive Bayes to begin with"},
    {"hinge", "linear", "discriminative", "none: the boundary alone", kAny, kPlane, "hinge loss + penalty",
     "convex: dual coordinate descent", "some passes, n s each", "certified: within a bound",
     "wide margin; most rows do not matter", "no probabilities"},
    {"squared-hinge", "linear", "discriminative", "none: the boundary alone", kAny, kPlane,
     "squared hinge loss + penalty", "convex: Newton, dual coordinate descent and others", "some passes, n s each",
     "certified: within a bound", "wide margin, smooth objective", "no probabilities"},
    {"perceptron", "linear", "discriminative", "none: the boundary alone", kAny, kPlane, "mistakes",
     "online: moved by every mistake", "some passes, n s each", "separates if a plane can; else none promised",
     "simple, learns row by row", "no probabilities; the order of rows matters"},
    {"naive-bayes", "linear", "generative", "P(x, y)", "strong: given the class", "products of P(x_i | y)",
     "joint likelihood", "closed form: counting", "one pass, n s", "exact: the one optimum",
     "fastest; many classes, few rows; exact merging and forgetting",
     "over-confident where features depend on each other"},
};

constexpr TraitEntry kEntries[] = {
    {"power", "power", &Traits::power},
    {"type", "type", &Traits::type},
    {"distribution", "distribution", &Traits::distribution},
    {"independence", "independence", &Traits::independence},
    {"hypothesis_space", "hypothesis space", &Traits::hypotheses},
    {"scoring", "scoring", &Traits::scoring},
    {"search", "search", &Traits::search},
    {"search_cost", "its cost", &Traits::cost},
    {"optimality", "optimality", &Traits::optimality},
    {"strengths", "pro", &Traits::strengths},
    {"weaknesses", "con", &Traits::weaknesses},
};

}  // namespace

std::span<const Traits> trait_list() {
  static const std::vector<Traits> list = [] {
    std::vector<Traits> all(std::begin(kTraits), std::end(kTraits));
    for_each_loss([&]<class L>(Loss, const L&) {
      if constexpr (ModelLoss<L>)
        all.push_back({L::kName, "linear", "discriminative", L::kModel.distribution, kAny, "linear functions w.x + b",
                       L::kModel.scoring, "convex: Newton, L-BFGS and others", "some passes, n s each",
                       "certified: within a bound", L::kModel.strengths, L::kModel.weaknesses});
    });
    return all;
  }();
  return list;
}

const Traits& traits_of(std::string_view trainer) {
  for (const Traits& traits : trait_list())
    if (traits.trainer == trainer) return traits;
  static constexpr Traits kOwn = {"",
                                  "linear",
                                  "discriminative",
                                  "as the loss has it",
                                  kAny,
                                  kPlane,
                                  "the caller's loss",
                                  "convex: Newton, L-BFGS and others",
                                  "some passes, n s each",
                                  "certified: within a bound",
                                  "the loss is the caller's",
                                  ""};
  return kOwn;  // for a custom loss
}

std::span<const TraitEntry> trait_entries() { return kEntries; }

}  // namespace plumb
