// Waits that a signal ends. A timer ticks until the wait is over, so no test depends on when the first tick comes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "plumb/base/file.h"

namespace plumb::file_signal_test {
namespace {

constexpr int kMostTicks = 500;
int ticks = 0;
int handle_to_feed = -1;

extern "C" void on_tick(int) {
  if (++ticks == kMostTicks) _exit(2);  // nothing woke up
  if (handle_to_feed >= 0 && ticks == 3) {
    if (write(handle_to_feed, "fed", 3) != 3 || close(handle_to_feed) != 0) _exit(3);
  }
}

void start_ticking(int flags) {
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval interval{.it_interval = {0, 10'000}, .it_value = {0, 10'000}};
  setitimer(ITIMER_REAL, &interval, nullptr);
}

// The exit code of a child that runs this: 0 for true, 1 for false, 2 if it waited for ever.
int code_of_child(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool interrupted(const std::function<void()>& action) {
  start_ticking(0);
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ErrorCode::interrupted;
  }
  return false;
}

class Fifo {
 public:
  Fifo() {
    std::string pattern = (std::filesystem::temp_directory_path() / "plumb-signal-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    if (mkfifo(path().c_str(), 0600) != 0) ADD_FAILURE() << "no FIFO";
  }
  ~Fifo() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/fifo"; }

 private:
  std::string folder_;
};

TEST(FileSignalTest, AFifoThatNobodyOpensCanBeLeft) {
  const Fifo fifo;
  EXPECT_EQ(code_of_child([&] { return interrupted([&] { FileReader reader(fifo.path()); }); }), 0);
  EXPECT_EQ(code_of_child([&] { return interrupted([&] { OutputFile output(fifo.path()); }); }), 0);
}

TEST(FileSignalTest, AFifoThatBringsNothingCanBeLeft) {
  const Fifo fifo;
  EXPECT_EQ(code_of_child([&] {
              const int keeps_it_open = open(fifo.path().c_str(), O_RDWR);
              return keeps_it_open >= 0 && interrupted([&] { read_whole_file(fifo.path(), 10); });
            }),
            0);
}

TEST(FileSignalTest, StandardHandlesCanBeLeftBlockingOrNot) {
  for (const int flags : {0, O_NONBLOCK}) {
    EXPECT_EQ(code_of_child([&] {
                int ends[2];
                if (pipe2(ends, flags) != 0 || dup2(ends[0], STDIN_FILENO) < 0) return false;
                return interrupted([] { read_whole_file("-", 10); });
              }),
              0);
    EXPECT_EQ(code_of_child([&] {
                int ends[2];
                if (pipe2(ends, flags) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) return false;
                return interrupted([] { write_file_atomically("-", std::string(10'000'000, 'x')); });
              }),
              0);
  }
}

TEST(FileSignalTest, AHandlerThatAsksForRestartsDoesNotEndAWait) {
  EXPECT_EQ(code_of_child([] {
              int ends[2];
              if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0) return false;
              handle_to_feed = ends[1];
              start_ticking(SA_RESTART);
              return read_whole_file("-", 10) == "fed";
            }),
            0);
}

}  // namespace
}  // namespace plumb::file_signal_test
