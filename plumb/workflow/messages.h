// Messages of a workflow. The library never prints: the caller decides what to do with each sentence.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class Messages {
 public:
  virtual ~Messages() = default;
  virtual void note(const std::string&) {}    // guesses and actions, for every user
  virtual void detail(const std::string&) {}  // the same, for a user who asks for more
  virtual void warn(const std::string&) {}    // for facts that may mislead, or that the user may want to change
};

// Receives the text of an output, part after part.
using TextSink = std::function<void(std::string_view)>;

// Keeps the messages, in order.
class KeptMessages final : public Messages {
 public:
  void note(const std::string& text) override { notes.push_back(text); }
  void warn(const std::string& text) override { warnings.push_back(text); }

  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

}  // namespace plumb
