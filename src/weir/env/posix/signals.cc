#include "weir/env/posix/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "weir/env/posix/host.h"
#include "weir/env/posix/internal/last_words.h"
#include "weir/env/posix/internal/system_error.h"

namespace weir::env {
namespace {

// What the handler may touch. A handler interrupts whatever runs, so these are lock-free atomics.
std::atomic<int> g_write_end{-1};  // Partner: open's exchange; -1 while no Signals lives.
std::atomic<int> g_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr unsigned char kStop = 0;  // No signal has this number.

struct sigaction g_old_int;
struct sigaction g_old_term;
struct sigaction g_old_file_size;

void handle(int signal) {
  if (g_seen.fetch_add(1) > 0) _exit(128 + signal);
  const int saved_errno = errno;
  const auto number = static_cast<unsigned char>(signal);
  const ssize_t written = write(g_write_end.load(), &number, 1);
  static_cast<void>(written);  // The pipe is empty: one byte fits.
  errno = saved_errno;
}

}  // namespace

Result<std::unique_ptr<Signals>> Signals::open(std::function<void(int)> on_signal) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe", "for signals", errno);
  int expected = -1;
  WEIR_CHECK(g_write_end.compare_exchange_strong(expected, ends[1]));
  try {
    return std::unique_ptr<Signals>(new Signals(std::move(on_signal), ends[0], ends[1]));
  } catch (const std::system_error& e) {
    g_write_end.store(-1);
    close(ends[0]);
    close(ends[1]);
    auto error = system_error("starting a thread", "for signals", e.code().value());
    error.what.append("; ").append(kThreadAdvice);
    return error;
  }
}

Signals::Signals(std::function<void(int)> on_signal, int read_end, int write_end)
    : on_signal_(std::move(on_signal)), read_end_(read_end), write_end_(write_end) {
  g_seen.store(0);
  thread_ = std::thread([this] { unless_without_memory("weir-signals", [this] { await(); }); });
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = &handle;
  sigaction(SIGINT, &action, &g_old_int);
  sigaction(SIGTERM, &action, &g_old_term);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &g_old_file_size);
}

Signals::~Signals() {
  sigaction(SIGINT, &g_old_int, nullptr);
  sigaction(SIGTERM, &g_old_term, nullptr);
  sigaction(SIGXFSZ, &g_old_file_size, nullptr);
  const ssize_t written = write(write_end_, &kStop, 1);
  static_cast<void>(written);  // The pipe holds at most one byte: another one fits.
  thread_.join();
  g_write_end.store(-1);
  close(read_end_);
  close(write_end_);
}

void Signals::await() {
  for (;;) {
    unsigned char number = kStop;
    const ssize_t got = read(read_end_, &number, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || number == kStop) return;
    on_signal_(number);
  }
}

BrokenPipesAreErrors::BrokenPipesAreErrors() : before_() {
  struct sigaction ignore {};
  sigemptyset(&ignore.sa_mask);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before_);
}
BrokenPipesAreErrors::~BrokenPipesAreErrors() { sigaction(SIGPIPE, &before_, nullptr); }

}  // namespace weir::env
