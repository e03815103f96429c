#include "plumb/feature/formula_program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "plumb/feature/expression.h"
#include "plumb/math/calendar.h"
#include "plumb/math/double_double.h"
#include "plumb/math/functions.h"
#include "plumb/math/power.h"
#include "plumb/math/special.h"
#include "plumb/math/trig.h"

namespace plumb::formula {
namespace {

using math::DoubleDouble;

// Turns nodes into steps. Operands that need no step of their own wait on the stack: a column is read in place, a
// number may be an exponent, and a power of a column a factor.
class Compiler {
 public:
  Compiler(std::span<const Node> nodes, std::vector<Step>& steps) : nodes_(nodes), steps_(steps) {}

  Operand run() {
    for (node_ = 0; node_ < nodes_.size(); ++node_) take(nodes_[node_]);
    return settled(pop());
  }
  std::size_t slots() const { return most_slots_; }

 private:
  struct Entry {
    enum class Kind { number, column, column_power, settled };
    Kind kind;
    Operand operand;  // a column, a power of one, or a finished result
    double number = 0.0;
    int count = 0;
    std::size_t node = 0;
  };
  using Kind = Entry::Kind;

  void take(const Node& node) {
    const unsigned operands = describe(node.operation).operands;
    if (node.operation == Operation::number) {
      stack_.push_back({Kind::number, {}, node.number, 0, node_});
    } else if (node.operation == Operation::column) {
      stack_.push_back({Kind::column, {true, false, node.column}, 0.0, 1, node_});
    } else if (node.operation == Operation::negate && stack_.back().kind == Kind::number) {
      stack_.back().number = -stack_.back().number;
    } else if (operands == 1) {
      const Operand operand = settled(pop());
      push(node.operation, operand, operand, node.operation == Operation::negate && operand.pair);
    } else {
      const Entry right = pop();
      const Entry left = pop();
      if (node.operation == Operation::power) {
        power(left, right);
      } else if (node.operation == Operation::multiply &&
                 (right.kind == Kind::column || right.kind == Kind::column_power)) {
        Step& step = push(node.operation, settled(left), right.operand, true);
        step.whole = true;
        step.count = right.count;
      } else {
        const Operand b = settled(right);  // its slot, if any, is above that of a left operand that has one
        const Operand a = settled(left);
        const Level level = describe(node.operation).level;
        push(node.operation, a, b, level == Level::sum || level == Level::product);
      }
    }
  }

  void power(const Entry& base, const Entry& exponent) {
    const bool whole = exponent.kind == Kind::number && std::trunc(exponent.number) == exponent.number &&
                       std::fabs(exponent.number) <= kHighestPower;
    if (!whole) {
      const Operand b = settled(exponent);
      const Operand a = settled(base);
      push(Operation::power, a, b, false);
      return;
    }
    const int count = static_cast<int>(exponent.number);
    if (base.kind == Kind::column && count > 0) {
      stack_.push_back({Kind::column_power, base.operand, 0.0, count, node_});
      return;
    }
    const Operand operand = settled(base);
    whole_power(operand, count, node_);
  }

  void whole_power(const Operand& operand, int count, std::size_t node) {
    Step& step = push(Operation::power, operand, operand, true);
    step.whole = true;
    step.count = count;
    step.node = static_cast<std::uint32_t>(node);
  }

  Entry pop() {
    const Entry entry = stack_.back();
    stack_.pop_back();
    return entry;
  }

  // Where the entry's values are; those of a number or a power are computed there first.
  Operand settled(const Entry& entry) {
    if (entry.kind == Kind::column || entry.kind == Kind::settled) return entry.operand;
    if (entry.kind == Kind::number) {
      Step step;
      step.number = entry.number;
      step.slot = new_slot();
      steps_.push_back(step);
      return {false, false, step.slot};
    }
    whole_power(entry.operand, entry.count, entry.node);
    return pop().operand;
  }

  std::uint32_t new_slot() {
    most_slots_ = std::max<std::size_t>(most_slots_, used_slots_ + 1);
    return used_slots_++;
  }

  // The result goes to the lowest slot of its operands; the slots above are free again.
  Step& push(Operation operation, const Operand& left, const Operand& right, bool pair) {
    std::uint32_t slot = std::numeric_limits<std::uint32_t>::max();
    for (const Operand& operand : {left, right})
      if (!operand.column) slot = std::min(slot, operand.index);
    if (slot == std::numeric_limits<std::uint32_t>::max()) slot = new_slot();
    used_slots_ = slot + 1;
    steps_.push_back({operation, slot, left, right, false, 0, 0.0, static_cast<std::uint32_t>(node_)});
    stack_.push_back({Kind::settled, {false, pair, slot}, 0.0, 0, node_});
    return steps_.back();
  }

  std::span<const Node> nodes_;
  std::vector<Step>& steps_;
  std::vector<Entry> stack_;
  std::size_t node_ = 0;
  std::uint32_t used_slots_ = 0;
  std::size_t most_slots_ = 0;
};

struct View {
  const double* high;
  const double* low;  // null for plain doubles

  DoubleDouble pair(std::size_t i) const { return {high[i], low == nullptr ? 0.0 : low[i]}; }
};

struct Slot {
  double* high;
  double* low;

  void put(std::size_t i, DoubleDouble value) const {
    high[i] = value.high;
    low[i] = value.low;
  }
};

// Next to the largest double, the remainder of the division may overflow where the quotient does not.
DoubleDouble quotient(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble exact = a / b;
  return std::isfinite(exact.high) ? exact : DoubleDouble(a.high / b.high);
}

// Powers of a double multiply by it repeatedly, each time off by 2 u^2 at most; others square, by 5 u^2.
DoubleDouble whole_power(const View& x, std::size_t i, int count) {
  if (count == 0) return 1.0;
  if (count > 0 && x.low == nullptr) {
    DoubleDouble value(x.high[i]);
    for (int k = 1; k < count; ++k) value = value * x.high[i];
    return value;
  }
  // The inverse first: it overflows or underflows only if the result does.
  const DoubleDouble base = count > 0 ? x.pair(i) : quotient(1.0, x.pair(i));
  const auto n = static_cast<unsigned>(std::abs(count));
  DoubleDouble value = base;
  for (unsigned bit = std::bit_floor(n) / 2; bit > 0; bit /= 2) {
    value = value * value;
    if ((n & bit) != 0) value = value * base;
  }
  return value;
}

// slot = combine(a, b) in double-double; a plain right operand is passed as a double, for which operators are cheaper.
template <class Combine>
void arithmetic(const Slot& slot, const View& a, const View& b, std::size_t rows, Combine combine) {
  if (b.low == nullptr) {
    for (std::size_t i = 0; i < rows; ++i) slot.put(i, combine(a.pair(i), b.high[i]));
  } else {
    for (std::size_t i = 0; i < rows; ++i) slot.put(i, combine(a.pair(i), b.pair(i)));
  }
}

template <class Combine>
void each(const Slot& slot, const View& a, const View& b, std::size_t rows, Combine combine) {
  for (std::size_t i = 0; i < rows; ++i) slot.high[i] = combine(a.high[i], b.high[i]);
}
template <class Function>
void each(const Slot& slot, const View& a, std::size_t rows, Function function) {
  for (std::size_t i = 0; i < rows; ++i) slot.high[i] = function(a.high[i]);
}

void execute(const Step& step, const Slot& slot, const View& a, const View& b, std::size_t rows) {
  const In in(a.high, rows);
  const Out out(slot.high, rows);
  switch (step.operation) {
    case Operation::column: return;  // never a step
    case Operation::number: return std::fill(out.begin(), out.end(), step.number);
    case Operation::add: return arithmetic(slot, a, b, rows, [](auto x, auto y) { return x + y; });
    case Operation::subtract: return arithmetic(slot, a, b, rows, [](auto x, auto y) { return x - y; });
    case Operation::divide: return arithmetic(slot, a, b, rows, [](auto x, auto y) { return quotient(x, y); });
    case Operation::multiply:
      return arithmetic(slot, a, b, rows, [&](DoubleDouble x, auto y) {
        for (int k = step.whole ? step.count : 1; k > 0; --k) x = x * y;
        return x;
      });
    case Operation::power:
      if (!step.whole) return each(slot, a, b, rows, math::power);
      for (std::size_t i = 0; i < rows; ++i) slot.put(i, whole_power(a, i, step.count));
      return;
    case Operation::negate:
      for (std::size_t i = 0; i < rows; ++i) slot.put(i, -a.pair(i));
      return;
    case Operation::less: return each(slot, a, b, rows, [](double x, double y) { return x < y ? 1.0 : 0.0; });
    case Operation::less_or_equal: return each(slot, a, b, rows, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
    case Operation::greater: return each(slot, a, b, rows, [](double x, double y) { return x > y ? 1.0 : 0.0; });
    case Operation::greater_or_equal:
      return each(slot, a, b, rows, [](double x, double y) { return x >= y ? 1.0 : 0.0; });
    case Operation::equal: return each(slot, a, b, rows, [](double x, double y) { return x == y ? 1.0 : 0.0; });
    case Operation::not_equal: return each(slot, a, b, rows, [](double x, double y) { return x != y ? 1.0 : 0.0; });
    case Operation::maximum: return each(slot, a, b, rows, [](double x, double y) { return x < y ? y : x; });
    case Operation::minimum: return each(slot, a, b, rows, [](double x, double y) { return y < x ? y : x; });
    case Operation::absolute: return each(slot, a, rows, [](double x) { return std::fabs(x); });
    case Operation::floor: return each(slot, a, rows, [](double x) { return std::floor(x); });
    case Operation::ceiling: return each(slot, a, rows, [](double x) { return std::ceil(x); });
    case Operation::round: return each(slot, a, rows, [](double x) { return std::nearbyint(x); });
    case Operation::sign: return each(slot, a, rows, [](double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; });
    case Operation::tangent: return each(slot, a, rows, math::tan);
    case Operation::arc_sine: return each(slot, a, rows, math::asin);
    case Operation::arc_cosine: return each(slot, a, rows, math::acos);
    case Operation::arc_tangent: return each(slot, a, rows, math::atan);
    case Operation::hyperbolic_sine: return each(slot, a, rows, math::sinh);
    case Operation::hyperbolic_cosine: return each(slot, a, rows, math::cosh);
    case Operation::hyperbolic_tangent: return each(slot, a, rows, math::tanh);
    case Operation::error_function: return each(slot, a, rows, math::erf);
    case Operation::cube_root: return each(slot, a, rows, math::cbrt);
    case Operation::exponential_less_1: return math::expm1(in, out);
    case Operation::logarithm_1p: return math::log1p(in, out);
    case Operation::sigmoid: return math::sigmoid(in, out);
    case Operation::square_root: return each(slot, a, rows, [](double x) { return std::sqrt(x); });
    case Operation::exponential: return math::exp(in, out);
    case Operation::logarithm: return math::log(in, out);
    case Operation::logarithm_10: return each(slot, a, rows, math::log10);
    case Operation::logarithm_2: return each(slot, a, rows, math::log2);
    case Operation::sine: return each(slot, a, rows, math::sin);
    case Operation::cosine: return each(slot, a, rows, math::cos);
    case Operation::year: return each(slot, a, rows, math::year);
    case Operation::month: return each(slot, a, rows, math::month);
    case Operation::day: return each(slot, a, rows, math::day);
    case Operation::weekday: return each(slot, a, rows, math::weekday);
    case Operation::hour: return each(slot, a, rows, math::hour);
  }
}

// The first number that is not finite; rows if all are.
std::size_t first_not_finite(const double* x, std::size_t rows) {
  bool finite = true;
  for (std::size_t i = 0; i < rows; ++i) finite &= std::fabs(x[i]) <= std::numeric_limits<double>::max();
  if (finite) return rows;
  return static_cast<std::size_t>(std::find_if(x, x + rows, [](double each) { return !std::isfinite(each); }) - x);
}

}  // namespace

Program::Program(std::span<const Node> nodes) {
  Compiler compiler(nodes, steps_);
  result_ = compiler.run();
  slots_ = compiler.slots();
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes[node].operation == Operation::column && nodes[node].column == first_use_.size())
      first_use_.push_back(node);
}

std::optional<Program::Fault> Program::run(std::span<const double* const> columns, std::span<double> out,
                                           std::span<double> low, double* room) const {
  const auto slot_at = [&](std::uint32_t index) {
    return Slot{room + 2 * kChunk * index, room + 2 * kChunk * index + kChunk};
  };
  for (std::size_t begin = 0; begin < out.size(); begin += kChunk) {
    const std::size_t rows = std::min(kChunk, out.size() - begin);
    const auto view = [&](const Operand& operand) {
      if (operand.column) return View{columns[operand.index] + begin, nullptr};
      const Slot slot = slot_at(operand.index);
      return View{slot.high, operand.pair ? slot.low : nullptr};
    };
    // A failed row continues with meaningless numbers, so only its first fault counts.
    Fault fault{rows, 0};
    const auto check = [&](const double* values, std::uint32_t node) {
      const std::size_t row = first_not_finite(values, rows);
      if (row < fault.row) fault = {row, node};
    };
    for (std::size_t c = 0; c < first_use_.size(); ++c) check(columns[c] + begin, first_use_[c]);
    for (const Step& step : steps_) {
      const Slot slot = slot_at(step.slot);
      execute(step, slot, view(step.left), view(step.right), rows);
      check(slot.high, step.node);
    }
    const View result = view(result_);
    std::copy_n(result.high, fault.row, out.data() + begin);
    for (std::size_t i = 0; i < fault.row && !low.empty(); ++i) low[begin + i] = result.pair(i).low;
    if (fault.row < rows) return Fault{begin + fault.row, fault.node};
  }
  return std::nullopt;
}

}  // namespace plumb::formula
