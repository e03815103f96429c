#include "plumb/solver/recipe_descent.h"

#include <utility>

#include "plumb/solver/first_order.h"

namespace plumb {

Solution minimise_by_recipe(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return minimise_by_descent(f, std::move(start), options);
}

}  // namespace plumb
