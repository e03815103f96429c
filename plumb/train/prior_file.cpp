#include "plumb/train/prior_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/span.h"
#include "plumb/base/text.h"
#include "plumb/feature/levels.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostBytes = 16'000'000;

// A file, or a misspelt word.
std::string content_of(const std::string& path) {
  try {
    return read_whole_file(path, kMostBytes);
  } catch (const Error& error) {
    const std::vector<std::string> words = {"empirical", "uniform"};
    const std::string hint = did_you_mean(path, words);
    throw Error(error.code(), error.place(), error.message(), hint.empty() ? error.hint() : hint);
  }
}

// The text before the number at the end of a line, and the number.
struct Line {
  Place place;
  std::string_view text;
  std::string_view named;
  double probability = 0.0;
};

// visit(Line) for every line that is not empty, split at the last of `cuts`.
template <class Visit>
void for_each_line(const std::string& path, std::string_view cuts, const std::string& expected,
                   const std::string& example, Visit&& visit) {
  const std::string text = content_of(path);
  std::uint64_t number = 0;
  for (std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view row = std::string_view(text).substr(begin, end - begin);
    if (row.ends_with('\r')) row.remove_suffix(1);
    row = trimmed(row);
    begin = end + 1;
    ++number;
    if (row.empty()) continue;
    const std::size_t cut = row.find_last_of(cuts);
    const ParsedNumber value = parse_number(cut == std::string_view::npos ? std::string_view() : row.substr(cut + 1));
    if (value.fault != NumberFault::none || value.value < 0 || value.value > 1)
      throw Error(ErrorCode::data, {path, number}, in_quotes(row) + expected, example);
    visit(Line{{path, number}, row, trimmed(row.substr(0, cut)), value.value});
  }
}

// The labels that a file may name: those of the training rows, then those elsewhere.
struct Named {
  std::vector<std::string> labels;
  std::size_t known = 0;

  Named(std::span<const std::string> of_rows, std::span<const std::string> elsewhere)
      : labels(of_rows.begin(), of_rows.end()), known(of_rows.size()) {
    labels.insert(labels.end(), elsewhere.begin(), elsewhere.end());
  }
};

void expect_first(const Line& line, bool first) {
  if (!first)
    throw Error(ErrorCode::data, line.place, in_quotes(line.named) + " has a probability already",
                "leave out one of the two lines");
}

// One for each label of the rows, adding up to 1. Returns the sum over the labels of the rows, and keeps only these.
double expect_probabilities(const std::string& path, const Named& named, std::vector<double>& of_label) {
  double sum = 0.0, known = 0.0;
  for (std::size_t k = 0; k < of_label.size(); ++k) {
    sum += std::max(of_label[k], 0.0);
    if (k < named.known) known += std::max(of_label[k], 0.0);
  }
  const auto end_of_known = of_label.begin() + static_cast<std::ptrdiff_t>(named.known);
  const auto missing = static_cast<double>(std::count(of_label.begin(), end_of_known, -1.0));
  for (std::size_t k = 0; k < named.known; ++k)
    if (of_label[k] < 0)
      throw Error(ErrorCode::data, {path}, "there is no probability of the label " + in_quotes(named.labels[k]),
                  "add the line " + named.labels[k] + "," + number_text(std::max(1 - sum, 0.0) / missing, 6));
  if (std::abs(sum - 1) > 1e-6)
    throw Error(ErrorCode::data, {path},
                "the probabilities of the labels add up to " + number_text(sum, 6) + "; 1 was expected");
  of_label.resize(named.known);
  if (!(known > 0.0))
    throw Error(
        ErrorCode::data, {path},
        "every label of the training rows has the probability 0: " +
            listed(std::vector(named.labels.begin(), named.labels.begin() + static_cast<std::ptrdiff_t>(named.known))));
  return known;
}

}  // namespace

std::vector<double> priors_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere) {
  const Named named(labels, elsewhere);
  const LabelCodes codes(named.labels, named.known);
  std::vector<double> prior(named.labels.size(), -1.0);
  for_each_line(path, ",\t ", " is no label with a probability", "spam,0.2", [&](const Line& line) {
    const std::optional<std::uint32_t> found = codes.find(line.named);
    if (!found)
      throw Error(ErrorCode::data, line.place,
                  in_quotes(line.named) + " is not one of the labels " + listed(named.labels),
                  did_you_mean(line.named, named.labels));
    double& own = prior[*found];
    expect_first(line, own < 0);
    own = line.probability;
  });
  const double sum = expect_probabilities(path, named, prior);
  for (double& each : prior) each /= sum;
  return prior;
}

VirtualPrior virtual_prior_of_file(const std::string& path, std::span<const std::string> labels,
                                   std::span<const std::string> elsewhere) {
  const Named all(labels, elsewhere);
  const LabelCodes codes(all.labels, all.known);
  VirtualPrior prior{std::vector<double>(all.labels.size(), -1.0), {}};
  std::set<std::string, std::less<>> values;
  for_each_line(path, ",", " does not end in a comma and a probability", "spam,0.5 or spam,colour=red,0.25",
                [&](const Line& line) {
                  std::size_t label = all.labels.size(), end = 0;  // of the label in the line
                  for (std::size_t k = 0; k < all.labels.size(); ++k)
                    if ((line.named == all.labels[k] || line.named.starts_with(all.labels[k] + ",")) &&
                        (label == all.labels.size() || all.labels[k].size() > all.labels[label].size())) {
                      label = k;
                      end = all.labels[k].size();
                    }
                  if (label == all.labels.size()) {
                    end = std::min(line.named.find(','), line.named.size());
                    label = codes.find(line.named.substr(0, end)).value_or(static_cast<std::uint32_t>(label));
                  }
                  if (label == all.labels.size())
                    throw Error(ErrorCode::data, line.place,
                                in_quotes(line.named) + " begins with none of the labels " + listed(all.labels));
                  expect_first(line, values.emplace(line.named).second);
                  if (end == line.named.size()) {
                    expect_first(line, prior.classes[label] < 0);
                    prior.classes[label] = line.probability;
                  } else if (label < all.known) {
                    prior.shares.push_back({label, std::string(line.named.substr(end + 1)), line.probability});
                  }
                });
  const double sum = expect_probabilities(path, all, prior.classes);
  if (elsewhere.empty()) return prior;
  for (double& each : prior.classes) each /= sum;
  for (VirtualShare& share : prior.shares) share.share /= sum;
  return prior;
}

}  // namespace plumb
