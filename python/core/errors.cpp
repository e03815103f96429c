// A plumb::Error becomes the exception of plumb._errors for its code, with place and hint.
#include "python/core/core.h"

namespace plumb::python {
namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "UsageError";
    case ErrorCode::data: return "DataError";
    case ErrorCode::model: return "ModelError";
    case ErrorCode::resources: return "ResourceError";
    case ErrorCode::interrupted: return "Interrupted";
    case ErrorCode::internal: break;
  }
  return "InternalError";
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("plumb._errors").attr(class_of(error.code()));
    const Place& place = error.place();
    const nb::object raised = type(error.message(), place.file, place.line, place.column, error.hint());
    PyErr_SetObject(type.ptr(), raised.ptr());
  }
}

}  // namespace

void add_errors(nb::module_&) { nb::register_exception_translator(translate, nullptr); }

}  // namespace plumb::python
