// The cost of cross-validation relative to one fit to the same rows in memory, as one line of JSON of CPU times:
//   fold_speed text|categories THREADS             naive Bayes: 10 folds, and every row by the fit to all others
//   fold_speed gaussian THREADS [CLASSES]          the same for numbers and a variance for each class and feature, the
//                                                  default; "..._feature" for a variance for each feature, and
//                                                  "..._weighted" for rows with weights
//   fold_speed ridge THREADS ROWS COLUMNS [SPREAD] leave-one-out errors of many penalties: "path" for the default
//                                                  ones, "path_50" for 50; SPREAD is about the square root of the
//                                                  condition number, by default 1
// "folds", "left_out" and the paths are numbers of fits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/train/naive_bayes_refits.h"
#include "plumb/train/ridge_path.h"

namespace {

class Draws {
 public:
  std::uint64_t next() { return (state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 11; }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(next() % end); }
  double uniform() { return static_cast<double>(next()) * 0x1p-53; }

 private:
  std::uint64_t state_ = 1;
};

constexpr std::uint64_t kPiece = 65536;

// fill(piece, draws) for each row, which has its target.
template <class Fill>
plumb::Examples made(std::uint64_t rows, std::uint32_t features, bool sparse, Fill&& fill, std::uint32_t classes = 2) {
  Draws draws;
  std::vector<plumb::Piece> pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += kPiece) {
    plumb::Piece piece;
    piece.rows = std::min(kPiece, rows - begin);
    piece.features = features;
    if (sparse) piece.offsets = {0};
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      piece.targets.push_back(static_cast<double>(draws.below(classes)));
      fill(piece, draws);
      if (sparse) piece.offsets.push_back(piece.index.size());
    }
    pieces.push_back(std::move(piece));
  }
  return plumb::Examples(std::move(pieces), features);
}

// 100 of 50,000 words, once to three times each.
plumb::Examples texts() {
  constexpr std::uint32_t kWords = 100, kWidth = 500;
  return made(100'000, kWords * kWidth, true, [](plumb::Piece& piece, Draws& draws) {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const std::uint32_t word = draws.below(kWidth);
      piece.index.push_back(i * kWidth + (draws.below(2) == 0 ? word : draws.below(word + 1)));  // the first are common
      piece.values.push(static_cast<double>(1 + draws.below(3)));
    }
  });
}

constexpr std::uint32_t kColumns = 20, kLevels = 10;
plumb::Examples categories() {
  return made(200'000, kColumns * kLevels, true, [](plumb::Piece& piece, Draws& draws) {
    for (std::uint32_t i = 0; i < kColumns; ++i) {
      piece.index.push_back(i * kLevels + draws.below(kLevels));
      piece.values.push(1.0);
    }
  });
}

// The lengths of columns decrease evenly to 1 / spread of the first.
plumb::Examples numbers(std::uint64_t rows, std::uint32_t columns, bool regression, double spread = 1.0) {
  std::vector<double> length(columns);
  for (std::uint32_t j = 0; j < columns; ++j) length[j] = std::pow(spread, -static_cast<double>(j) / columns);
  return made(rows, columns, false, [&](plumb::Piece& piece, Draws& draws) {
    double sum = draws.uniform();
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double x = length[j] * draws.uniform();
      piece.values.push(x);
      sum += x;
    }
    if (regression) piece.targets.back() = sum;
  });
}

// Columns of several means and variances, which differ a little from class to class; nearly normal, with weights or
// without.
struct Normals {
  std::uint32_t columns = 50, classes = 2;
  bool squares = true;  // beside each, for a variance per class
  bool weighted = false;
};
plumb::Examples normals(const Normals& of) {
  return made(
      200'000, (of.squares ? 2 : 1) * of.columns, false,
      [&](plumb::Piece& piece, Draws& draws) {
        const double label = piece.targets.back();
        if (of.weighted) piece.weights.push_back(0.5 + draws.uniform());
        for (std::uint32_t j = 0; j < of.columns; ++j) {
          const double z = draws.uniform() + draws.uniform() + draws.uniform() + draws.uniform() - 2;
          const double x = 0.1 * j + (1 + 0.1 * (j % 7)) * (z + 0.02 * label * (j % 3));
          piece.values.push(x);
          if (of.squares) piece.values.push(x * x);
        }
      },
      of.classes);
}

plumb::FeatureMap map_of_numbers(std::uint32_t columns, bool squares = false) {
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < columns; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), plumb::Kind::number, {}});
    parts.terms.emplace_back(plumb::ProductTerm{{{j, 1}}});
    if (squares) parts.terms.emplace_back(plumb::ProductTerm{{{j, 2}}});
  }
  return plumb::FeatureMap(std::move(parts));
}

plumb::FeatureMap map_of_words(std::uint32_t words) {
  plumb::FeatureMap::Parts parts;
  std::vector<std::string> names;
  for (std::uint32_t j = 1; j <= words; ++j) names.push_back("f" + std::to_string(j));
  parts.inputs.push_back({"entries", plumb::Kind::sparse, std::move(names)});
  parts.terms.emplace_back(plumb::EntriesTerm{0});
  return plumb::FeatureMap(std::move(parts));
}

plumb::FeatureMap map_of_categories() {
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t i = 0; i < kColumns; ++i) {
    std::vector<std::string> levels;
    for (std::uint32_t v = 0; v < kLevels; ++v) levels.push_back("v" + std::to_string(v));
    parts.inputs.push_back({"c" + std::to_string(i), plumb::Kind::category, std::move(levels)});
    parts.terms.emplace_back(plumb::CategoryTerm{i, {}});
  }
  return plumb::FeatureMap(std::move(parts));
}

// The least CPU time of some calls.
template <class Work>
double least_cpu(Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 7; ++i) {
    const bench::Stopwatch watch;
    work();
    least = std::min(least, watch.cpu());
  }
  return least;
}

int measure(int count, char** argument) {
  const std::string work = count > 1 ? argument[1] : "";
  const bool ridge = work == "ridge";
  if (ridge ? count < 5 || count > 6 : count < 3 || count > (work == "gaussian" ? 4 : 3))
    throw std::runtime_error(
        "fold_speed text|categories THREADS, gaussian THREADS [CLASSES], or ridge THREADS ROWS COLUMNS [SPREAD]");
  const auto number = [&](int i) { return static_cast<std::uint32_t>(plumb::parse_number(argument[i]).value); };
  plumb::Executor executor(number(2));
  const plumb::Run run{executor};
  plumb::JsonWriter json;
  if (ridge) {
    const plumb::Examples examples = numbers(number(3), number(4), true, count > 5 ? number(5) : 1.0);
    const plumb::FeatureMap map = map_of_numbers(number(4));
    const plumb::LeastSquaresTrainer trainer({.l2 = {1.0}});
    const double fit = least_cpu([&] { trainer.train({examples, map}, run); });
    std::size_t penalties = 0;
    const std::vector<double> factors(number(4), 1.0);
    const auto fits = [&](const plumb::RidgeGrid& grid) {
      return least_cpu([&] {
               penalties = plumb::find_ridge_path(examples, true, plumb::Offset(), factors, run, grid).points.size();
             }) /
             fit;
    };
    json.begin_object().member("fit", fit).member("path", fits({})).member("penalties", penalties);
    json.member("path_50", fits({.coarse = 31, .fine = 21})).member("penalties_50", penalties);
    std::puts(json.end_object().take().c_str());
    return 0;
  }
  const std::uint32_t classes = count > 3 ? number(3) : 2;
  std::vector<std::string> labels;
  for (std::uint32_t k = 0; k < classes; ++k) labels.push_back(std::to_string(k));
  json.begin_object();
  const auto add = [&](const plumb::Examples& examples, const plumb::FeatureMap& map, plumb::VarianceOf variance,
                       const std::string& suffix) {
    plumb::NaiveBayesOptions options;
    options.variance = variance;
    const plumb::NaiveBayesTrainer trainer(options);
    const plumb::Problem problem{examples, map, labels};
    std::vector<std::uint32_t> fold(examples.rows());
    Draws draws;
    for (std::uint32_t& each : fold) each = draws.below(10);
    const auto judge = [&](std::span<const std::uint32_t> by) {
      return least_cpu([&] { plumb::merged(plumb::predict_by_subtraction(trainer, problem, by, run)); });
    };
    const double fit = least_cpu([&] { trainer.train(problem, run); });
    json.member("fit" + suffix, fit).member("folds" + suffix, judge(fold) / fit);
    json.member("left_out" + suffix, judge({}) / fit);
  };
  if (work == "text") {
    const plumb::Examples examples = texts();
    add(examples, map_of_words(examples.features()), plumb::VarianceOf::class_feature, "");
  } else if (work == "categories") {
    add(categories(), map_of_categories(), plumb::VarianceOf::class_feature, "");
  } else {
    const Normals usual{.classes = classes};
    const plumb::FeatureMap plain = map_of_numbers(usual.columns), squared = map_of_numbers(usual.columns, true);
    add(normals(usual), squared, plumb::VarianceOf::class_feature, "");
    add(normals({.classes = classes, .squares = false}), plain, plumb::VarianceOf::feature, "_feature");
    add(normals({.classes = classes, .weighted = true}), squared, plumb::VarianceOf::class_feature, "_weighted");
  }
  std::puts(json.end_object().take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("fold_speed", [&] { return measure(count, argument); });
}
