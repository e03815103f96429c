// LIBLINEAR's reader is a static function of its program. Loaded into that program before its library (LD_PRELOAD),
// this stops it at the first call after reading, and prints the time since the start as a line of JSON.
#include <unistd.h>

#include <cstdio>

#include "bench/measure.h"

namespace {

const bench::Stopwatch since_start;

}  // namespace

// In liblinear: const char* check_parameter(const problem*, const parameter*); a problem begins with its number of
// rows.
extern "C" __attribute__((visibility("default"))) const char* check_parameter(const int* rows, const void*) {
  std::printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"rows\": %d}\n", since_start.wall(), since_start.cpu(), *rows);
  std::fflush(stdout);
  _exit(0);
}
