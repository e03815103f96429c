// plumb._core: the library for the Python package, which does the rest (python/plumb).
#include "python/core/core.h"

NB_MODULE(_core, module) {
  module.doc() = "the engine of plumb; use the package plumb";
  module.attr("__version__") = PLUMB_VERSION;
  plumb::python::add_errors(module);
  plumb::python::add_rows(module);
  plumb::python::add_models(module);
  plumb::python::add_calls(module);
  plumb::python::add_sklearn_models(module);
  plumb::python::add_sklearn_text(module);
}
