#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/address_space.h"
#include "weir/base/log.h"
#include "weir/env/api/function_runnable.h"
#include "weir/env/posix/posix_executor.h"
#include "weir/env/posix/posix_io_pool.h"
#include "weir/env/posix/stderr_log.h"

namespace weir::env {
namespace {

constexpr char kRefused[] =
    "weir: the system refused memory to thread weir-0, which ends the process.*ulimit -v.*the same "
    "command resumes";

TEST(RefusedMemoryDeathTest, InAStepEndsTheProcessAndSaysSo) {
  const auto run = [] {
    FunctionRunnable greedy([]() -> StepResult { throw std::bad_alloc(); });
    PosixExecutor executor({.threads = 1});
    executor.start(greedy, Placement::shared(0));
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), kRefused);
}

TEST(RefusedMemoryDeathTest, InAPieceOfWorkEndsTheProcessAndSaysSo) {
  const auto run = [] {
    PosixIoPool pool(1);
    pool.submit([] { throw std::bad_alloc(); });
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), "refused memory to thread weir-io-0");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // They need the address space.
TEST(RefusedThreadDeathTest, OfARunnablesOwnIsAWarningAndItRunsBesideOthers) {
  const auto run = [] {
    PosixExecutor executor({.threads = 1});
    const PosixClock clock;
    StderrLog log(clock, log::Level::kWarning);
    log::set_sink(&log);
    test::leave_no_room_for_a_stack();
    std::atomic<int> steps{0};
    FunctionRunnable patient(
        [&] {
          steps.fetch_add(1);
          steps.notify_all();
          return StepResult::done();
        },
        "lookup[0]");
    executor.start(patient, Placement::own_thread());
    steps.wait(0);
    executor.stop();
    log::set_sink(nullptr);
    std::exit(steps == 1 ? 0 : 9);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "ThreadRefused runnable=lookup.0.*ulimit -v");
}
#endif

}  // namespace
}  // namespace weir::env
