#include "plumb/train/prior_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/span.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostBytes = 16'000'000;

// A file, or a word that was meant to be another.
std::string content_of(const std::string& path) {
  try {
    return read_whole_file(path, kMostBytes);
  } catch (const Error& error) {
    const std::vector<std::string> words = {"empirical", "uniform"};
    const std::string hint = did_you_mean(path, words);
    throw Error(error.code(), error.place(), error.message(), hint.empty() ? error.hint() : hint);
  }
}

// What stands before the number that ends a line, and the number.
struct Line {
  Place place;
  std::string_view text;
  std::string_view named;
  double probability = 0.0;
};

// visit(Line) for every line with something in it, cut at the last of `cuts`.
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

// One for each label, and 1 in all.
void expect_probabilities(const std::string& path, std::span<const std::string> labels, In of_label) {
  double sum = 0.0;
  for (const double each : of_label) sum += std::max(each, 0.0);
  const auto missing = static_cast<double>(std::count(of_label.begin(), of_label.end(), -1.0));
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (of_label[k] < 0)
      throw Error(ErrorCode::data, {path}, "there is no probability of the label " + in_quotes(labels[k]),
                  "add the line " + labels[k] + "," + number_text(std::max(1 - sum, 0.0) / missing, 6));
  if (std::abs(sum - 1) > 1e-6)
    throw Error(ErrorCode::data, {path},
                "the probabilities of the labels add up to " + number_text(sum, 6) + "; 1 was expected");
}

std::string in_list(std::span<const std::string> labels) { return listed(std::vector(labels.begin(), labels.end())); }

}  // namespace

std::vector<double> priors_of_file(const std::string& path, std::span<const std::string> labels) {
  std::vector<double> prior(labels.size(), -1.0);
  for_each_line(path, ",\t ", " is no label with a probability", "spam,0.2", [&](const Line& line) {
    const auto found = std::find(labels.begin(), labels.end(), line.named);
    if (found == labels.end())
      throw Error(ErrorCode::data, line.place, in_quotes(line.named) + " is none of the labels " + in_list(labels),
                  did_you_mean(line.named, labels));
    prior[static_cast<std::size_t>(found - labels.begin())] = line.probability;
  });
  expect_probabilities(path, labels, prior);
  const double sum = std::accumulate(prior.begin(), prior.end(), 0.0);
  for (double& each : prior) each /= sum;
  return prior;
}

VirtualPrior virtual_prior_of_file(const std::string& path, std::span<const std::string> labels) {
  VirtualPrior prior{std::vector<double>(labels.size(), -1.0), {}};
  for_each_line(
      path, ",", " does not end in a comma and a probability", "spam,0.5 or spam,colour=red,0.25",
      [&](const Line& line) {
        std::size_t label = labels.size();
        for (std::size_t k = 0; k < labels.size(); ++k)
          if ((line.named == labels[k] || line.named.starts_with(labels[k] + ",")) &&
              (label == labels.size() || labels[k].size() > labels[label].size()))
            label = k;
        if (label == labels.size())
          throw Error(ErrorCode::data, line.place,
                      in_quotes(line.named) + " begins with none of the labels " + in_list(labels));
        if (line.named == labels[label]) {
          prior.classes[label] = line.probability;
        } else {
          prior.shares.push_back({label, std::string(line.named.substr(labels[label].size() + 1)), line.probability});
        }
      });
  expect_probabilities(path, labels, prior.classes);
  return prior;
}

}  // namespace plumb
