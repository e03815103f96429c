// The effect of signals on the program. The first one asks it to stop in good order: waits end, the observer asks to
// stop, and half-written files are removed on the way out. A second one ends it at once.
#pragma once

#include <string>

namespace plumb::cli {

// From now on: Ctrl-C, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU ask to stop, except those the program was started to ignore
// (nohup). A closed pipe or a size limit is not a signal but a failed write.
void watch_signals();
// The signal that asked to stop, or 0.
int stopping_signal() noexcept;
// "SIGINT"
std::string signal_name(int number);

// While one of these exists, a second signal removes this file before it ends the program. One at a time; an empty path
// means no file.
class RemovedBySignal {
 public:
  explicit RemovedBySignal(const std::string& path);
  ~RemovedBySignal();
  RemovedBySignal(const RemovedBySignal&) = delete;
  RemovedBySignal& operator=(const RemovedBySignal&) = delete;
};

}  // namespace plumb::cli
