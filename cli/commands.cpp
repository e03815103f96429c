#include <array>
#include <cstdlib>

#include "cli/command.h"

namespace plumb::cli {

std::span<const CommandEntry> command_list() {
  static const std::array list = {
      CommandEntry{"train",
                   "DATA...",
                   "learn a model from data and save it",
                   "Reads DATA (a CSV file with a header line, among other formats; - is standard input; several files "
                   "are one table), holds out a fifth of the rows, fits the model to the rest, scores it on the "
                   "held-out rows and saves it. What you do not specify is guessed, and every guess is printed.",
                   {{"plumb train people.csv --target weight", "train on 80 % of the rows, score on 20 %"},
                    {"plumb train people.csv -t weight --features 'height^3' --test none -o cube.plumb",
                     "train on all rows, with one derived feature"}},
                   make_train},
      CommandEntry{"predict",
                   "MODEL DATA...",
                   "predict each row of new data",
                   "Writes a CSV with the header \"prediction\" to standard output or to --output. Columns are matched "
                   "by name: a column that the model needs and the data lack is an error; other columns are ignored.",
                   {{"plumb predict model.plumb new.csv -o predictions.csv", "write the predictions to a file"},
                    {"plumb predict model.plumb - < new.csv", "read standard input, write standard output"}},
                   make_predict},
      CommandEntry{"evaluate",
                   "MODEL DATA...",
                   "score a model on new data, with intervals",
                   "Predicts every row of DATA and compares the predictions with the target column. Regression: rmse, "
                   "mae and r2, beside a baseline that always predicts the training mean. Classification: accuracy, "
                   "log loss, brier, auc, precision, recall and f1, the confusion matrix and a line for each class, "
                   "beside a baseline that always predicts the most common label. Each metric has a 95 % interval. "
                   "Missing values are treated as in training. --fail-under turns a metric into an exit code; --plot "
                   "draws the confusion matrix, the ROC curve, precision and recall, and calibration.",
                   {{"plumb evaluate model.plumb new.csv", "metrics with intervals"},
                    {"plumb evaluate model.plumb new.csv --mistakes 5", "the five worst errors"},
                    {"plumb evaluate model.plumb new.csv --fail-under r2=0.5,rmse=10",
                     "fail a script when the model is not good enough"}},
                   make_evaluate},
      CommandEntry{
          "crossval",
          "DATA...",
          "cross-validation",
          "Splits the rows into folds, predicts each fold with a model fitted to the others, and scores all "
          "predictions together. Features are learnt from the training rows of each fit alone. Leave-one-out (--folds "
          "loo) costs one fit for least squares and naive Bayes, and one fit per row for other models.",
          {{"plumb crossval people.csv -t weight --folds 5", "five folds"},
           {"plumb crossval people.csv -t weight --folds loo", "leave-one-out"}},
          make_crossval},
      CommandEntry{
          "compare",
          "DATA...",
          "compare models on the same folds, with paired tests",
          "Cross-validates each model on the same folds (or by exact leave-one-out) and compares their errors row by "
          "row. --with OPTION=VALUE adds a variant and may be repeated; a single one is compared with the options as "
          "given. The verdict comes first: a paired test over rows decides, and says where there is no clear "
          "difference.",
          {{"plumb compare people.csv -t weight --with features=height --with 'features=height^3'", "a line or a cube"},
           {"plumb compare people.csv -t weight --with no-bias --folds 5", "with and without a bias"}},
          make_compare},
      CommandEntry{"tune",
                   "DATA...",
                   "choose option values by cross-validation",
                   "Tries every setting of --grid by cross-validation, or on a development set (--dev), and chooses "
                   "the one with the smallest validation loss: squared error, log loss, or errors where a model has no "
                   "probabilities. Test rows take no part in the choice. Then it trains the model with the chosen "
                   "values, scores it on the test rows and saves it, as plumb train does.",
                   {{"plumb tune points.csv -t label -m logistic --grid l2=1e-3..1e3:7 --folds 3 -o tuned.plumb",
                     "choose among seven penalties"},
                    {"plumb tune points.csv -t label -m perceptron --grid margin=0,0.1,1,10 --dev 0.3 -o tuned.plumb",
                     "the margin of a perceptron, on a development set"}},
                   make_tune},
      CommandEntry{"curve",
                   "DATA...",
                   "learning curves: how error falls with more rows",
                   "Fits each model to growing samples of the rows, and shows its error on held-out and on training "
                   "rows: the mean over several splits, with one standard deviation. Says whether a model overfits or "
                   "underfits, whether more rows would help, and what to try.",
                   {{"plumb curve people.csv -t weight --plot curves.svg", "draw the learning curve of least squares"},
                    {"plumb curve people.csv -t weight -m least-squares --sizes 4,8,12 --repeats 5",
                     "three sizes, five splits"}},
                   make_curve},
      CommandEntry{
          "confusables",
          "WORD,WORD... TEXT...",
          "which of two confused words belongs here, learnt from plain text",
          "Finds every occurrence of the words in running text (weather,whether or to,too,two), learns from the "
          "words around them which one belongs there, scores the model on sentences held out and saves it. "
          "--curve shows how accuracy grows with the text. --correct marks the likely mistakes in another "
          "text, each with its probability and its reasons; --from does so with a model made earlier.",
          {{"plumb confusables weather,whether harbour.txt -o spelling.plumb", "learn from a text"},
           {"plumb confusables --from spelling.plumb --correct letter.txt", "mark the likely mistakes in another"}},
          make_confusables},
      CommandEntry{
          "inspect",
          "MODEL",
          "show the weights of a model and how it was fitted",
          "Prints the weights that matter most, with standard errors, tests and intervals where theory allows, and how "
          "the model was made. --plot draws them.",
          {{"plumb inspect model.plumb", "every weight"}, {"plumb inspect model.plumb --top all", "every weight"}},
          make_inspect},
      CommandEntry{"sample",
                   "MODEL",
                   "draw rows from a fitted naive Bayes model",
                   "Draws a class from its prior, then every column given the class, and writes the rows as CSV: data "
                   "as the model believes they are, with known labels. --bayes-error shows instead the error that no "
                   "model can beat on such rows.",
                   {{"plumb sample bayes.plumb -n 5", "five rows"},
                    {"plumb sample bayes.plumb --bayes-error", "the Bayes error, with its interval"}},
                   make_sample},
      CommandEntry{
          "merge",
          "MODEL MODEL...",
          "merge models that kept their statistics",
          "Adds up the statistics of naive Bayes models trained with --keep-statistics on separate rows: the result is "
          "exactly the model of all rows together. Labels, levels and terms that only one of them knows are kept.",
          {{"plumb merge bayes.plumb other.plumb -o all.plumb", "merge two models"}},
          make_merge},
      CommandEntry{"forget",
                   "MODEL DATA...",
                   "remove training rows from a model that kept its statistics",
                   "Subtracts DATA, rows that the model was trained on, from a naive Bayes model trained with "
                   "--keep-statistics: the result is exactly the model of the remaining rows.",
                   {{"plumb forget bayes.plumb gone.csv -o rest.plumb", "remove these rows"}},
                   make_forget},
      CommandEntry{"explain",
                   "MODEL DATA...",
                   "explain predictions: what each feature contributes",
                   "Shows the contribution of each feature to each prediction: weight times value. The contributions "
                   "and the bias add up to the score. --row explains chosen rows, --mistakes the worst errors.",
                   {{"plumb explain model.plumb new.csv --row 2,3", "two rows"},
                    {"plumb explain model.plumb new.csv --mistakes 3", "the three worst mistakes"}},
                   make_explain},
      CommandEntry{"margin",
                   "DATA...",
                   "whether a hyperplane separates two classes, and its margin",
                   "Decides, with a proof, whether a hyperplane separates the two labels of --target: either a "
                   "separating hyperplane with bounds on the largest margin, or a combination of rows that rules one "
                   "out. With --model, the distance of the rows of DATA from the boundary of that model.",
                   {{"plumb margin points.csv -t label", "the margin of a data set"},
                    {"plumb margin points.csv -t label --derive 'a*b'", "with one more feature"}},
                   make_margin},
      CommandEntry{
          "check",
          "DATA...",
          "look at data without training",
          "Reads all of DATA and shows for each column its kind, the number of missing and of distinct values, the "
          "range of numbers and the most common categories; which columns look like keys, dates or constants; and how "
          "many rows duplicate earlier ones. With --target it also shows the distribution of the target. Nothing is "
          "written.",
          {{"plumb check people.csv", "what is in the columns"},
           {"plumb check people.csv --target weight", "also the distribution of the target, and likely problems"}},
          make_check},
      CommandEntry{"convert",
                   "DATA...",
                   "convert data to another format",
                   "Writes the rows of DATA, in order, as csv, tsv, jsonl, libsvm or vw: the format comes from the "
                   "suffix of --output, or from --to. In csv, tsv and jsonl values are kept as they are written; in "
                   "jsonl those of number columns are numbers, empty fields are null. In libsvm and vw a number is a "
                   "feature and so is every level of a category; --target is the label. Sparse rows (libsvm, vw) keep "
                   "their entries; in csv, tsv and jsonl each feature becomes a column.",
                   {{"plumb convert people.csv -o people.jsonl", "JSON lines, by the name of the output"},
                    {"plumb convert people.csv --to tsv | head -3", "to a pipe"},
                    {"plumb convert people.csv -t weight -o people.libsvm --names names.csv",
                     "numbered features, and their names"},
                    {"plumb convert people.libsvm -o people.vw", "the same entries, by name"}},
                   make_convert},
      CommandEntry{"help",
                   "[COMMAND|TOPIC|MODEL|OPTION]",
                   "help on commands, models, options and topics",
                   "Prints the list of commands, or help on a command, a model (logistic), an option (l2) or a topic "
                   "(missing). With --markdown FOLDER it writes the reference pages of the documentation.",
                   {{"plumb help train", "every option of train"},
                    {"plumb help penalties", "a topic"},
                    {"plumb help --l2", "an option"}},
                   make_help},
      CommandEntry{"man",
                   "",
                   "the manual page",
                   "Prints the manual page in the man(7) format.",
                   {{"plumb man | man -l -", "read it"}},
                   make_man},
      CommandEntry{"completion",
                   "SHELL",
                   "a completion script for bash, zsh or fish",
                   "Prints a script that completes commands, options and their values in the shell.",
                   {{"source <(plumb completion bash)", "for this session"},
                    {"plumb completion fish > ~/.config/fish/completions/plumb.fish", "for good"}},
                   make_completion},
  };
  return list;
}

const CommandEntry* find_command(std::string_view name) {
  for (const CommandEntry& entry : command_list())
    if (entry.name == name) return &entry;
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry& entry : command_list()) names.emplace_back(entry.name);
  return names;
}

void expect_operands(const CommandEntry& entry, const std::vector<std::string>& operands, std::size_t least,
                     std::size_t most) {
  if (operands.size() >= least && operands.size() <= most) return;
  const std::string usage =
      "plumb " + std::string(entry.name) + (entry.operands.empty() ? "" : " " + std::string(entry.operands));
  const std::string name(entry.name);
  if (operands.size() > most)
    throw Error(ErrorCode::usage, name + " does not take " + in_quotes(operands[most]) + "; expected: " + usage,
                "plumb help " + name);
  std::string wanted(entry.operands);
  if (operands.size() == 1 && wanted.starts_with("MODEL ")) wanted.erase(0, 6);  // the model exists by then
  throw Error(ErrorCode::usage, name + " needs " + wanted + "; expected: " + usage, "plumb help " + name);
}

unsigned RunOptions::chosen() const {
  const char* variable = std::getenv("PLUMB_THREADS");
  if (threads != 0 || variable == nullptr || *variable == '\0') return threads;
  std::uint64_t number = 0;
  if (!parse_integer(variable, number) || number < 1 || number > 1024)
    throw Error(ErrorCode::usage,
                "PLUMB_THREADS is " + in_quotes(variable) + "; a whole number from 1 to 1024 was expected",
                "unset PLUMB_THREADS");
  return static_cast<unsigned>(number);
}

}  // namespace plumb::cli
