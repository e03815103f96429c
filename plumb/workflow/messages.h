// What a workflow tells on its way. The library never prints: the caller decides what becomes of each sentence.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class Messages {
 public:
  virtual ~Messages() = default;
  virtual void note(const std::string&) {}    // what was guessed or done, for every user to see
  virtual void detail(const std::string&) {}  // the same, for a user who asks for more
  virtual void warn(const std::string&) {}    // what may mislead, or what the user may want to change
};

// Receives the text of an output, part after part.
using TextSink = std::function<void(std::string_view)>;

// Keeps what it is told, in order.
class KeptMessages final : public Messages {
 public:
  void note(const std::string& text) override { notes.push_back(text); }
  void warn(const std::string& text) override { warnings.push_back(text); }

  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

}  // namespace plumb
