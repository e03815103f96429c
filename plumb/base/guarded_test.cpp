#include "plumb/base/guarded.h"

#include <gtest/gtest.h>

#include "plumb/base/parallel.h"

namespace plumb::guarded_test {
namespace {

TEST(Guarded, IsHadByOneThreadAtATime) {
  Guarded<std::uint64_t> sum(5);
  Executor executor(4);
  executor.for_each(1000, [&](std::size_t i) { sum.with([&](std::uint64_t& value) { value += i; }); });
  EXPECT_EQ(sum.with([](std::uint64_t value) { return value; }), 5u + 999u * 1000u / 2);
}

}  // namespace
}  // namespace plumb::guarded_test
