#include "cli/arguments.h"

namespace plumb::cli {
namespace {

class Reader {
 public:
  Reader(const std::vector<std::string>& words, const std::vector<OptionGroup>& groups)
      : words_(words), groups_(groups) {}

  Arguments read() {
    bool only_operands = false;
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (only_operands || word == "-" || !word.starts_with("-")) {
        arguments_.operands.push_back(word);
      } else if (word == "--") {
        only_operands = true;
      } else if (word.starts_with("--")) {
        read_long(word.substr(2));
      } else {
        read_letters(word);
      }
    }
    return std::move(arguments_);
  }

 private:
  struct Found {
    const OptionInfo* info = nullptr;
    void* owner = nullptr;
  };

  template <class Matches>
  Found find(Matches matches) const {
    for (const OptionGroup& group : groups_)
      for (const OptionInfo& info : group.options)
        if (matches(info)) return {&info, group.owner};
    return {};
  }

  void fault(const std::string& message, const std::string& hint = "") {
    if (!arguments_.fault) arguments_.fault.emplace(ErrorCode::usage, message, hint);
  }

  // `typed`: how the option was written.
  void set(const Found& found, std::string_view text, const std::string& typed) {
    try {
      found.info->set(found.owner, text);
      arguments_.given.push_back(found.info->name);
    } catch (const OptionFault& bad) {
      const std::string meant = nearest(text, found.info->choices);
      fault(typed + " is " + in_quotes(text) + "; " + bad.expected + " was expected",
            meant.empty() ? "" : typed + " " + meant);
    }
  }

  // The value is the next word.
  void set_from_next(const Found& found, const std::string& typed) {
    if (at_ + 1 == words_.size()) {
      fault(typed + " stands at the end; it needs a value, " + found.info->value_name,
            typed + " " + (found.info->choices.empty() ? found.info->value_name : found.info->choices.front()));
      return;
    }
    set(found, words_[++at_], typed);
  }

  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Found found = find([&](const OptionInfo& info) { return info.name == name; });
    if (found.info == nullptr) {
      std::vector<std::string> names;
      for (const OptionGroup& group : groups_)
        for (const OptionInfo& info : group.options) names.push_back(info.name);
      const std::string meant = nearest(name, names);
      throw Error(ErrorCode::usage, "there is no option " + in_quotes("--" + name),
                  meant.empty() ? "--help lists the options" : "did you mean --" + meant + "?");
    } else if (found.info->flag()) {
      if (equals != std::string::npos) return fault("--" + name + " takes no value", "--" + name);
      set(found, "", "--" + name);
    } else if (equals != std::string::npos) {
      set(found, std::string_view(word).substr(equals + 1), "--" + name);
    } else {
      set_from_next(found, "--" + name);
    }
  }

  void read_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Found found = find([&](const OptionInfo& info) { return info.letter == word[i]; });
      if (found.info == nullptr)
        throw Error(ErrorCode::usage,
                    "there is no option " + in_quotes("-" + word.substr(i, 1)) +
                        (word.size() > 2 ? " in " + in_quotes(word) : ""),
                    "--help lists the options");
      const std::string typed = "-" + word.substr(i, 1);
      if (found.info->flag()) {
        set(found, "", typed);
        if (word[i] == 'h') arguments_.given.push_back("-h");
        continue;
      }
      if (i + 1 < word.size()) {
        set(found, std::string_view(word).substr(i + 1), typed);
      } else {
        set_from_next(found, typed);
      }
      return;
    }
  }

  const std::vector<std::string>& words_;
  const std::vector<OptionGroup>& groups_;
  std::size_t at_ = 0;
  Arguments arguments_;
};

}  // namespace

Arguments read_arguments(const std::vector<std::string>& words, const std::vector<OptionGroup>& groups) {
  return Reader(words, groups).read();
}

std::optional<std::string> value_of(std::string_view option, const std::vector<std::string>& words,
                                    const std::vector<OptionGroup>& groups) {
  std::optional<std::string> value;
  std::vector<OptionGroup> copies = groups;
  for (OptionGroup& group : copies)
    for (OptionInfo& info : group.options) {
      const bool wanted = info.name == option;
      info.set = [&value, wanted](void*, std::string_view text) {
        if (wanted) value = std::string(text);
      };
    }
  try {
    read_arguments(words, copies);
  } catch (const Error&) {
    // An unknown option: reported when the words are parsed for real.
  }
  return value;
}

}  // namespace plumb::cli
