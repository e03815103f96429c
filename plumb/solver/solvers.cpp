#include <array>

#include "plumb/base/choices.h"
#include "plumb/base/text.h"
#include "plumb/solver/newton.h"
#include "plumb/solver/solver.h"

namespace plumb {

std::span<const SolverEntry> solver_list() {
  static constexpr std::array list = {
      SolverEntry{"newton", "second-order steps: few and dear; the optimum to the last digits", 200, true,
                  minimise_by_newton},
  };
  return list;
}

const SolverEntry& find_solver(std::string_view name) {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solver_list()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw unknown_choice("solver", name, names, "--solver ");
}

SolverChoice choose_solver(const Objective& f) { return {&find_solver("newton"), counted(f.size(), "weight")}; }

}  // namespace plumb
