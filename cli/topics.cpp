#include "cli/topics.h"

#include <array>

namespace plumb::cli {

std::span<const Topic> topic_list() {
  static constexpr std::array list = {
      Topic{
          "data", "input formats, and how columns are read",
          "DATA is one or more files or patterns, or - for standard input; several files are read as one table. Files "
          "ending in .gz or .zst are decompressed.\n"
          "Formats are csv, tsv, jsonl, libsvm, vw and text-dir (a folder for each class). The suffix and the first "
          "bytes decide, or --format.\n"
          "Each column is a number, a date, a category or text, decided from the first rows and printed. --numeric, "
          "--categorical and --text override the guess.\n"
          "To see what plumb makes of a file before you train:\n"
          "  plumb check data.csv",
          "format delimiter no-header columns quote encoding decimal thousands date-format bad-rows numeric "
          "categorical text drop features weight",
          "docs/data.md"},
      Topic{
          "missing", "missing values",
          "Empty fields and markers such as NA, NaN and null are missing values; --na adds markers. --missing decides "
          "what "
          "happens to missing numbers; a missing category becomes a level of its own. Rows whose target is missing are "
          "left out and counted.\n"
          "By default (auto), training rows with a missing number are left out where standard errors are computed; "
          "elsewhere the median of the training rows is filled in, with a 0/1 feature \"COL missing\" where 1 % or "
          "more is "
          "missing. predict always fills, with the values stored in the model.\n"
          "  plumb train data.csv -t price --missing median",
          "missing na no-default-na bad-rows", "docs/data.md"},
      Topic{
          "targets", "the column to predict: labels or numbers",
          "--target names the column to predict; without it a column named class, label, target or y is used. Text is "
          "read as labels, and so are numbers with two distinct values or a few whole ones; other numbers are a "
          "regression. The guess is printed, and --target-kind or the model (-m) overrides it.\n"
          "With two labels the last one in order is the positive class, which scores, probabilities, precision and "
          "recall refer to; --positive chooses another.\n"
          "  plumb train data.csv -t survived -m logistic",
          "target target-kind positive classes weight offset", "docs/data.md docs/evaluation.md"},
      Topic{"text", "text columns: words as features",
            "A column of text becomes one feature for each term. By default a term is a lower-case word and its value "
            "is how often it occurs in the text.\n"
            "  plumb train mail.csv -t label --text body --ngrams 1-2 --tfidf",
            "text tokens ngrams min-length min-df max-df max-terms rank-terms tfidf binary normalise hash-bits "
            "vocabulary stop-words stem no-lowercase",
            "docs/text.md docs/text_features.md"},
      Topic{"penalties", "regularisation: --l2 and its relatives",
            "Every model minimises the sum of the losses of all rows plus (l2/2) times the sum of squared weights. The "
            "bias is not penalised. Because the loss is a sum, the same l2 is a weaker penalty on more rows.\n"
            "The default is 0 for least-squares and 1 for classifiers. --l2 auto chooses the penalty by "
            "cross-validation; tune tries the values of a grid.\n"
            "A penalty treats all features alike, so it depends on their units; --scale standard removes the units.\n"
            "  plumb train data.csv -t label --l2 auto --scale standard\n"
            "  plumb tune data.csv -t label -m logistic --grid l2=1e-3..1e3:7",
            "l2 l1 C prior-variance penalise-bias penalty-factor scale grid rule",
            "docs/ridge.md docs/logistic_regression.md"},
      Topic{"thresholds", "from probabilities to labels",
            "With two classes, the positive label is predicted when its probability is at least 0.5. --threshold "
            "changes that: to a number, to the value with the largest F1 on out-of-fold rows (max-f1), or to the value "
            "with the smallest expected cost (cost:FP=1,FN=5).\n"
            "evaluate prints the threshold it used and the cost at it.\n"
            "  plumb evaluate model.plumb new.csv --threshold cost:FP=1,FN=5\n"
            "  plumb predict model.plumb new.csv --threshold 0.3 --proba",
            "threshold proba positive dev class-weight", "docs/evaluation.md"},
      Topic{"formulas", "features computed from columns",
            "--derive adds a feature, and --features takes formulas as well as columns. A formula has + - * / ^, "
            "comparisons (1 or 0), functions such as log, exp and sqrt, poly(x, 3) for powers, and cross(a, b) for the "
            "interaction of two columns, which may be categories.\n"
            "  plumb train people.csv -t weight --derive 'height^3' --derive 'log(height)'",
            "derive features formula base levels coding", "docs/formulas.md"},
      Topic{"models", "the models that -m can fit",
            "plumb fits linear models. Without -m, train chooses the model, the features and the penalty by "
            "cross-validation "
            "(-m auto). plumb help MODEL shows the options of a model; compare fits several on the same folds.\n"
            "  plumb compare data.csv -t label -m logistic,naive-bayes,perceptron",
            "model", "docs/least_squares.md docs/logistic_regression.md docs/naive_bayes.md docs/perceptron.md"},
      Topic{"solvers", "how a model is fitted, and certificates",
            "--solver auto chooses the optimisation method by the size of the data. All solvers reach the same "
            "optimum; they differ in time. A convex fit ends with a certificate: an upper bound on its distance from "
            "the optimum. Without one the exit code is 1.\n"
            "  plumb compare data.csv -t label -m logistic --solvers all",
            "solver tolerance stop max-iterations step rate time-limit trace solvers digits",
            "docs/solvers.md docs/certificates.md"},
      Topic{"splits", "held-out rows, folds and groups",
            "train holds out a fifth of the rows, fits the rest and scores the held-out rows. crossval, compare and "
            "tune use folds instead. The split depends only on the rows and --seed.\n"
            "Rows that belong together (one patient, one site) should stay on one side: --group keeps them together.\n"
            "  plumb train data.csv -t label --test 0.3 --group patient",
            "test dev split splits folds repeats group fold id seed", "docs/rows.md docs/evaluation.md"},
      Topic{"plots", "pictures of models and results",
            "--plot FILE.svg draws what a command found: residuals, boundaries, the confusion matrix, ROC and "
            "calibration curves, coefficients, learning curves. An SVG opens in any browser.\n"
            "  plumb evaluate model.plumb new.csv --plot evaluation.svg",
            "plot theme image", "docs/plots.md"},
      Topic{"output", "text, JSON, files and exit codes",
            "Results go to standard output, everything else to standard error. Text fits the width of the terminal (80 "
            "columns when unknown, or COLUMNS). --json prints one object with every number in full.\n"
            "Exit codes: 0 done; 1 a gate was not met or the fit did not converge; 2 usage; 3 data; 4 model file; 5 "
            "memory or disk; 130 interrupted.",
            "json dry-run quiet verbose color output output-format keep fail-under", ""},
  };
  return list;
}

const Topic* find_topic(std::string_view name) {
  for (const Topic& topic : topic_list())
    if (topic.name == name) return &topic;
  return nullptr;
}

}  // namespace plumb::cli
