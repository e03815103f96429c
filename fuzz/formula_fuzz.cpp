// Any bytes as an expression: refused with a message, or parsed into formulas whose text parses to the same, and which
// give finite numbers or a fault, the same ones row by row.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/feature/formula.h"

namespace {

using namespace plumb;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Formula& formula) {
  const Formula again = Formula::parse(formula.text());
  require(again == formula && again.columns() == formula.columns() && again.product() == formula.product());

  constexpr double kinds[] = {0.0, 1.0, -1.0, 2.5, -3.0, 0.1, 1e300, -1e-300, 5e-324, 1e16, 7.0, -0.0};
  constexpr std::size_t rows = 300;  // more than one chunk
  std::vector<double> values(rows + formula.columns().size() * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kinds[i * i % std::size(kinds)];
  const auto from = [&](std::size_t row) {
    std::vector<const double*> columns;
    for (std::size_t c = 0; c < formula.columns().size(); ++c) columns.push_back(values.data() + 5 * c + row);
    return columns;
  };
  std::vector<double> out(rows);
  Formula::Scratch scratch;
  const auto fault = formula.evaluate(from(0), out, scratch);
  const std::size_t good = fault ? fault->row : rows;
  require(good <= rows && (!fault || !fault->text().empty()));
  for (std::size_t row = 0; row < good; row += 7) {
    double alone = 0.0;
    require(!again.evaluate(from(row), Out(&alone, 1), scratch));
    require(std::isfinite(alone) && std::bit_cast<std::uint64_t>(alone) == std::bit_cast<std::uint64_t>(out[row]));
  }
  if (fault) {
    double alone = 0.0;
    const auto same = formula.evaluate(from(good), Out(&alone, 1), scratch);
    require(same && same->row == 0 && same->text() == fault->text());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Derivation derivation = parse_derivation(std::string_view(reinterpret_cast<const char*>(data), size));
    if (const auto* formulas = std::get_if<std::vector<Formula>>(&derivation)) {
      require(!formulas->empty());
      check(formulas->front());
      if (formulas->size() > 1) check(formulas->back());
    } else {
      const Cross& cross = std::get<Cross>(derivation);
      require(std::get<Cross>(parse_derivation(cross.text())) == cross);
    }
  } catch (const Error& error) {
    require(error.code() == ErrorCode::usage && !error.message().empty() && !error.hint().empty());
  }
  return 0;
}
