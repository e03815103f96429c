// Saving and loading a model with its Record. The format is a safetensors file, described byte by byte in
// docs/model_file.md. A file is untrusted input: it is checked in full before the model exists, and a loaded model
// predicts without checks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/model/model.h"
#include "plumb/model/record.h"

namespace plumb {

inline constexpr std::uint64_t kModelFileVersion = 1;  // written; every version up to this one is read

struct SavedModel {
  LinearModel model;
  Record record;
};

// The bytes of a model file; the same model and record give the same bytes, and parse_model accepts them. Throws
// Error(model) for anything it would refuse: a number that is not finite, two features of one name, a header that is
// too long.
std::string model_bytes(const LinearModel& model, const Record& record);

// Throws Error(model) that names `file` and the fault.
SavedModel parse_model(std::string bytes, const std::string& file);

// Atomic: at every moment `path` is the old file or the new one, complete. Throws Error(resources) if the disk is full.
void save_model(const std::string& path, const LinearModel& model, const Record& record);

// Throws Error(model) if the file is missing or damaged; false sizes and files of other kinds are detected before they
// are read.
SavedModel load_model(const std::string& path);

}  // namespace plumb
