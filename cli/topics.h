// The topics of `plumb help TOPIC`: a few sentences each, and their options. The option tables say what an option
// means, so it is not written here.
#pragma once

#include <span>
#include <string_view>

namespace plumb::cli {

struct Topic {
  std::string_view name;
  std::string_view meaning;  // one line
  std::string_view text;     // paragraphs, one per line; a line that begins with two blanks is an example
  std::string_view options;  // names, separated by blanks
  std::string_view more;     // pages of docs/
};

// THE list of topics.
std::span<const Topic> topic_list();
const Topic* find_topic(std::string_view name);

}  // namespace plumb::cli
