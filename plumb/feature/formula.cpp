#include "plumb/feature/formula.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/number.h"
#include "plumb/feature/formula_content.h"

namespace plumb {
namespace formula {

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool word_byte(char c) noexcept {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) > 127;
}

bool plain_word(std::string_view name) noexcept {
  if (name.empty() || digit(name[0]) || (name[0] == '.' && name.size() > 1 && digit(name[1]))) return false;
  return std::all_of(name.begin(), name.end(), word_byte);
}

std::string name_text(std::string_view name) {
  if (plain_word(name)) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string text_of(std::span<const Node> nodes, std::span<const std::string> operands) {
  struct Part {
    std::string text;
    Operation operation;
  };
  std::vector<Part> parts;
  const auto in_parentheses_below = [](Part& part, Level level) {
    if (describe(part.operation).level < level) part.text = '(' + part.text + ')';
  };
  for (const Node& node : nodes) {
    const Description& what = describe(node.operation);
    if (node.operation == Operation::number) {
      parts.push_back({number_text(node.number), node.operation});
    } else if (node.operation == Operation::column) {
      parts.push_back({operands[node.column], node.operation});
    } else if (node.operation == Operation::negate) {
      in_parentheses_below(parts.back(), Level::sign);
      parts.back() = {'-' + parts.back().text, node.operation};
    } else if (what.operands == 1) {
      parts.back() = {std::string(what.text) + '(' + parts.back().text + ')', node.operation};
    } else {
      Part right = std::move(parts.back());
      parts.pop_back();
      Part& left = parts.back();
      if (what.level == Level::primary) {  // min(a,b,c) is min(min(a,b),c)
        if (left.operation == node.operation) {
          left.text.pop_back();
        } else {
          left.text = std::string(what.text) + '(' + left.text;
        }
        left.text += ',' + right.text + ')';
      } else {
        // Operators of one level group from the left, ^ from the right, comparisons not at all.
        const auto next = static_cast<Level>(static_cast<int>(what.level) + 1);
        const bool grouped = what.level == Level::sum || what.level == Level::product;
        in_parentheses_below(left, grouped ? what.level : next);
        in_parentheses_below(right, what.level == Level::power ? Level::sign : next);
        left.text.append(what.text).append(right.text);
      }
      left.operation = node.operation;
    }
  }
  return std::move(parts.back().text);
}

std::span<const Node> part_ending_at(std::span<const Node> nodes, std::size_t last) {
  std::size_t first = last;
  for (std::size_t missing = describe(nodes[last].operation).operands; missing > 0; --missing)
    missing += describe(nodes[--first].operation).operands;
  return nodes.subspan(first, last - first + 1);
}

}  // namespace formula

const std::string& Formula::text() const noexcept { return content_->text; }

std::string Formula::name() const {
  const bool plain = content_->nodes.size() == 1 && !content_->columns.empty() && content_->meters.front() == nullptr;
  return plain ? content_->columns.front() : content_->text;
}

const std::vector<std::string>& Formula::columns() const noexcept { return content_->columns; }
const TextMeter* Formula::meter(std::size_t c) const noexcept { return content_->meters[c].get(); }

// In postfix a product of powers is a factor, then further factors, each followed by its "*".
std::optional<Expression> Formula::product() const {
  using formula::Operation;
  const std::vector<formula::Node>& nodes = content_->nodes;
  Expression expression;
  for (std::size_t i = 0; i < nodes.size();) {
    if (nodes[i].operation != Operation::column || expression.factors.size() == kMostFactors) return std::nullopt;
    if (content_->meters[nodes[i].column] != nullptr) return std::nullopt;
    Factor factor{content_->columns[nodes[i++].column], 1};
    if (i + 1 < nodes.size() && nodes[i].operation == Operation::number) {
      const double power = nodes[i].number;
      if (nodes[i + 1].operation != Operation::power || std::trunc(power) != power || power < 1.0 ||
          power > kHighestPower)
        return std::nullopt;
      factor.power = static_cast<std::uint32_t>(power);
      i += 2;
    }
    if (!expression.factors.empty() && (i == nodes.size() || nodes[i++].operation != Operation::multiply))
      return std::nullopt;
    expression.factors.push_back(std::move(factor));
  }
  if (expression.factors.empty()) return std::nullopt;
  return expression;
}

std::string Formula::Fault::text() const {
  return part + " has no finite value" + (values.empty() ? "" : " at " + values);
}

std::optional<Formula::Fault> Formula::evaluate(std::span<const double* const> columns, Out out,
                                                Scratch& scratch) const {
  return evaluate(columns, out, {}, scratch);
}

std::optional<Formula::Fault> Formula::evaluate(std::span<const double* const> columns, Out out, Out low,
                                                Scratch& scratch) const {
  const auto found = content_->program.run(columns, out, low, scratch.room(content_->program.room()).data());
  if (!found) return std::nullopt;
  const std::span<const formula::Node> part = formula::part_ending_at(content_->nodes, found->node);
  Fault fault{found->row, formula::text_of(part, content_->operands), {}};
  constexpr std::size_t most_values = 6;
  std::vector<std::uint32_t> shown;
  for (const formula::Node& node : part) {
    if (node.operation != formula::Operation::column || std::count(shown.begin(), shown.end(), node.column) > 0)
      continue;
    if (shown.size() == most_values) {
      fault.values += ", ...";
      break;
    }
    shown.push_back(node.column);
    fault.values += (fault.values.empty() ? "" : ", ") + content_->operands[node.column] + " = " +
                    number_text(columns[node.column][found->row]);
  }
  return fault;
}

std::string Cross::text() const {
  if (all()) return "cross(all)";
  // A column called all goes in quotes, so that cross(all) keeps its meaning.
  const auto quoted = [](const std::string& name) { return name == "all" ? "\"all\"" : formula::name_text(name); };
  std::string text = "cross(";
  for (const std::string& name : columns) text += quoted(name) + (&name == &columns.back() ? ')' : ',');
  return text;
}

}  // namespace plumb
