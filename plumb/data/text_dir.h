// Texts in folders: a folder per class, a file per text. Two columns: label, the name of the folder, and text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/data/source.h"

namespace plumb {

// Classes and files are read in bytewise order, folder after folder as given; names that begin with a dot are ignored,
// and files may be compressed. Throws Error(data) if one of the paths is not a folder, or if there is no text in them.
std::unique_ptr<Source> open_text_dir(std::vector<std::string> folders, const ReadOptions& options);

// The paths of the texts in one of these folders, in that order.
std::vector<std::string> texts_in_folder(const std::string& folder);

}  // namespace plumb
