#include <array>
#include <cstdlib>

#include "cli/command.h"

namespace plumb::cli {

std::span<const CommandEntry> command_list() {
  static const std::array list = {
      CommandEntry{"train",
                   "DATA...",
                   "learn a model from data and save it",
                   "Reads DATA (CSV files with a header line; - is standard input; several files are one table), "
                   "learns the features, fits the model "
                   "on the training rows, scores it on the held-out rows and saves it. What is not said is guessed, "
                   "and every guess is printed.",
                   {{"plumb train people.csv --target weight", "fit on four rows in five, score on the fifth"},
                    {"plumb train people.csv -t weight --features 'height^3' --test none -o cube.plumb",
                     "every row used, one derived feature"}},
                   make_train},
      CommandEntry{"predict",
                   "MODEL DATA...",
                   "one prediction per row of data",
                   "Writes a CSV with the header \"prediction\" to standard output or to --output. Columns are matched "
                   "by name: one that the model needs and "
                   "the data lack is an error, further ones are ignored.",
                   {{"plumb predict model.plumb new.csv -o predictions.csv", "predictions in a file of their own"},
                    {"plumb predict model.plumb - < new.csv", "from a pipe to a pipe"}},
                   make_predict},
      CommandEntry{"evaluate",
                   "MODEL DATA...",
                   "how good a model is on rows it has not seen",
                   "Predicts every row of DATA and compares with what its target column says. Of numbers: rmse, mae "
                   "and r2, beside the model that always says the mean of the training rows. Of classes: accuracy, log "
                   "loss, brier, auc, precision, recall and f1, the confusion matrix and a line for each class, beside "
                   "the model that always says the commonest. Each with a 95 % interval. Missing values are treated as "
                   "in training. With --fail-under the exit code says whether the model is good enough; --plot draws "
                   "the confusion matrix, ROC, precision and recall, and whether probabilities can be trusted.",
                   {{"plumb evaluate model.plumb new.csv", "metrics with intervals"},
                    {"plumb evaluate model.plumb new.csv --fail-under r2=0.5,rmse=10", "a gate for a script"}},
                   make_evaluate},
      CommandEntry{
          "crossval",
          "DATA...",
          "how good a model is on rows that it has not seen, every row in its turn",
          "Cuts the rows into folds, predicts each row by the fit to the other folds, and judges all predictions "
          "together. The features of a fit are learnt from its own rows. Leave-one-out (--folds loo) costs one "
          "fit of least squares or naive Bayes, as many fits as rows of others; of naive Bayes folds are "
          "taken from the sums of all rows, which is the same.",
          {{"plumb crossval people.csv -t weight --folds 5", "five folds"},
           {"plumb crossval people.csv -t weight --folds loo", "each row by the fit to all others"}},
          make_crossval},
      CommandEntry{
          "compare",
          "DATA...",
          "which of several models is better, and whether that is more than chance",
          "Fits each variant to DATA and compares their errors on the same rows, each predicted by a fit that "
          "has not seen it: without the row (exact leave-one-out) or without its fold. --with OPTION=VALUE "
          "makes a variant, and may be given again; one alone is held against the options as they stand. "
          "The verdict is a paired test over rows, and says where there is no clear difference.",
          {{"plumb compare people.csv -t weight --with features=height --with 'features=height^3'", "a line or a cube"},
           {"plumb compare people.csv -t weight --with no-bias --folds 5", "with and without a bias"}},
          make_compare},
      CommandEntry{
          "tune",
          "DATA...",
          "which values of options are best, and the model with them",
          "Tries every setting of --grid on folds of the rows, or on a development set (--dev), and chooses by "
          "the loss of rows that the fits had not seen: squared error, log loss, or errors where a model has no "
          "probabilities. Rows of --test take no part in the choice. Then the model is trained with the values "
          "chosen, scored on the test rows and saved, as plumb train does.",
          {{"plumb tune points.csv -t label -m logistic --grid l2=1e-3..1e3:7 --folds 3 -o tuned.plumb",
            "the best of seven penalties"},
           {"plumb tune points.csv -t label -m perceptron --grid margin=0,0.1,1,10 --dev 0.3 -o tuned.plumb",
            "the margin of a perceptron, on a development set"}},
          make_tune},
      CommandEntry{
          "curve",
          "DATA...",
          "learning curves: how error falls with more rows",
          "Fits each model to more and more of the rows, and shows how good it is on rows held out and on those "
          "it saw: the mean over several splits, and one standard deviation. Says whether a model overfits or "
          "underfits, whether more rows would help, and what to try.",
          {{"plumb curve people.csv -t weight --plot curves.svg", "the error of least squares, drawn"},
           {"plumb curve people.csv -t weight -m least-squares --sizes 4,8,12 --repeats 5",
            "three sizes, five splits"}},
          make_curve},
      CommandEntry{
          "inspect",
          "MODEL",
          "what is in a model: weights by name, the fit's story",
          "Prints the weight of every feature, standard errors where theory allows, and how the model was made.",
          {{"plumb inspect model.plumb", "every weight"}, {"plumb inspect model.plumb --top 10", "the ten largest"}},
          make_inspect},
      CommandEntry{
          "sample",
          "MODEL",
          "rows drawn from a fitted naive Bayes",
          "Draws a class by its prior, then every column given the class, and writes the rows as CSV: what the "
          "model believes data look like, and data whose truth is known.",
          {{"plumb sample bayes.plumb -n 5", "five rows"}},
          make_sample},
      CommandEntry{
          "merge",
          "MODEL MODEL...",
          "models that kept their statistics, made one",
          "Adds up the sums of models of naive Bayes that were trained with --keep-statistics on separate rows: "
          "the model of all rows together. Labels, levels and terms that only one of them knows are kept.",
          {{"plumb merge bayes.plumb other.plumb -o all.plumb", "two models as one"}},
          make_merge},
      CommandEntry{"forget",
                   "MODEL DATA...",
                   "a model that kept its statistics, without some of its rows",
                   "Takes the sums of DATA, rows that the model was trained on, out of a model of naive Bayes with "
                   "--keep-statistics: exactly the model of the rows that remain.",
                   {{"plumb forget bayes.plumb gone.csv -o rest.plumb", "without these rows"}},
                   make_forget},
      CommandEntry{"explain",
                   "MODEL DATA...",
                   "why rows score as they do",
                   "Shows the contribution of each feature to each prediction: weight times value. Together with the "
                   "bias they add up to the score.",
                   {{"plumb explain model.plumb new.csv --rows 3", "the first three rows"}},
                   make_explain},
      CommandEntry{
          "margin",
          "DATA...",
          "whether a plane has two classes apart, and how wide it can be",
          "Says with a proof whether the two labels of --target can be separated by a plane: a plane that does, "
          "with two bounds on the largest margin, or rows whose weighted sums are the same for both labels. "
          "With --model, how far the rows of DATA are from the boundary of that model.",
          {{"plumb margin points.csv -t label", "the margin of a data set"},
           {"plumb margin points.csv -t label --derive 'a*b'", "with one more feature"}},
          make_margin},
      CommandEntry{"check",
                   "DATA...",
                   "a look at data without training",
                   "Reads all of DATA and shows for each column its kind, how many fields are empty, how many values "
                   "are different, the range of numbers and the commonest "
                   "categories; which columns look like keys, dates or constants; and how many rows are exact copies "
                   "of earlier ones. With --target also how the target is spread. Nothing is written.",
                   {{"plumb check people.csv", "what is in the columns"},
                    {"plumb check people.csv --target weight", "also the target's values, and what may go wrong"}},
                   make_check},
      CommandEntry{"convert",
                   "DATA...",
                   "the same rows in another format",
                   "Writes the rows of DATA, in their order, as csv, tsv, jsonl, libsvm or vw: in the format that the "
                   "name of --output ends with, or that --to names. In csv, tsv and jsonl values are kept as they are "
                   "written; in jsonl those of number columns are numbers, empty fields are null. In libsvm and vw a "
                   "number is a feature and so is every level of a category; --target is the label. Rows of libsvm "
                   "and vw keep their entries as they become each other, and have a column for each feature in csv, "
                   "tsv and jsonl.",
                   {{"plumb convert people.csv -o people.jsonl", "JSON lines, by the name of the output"},
                    {"plumb convert people.csv --to tsv | head -3", "to a pipe"},
                    {"plumb convert people.csv -t weight -o people.libsvm --names names.csv",
                     "numbered features, and their names"},
                    {"plumb convert people.libsvm -o people.vw", "the same entries, by name"}},
                   make_convert},
      CommandEntry{"help",
                   "[COMMAND]",
                   "how to use plumb, or one of its commands",
                   "Prints the commands, or everything about one of them. With --markdown FOLDER it writes the "
                   "reference pages of the documentation.",
                   {{"plumb help train", "all options of train"}},
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
  throw Error(ErrorCode::usage, name + " needs more to work on; expected: " + usage, "plumb help " + name);
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
