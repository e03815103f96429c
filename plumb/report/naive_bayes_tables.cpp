#include "plumb/report/naive_bayes_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr std::uint32_t kSmallGroup = 30;  // outcomes that are shown in full

std::vector<std::string> heading(std::string first, const BayesTables& tables) {
  std::vector<std::string> cells = {std::move(first)};
  for (const std::string& label : tables.labels) cells.push_back(escaped_for_terminal(label));
  return cells;
}

// The evidence of a feature for a class: its weight minus the largest of another class; infinite if it rules out all
// others.
double lead(const BayesTables& tables, std::size_t p, std::size_t k, std::uint32_t j) {
  double others = -std::numeric_limits<double>::infinity();
  for (std::size_t other = 0; other < tables.labels.size(); ++other)
    if (other != k) others = std::max(others, tables.weights[other * p + j]);
  return tables.weights[k * p + j] - others;
}

std::string table_of(const BayesTables& tables, const EventGroup& group, const FeatureMap& map, const Style& style) {
  TextTable table;
  table.add(heading(group.event == Event::bernoulli    ? "P(there | class)"
                    : group.event == Event::complement ? "P(value | other classes)"
                                                       : "P(value | class)",
                    tables));
  for (const EventGroup::Range& range : group.ranges)
    for (std::uint32_t j = range.first; j < range.last; ++j) {
      std::vector<std::string> cells = {escaped_for_terminal(map.name(j))};
      for (std::size_t k = 0; k < tables.labels.size(); ++k)
        cells.push_back(four_digits(tables.probability[k * map.features() + j]));
      table.add(std::move(cells));
    }
  return table.text(style);
}

// For each class the features with the most evidence.
std::string strongest(const BayesTables& tables, const EventGroup& group, const FeatureMap& map, std::uint64_t top) {
  std::string text;
  for (std::size_t k = 0; k < tables.labels.size(); ++k) {
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j)
        if (const double by = lead(tables, map.features(), k, j); by > 0.0) ranked.emplace_back(-by, j);
    const std::size_t count = std::min<std::size_t>(ranked.size(), top == 0 ? 10 : top);
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
    text += "  " + escaped_for_terminal(tables.labels[k]) + ":";
    for (std::size_t i = 0; i < count; ++i)
      text += (i == 0 ? " " : ", ") + escaped_for_terminal(map.name(ranked[i].second)) + " " +
              four_digits(-ranked[i].first);
    text += "\n";
  }
  return text;
}

// Features without information on the class: equally likely in each, or with the same Gaussian.
std::vector<std::string> irrelevant(const BayesTables& tables, const FeatureMap& map) {
  std::vector<std::string> names;
  const std::size_t classes = tables.labels.size(), p = map.features();
  const auto alike = [&](auto&& of_class) {
    bool same = true;
    for (std::size_t k = 1; k < classes; ++k)
      same = same && std::abs(of_class(k) - of_class(0)) <= 1e-12 * std::max(1.0, std::abs(of_class(0)));
    return same;
  };
  for (const EventGroup& group : tables.plan.groups)
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j)
        if (alike([&](std::size_t k) { return tables.weights[k * p + j]; }) &&
            alike([&](std::size_t k) { return tables.probability[k * p + j]; }))
          names.push_back(map.name(j));
  for (std::size_t g = 0; g < tables.plan.gaussians.size(); ++g) {
    const double* const mean = tables.mean.data() + g * classes;
    const double* const variance = tables.variance.data() + g * classes;
    // The mean in units of the spread, so that neither unit nor origin of the column matters.
    if (alike([&](std::size_t k) { return 1e4 * (mean[k] - mean[0]) / std::sqrt(variance[0]); }) &&
        alike([&](std::size_t k) { return variance[k] / variance[0]; }))
      names.push_back(map.name(tables.plan.gaussians[g].feature));
  }
  return names;
}

// "126", or "10^4000" if it is too long to write out.
std::string joint_text(const BayesTables& tables) {
  if (tables.joint_parameters > 0) return number_text(tables.joint_parameters);
  return "about 10^" + number_text(std::floor(*tables.joint_digits));
}

// The naive assumption is that there are none.
std::string dependence_text(const BayesTables& tables, const FeatureMap& map, const Style& style) {
  const Dependence& found = *tables.dependence;
  const std::string looked_at = (found.variables < found.of_variables
                                     ? "of the " + count_text(found.variables) + " of " +
                                           count_text(found.of_variables) + " variables that say most about the class"
                                     : "of " + counted(found.variables, "variable")) +
                                ", on " + counted(found.rows, "row");
  if (found.pairs.empty())
    return "\nno two variables depend on each other given the class beyond chance, " + looked_at + "\n";
  TextTable table;
  table.add({"dependent given the class", "nats", "correlation"});
  for (const DependentPair& pair : found.pairs)
    table.add({escaped_for_terminal(variable_name(tables.plan, map, pair.left)) + " and " +
                   escaped_for_terminal(variable_name(tables.plan, map, pair.right)),
               four_digits(pair.nats), pair.correlation ? four_digits(*pair.correlation) : ""});
  return "\n" + table.text(style) +
         style.faint("the naive assumption is 0 nats; the most dependent pairs " + looked_at) + "\n";
}

void dependence_json(JsonWriter& json, const BayesTables& tables, const FeatureMap& map) {
  const Dependence& found = *tables.dependence;
  json.key("dependence").begin_object().member("rows", found.rows).member("variables", found.variables);
  json.member("of_variables", found.of_variables).key("pairs").begin_array();
  for (const DependentPair& pair : found.pairs) {
    json.begin_object().member("left", variable_name(tables.plan, map, pair.left));
    json.member("right", variable_name(tables.plan, map, pair.right)).member("nats", pair.nats);
    if (pair.correlation) json.member("correlation", *pair.correlation);
    json.end_object();
  }
  json.end_array().end_object();
}

// For a Gaussian in each class.
std::string numbers_text(const BayesTables& tables, const FeatureMap& map, std::uint64_t top, const Style& style) {
  TextTable numbers;
  numbers.add(heading("mean (sd)", tables));
  const std::size_t most = top == 0 ? 100 : top;
  for (std::size_t g = 0; g < std::min<std::size_t>(tables.plan.gaussians.size(), most); ++g) {
    std::vector<std::string> cells = {escaped_for_terminal(map.name(tables.plan.gaussians[g].feature))};
    for (std::size_t k = 0; k < tables.labels.size(); ++k)
      cells.push_back(four_digits(tables.mean[g * tables.labels.size() + k]) + " (" +
                      four_digits(std::sqrt(tables.variance[g * tables.labels.size() + k])) + ")");
    numbers.add(std::move(cells));
  }
  std::string text = "\n" + style.bold("numbers") + " (gaussian)\n" + numbers.text(style);
  if (tables.plan.gaussians.size() > most)
    text += style.faint("... " + count_text(tables.plan.gaussians.size() - most) + " more") + "\n";
  return text;
}

}  // namespace

std::string to_text(const BayesTables& tables, const FeatureMap& map, std::uint64_t top, const Style& style) {
  TextTable priors;
  priors.add(heading("class", tables));
  std::vector<std::string> cells = {"prior"};
  for (const double prior : tables.prior) cells.push_back(four_digits(prior));
  priors.add(std::move(cells));
  std::string text = priors.text(style);
  const auto classes = static_cast<double>(tables.labels.size());
  text += "  parameters  " + number_text(classes - 1) + " of the prior, " +
          number_text(tables.parameters - (classes - 1)) + " of the columns";
  if (tables.joint_digits) text += "; " + joint_text(tables) + " in a table of every combination of values";
  text += "\n";
  if (const std::vector<std::string> names = irrelevant(tables, map); !names.empty())
    text += "  irrelevant  " + counted(names.size(), "feature") + " alike in every class: " + listed(names) + "\n";
  for (const EventGroup& group : tables.plan.groups) {
    text += "\n" + style.bold(escaped_for_terminal(group.name)) + " (" + std::string(name_of(group.event)) + ")\n";
    if (group.features() <= kSmallGroup) {
      text += table_of(tables, group, map, style);
    } else {
      text += style.faint("  the features that speak most for each class, and by how much in log-odds") + "\n" +
              strongest(tables, group, map, top);
    }
  }
  if (!tables.plan.gaussians.empty()) text += numbers_text(tables, map, top, style);
  if (tables.dependence) text += dependence_text(tables, map, style);
  return text;
}

namespace report_detail {

void bayes(JsonWriter& json, const BayesTables& tables, const FeatureMap& map) {
  const std::size_t classes = tables.labels.size();
  json.key("naive_bayes").begin_object().key("priors").begin_object();
  for (std::size_t k = 0; k < classes; ++k) json.member(tables.labels[k], tables.prior[k]);
  json.end_object().key("columns").begin_array();
  for (const EventGroup& group : tables.plan.groups) {
    json.begin_object().member("name", group.name).member("event", name_of(group.event));
    json.key("probabilities").begin_object();
    for (std::size_t k = 0; k < classes; ++k) {
      json.key(tables.labels[k]).begin_object();
      for (const EventGroup::Range& range : group.ranges)
        for (std::uint32_t j = range.first; j < range.last; ++j)
          json.member(map.name(j), tables.probability[k * map.features() + j]);
      json.end_object();
    }
    json.end_object().end_object();
  }
  for (std::size_t g = 0; g < tables.plan.gaussians.size(); ++g) {
    json.begin_object().member("name", map.name(tables.plan.gaussians[g].feature)).member("event", "gaussian");
    for (const auto& [key, values] : {std::pair("mean", &tables.mean), std::pair("variance", &tables.variance)}) {
      json.key(key).begin_object();
      for (std::size_t k = 0; k < classes; ++k) json.member(tables.labels[k], (*values)[g * classes + k]);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  json.key("irrelevant").begin_array();
  for (const std::string& name : irrelevant(tables, map)) json.value(name);
  json.end_array().member("parameters", tables.parameters);
  if (tables.joint_digits) {
    json.key("full_joint").begin_object();
    if (tables.joint_parameters > 0) json.member("parameters", tables.joint_parameters);
    json.member("log10_parameters", *tables.joint_digits).end_object();
  }
  if (tables.dependence) dependence_json(json, tables, map);
  json.end_object();
}

}  // namespace report_detail
}  // namespace plumb
