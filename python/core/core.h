// What the sources of the Python module share: objects that are kept alive, runs without the GIL, arrays for results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/progress.h"
#include "plumb/data/memory_rows.h"

namespace nb = nanobind;

namespace plumb::python {

using Owner = std::shared_ptr<const void>;

// Keeps a Python object alive until the last copy is gone, on whatever thread that is.
inline Owner keep(nb::object object) {
  return {new nb::object(std::move(object)), [](const void* held) {
            const nb::gil_scoped_acquire gil;
            delete static_cast<const nb::object*>(held);
          }};
}

// Several owners as one.
inline Owner keep_all(std::vector<Owner> owners) {
  return std::make_shared<const std::vector<Owner>>(std::move(owners));
}

// A column with whatever keeps its values alive.
struct KeptColumn {
  MemoryColumn column;
  Owner owner;
};

struct RunOptions {
  unsigned threads = 0;  // 0: all
  std::uint64_t max_memory = 0;
  nb::object progress = nb::none();  // called with phase, done, total
};

// Runs the work without the GIL. Signals are looked at, and progress is told, about twenty times a second; what either
// raises ends the work and is raised again.
template <class Work>
auto run_without_gil(const RunOptions& options, Work work) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(50);
  std::exception_ptr raised;
  Clock::time_point last = Clock::now();
  Running running{options.threads, {}, options.max_memory};
  running.watch = [&](const Progress& progress) {
    if (raised) return false;
    const Clock::time_point now = Clock::now();
    if (now - last < kPause) return true;
    last = now;
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!options.progress.is_none())
        options.progress(static_cast<int>(progress.phase), progress.done, progress.total);
      return true;
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  };
  using Result = decltype(work(running));
  std::optional<Result> result;
  {
    const nb::gil_scoped_release released;
    try {
      result.emplace(work(running));
    } catch (const Error&) {
      if (!raised) throw;
    }
  }
  if (raised) std::rethrow_exception(raised);
  return std::move(*result);
}

// A numpy array that owns the numbers, without a copy.
template <class T>
nb::object array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* const held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* each) noexcept { delete static_cast<std::vector<T>*>(each); });
  return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), shape, owner));
}

// Each adds what its source defines.
void add_errors(nb::module_& module);
void add_rows(nb::module_& module);
void add_models(nb::module_& module);
void add_calls(nb::module_& module);
void add_sklearn_models(nb::module_& module);
void add_sklearn_text(nb::module_& module);

// The columns of an object with __arrow_c_stream__.
std::vector<KeptColumn> arrow_columns(const nb::object& table);

}  // namespace plumb::python
