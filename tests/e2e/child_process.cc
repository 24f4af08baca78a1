#include "tests/e2e/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace e2e {
namespace {

// Between fork and exec.
[[noreturn]] void become(std::vector<char*>& arguments, int log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

weir::Result<std::unique_ptr<ChildProcess>> ChildProcess::start(
    const std::vector<std::string>& command) {
  auto strings = command;
  std::vector<char*> arguments;
  arguments.reserve(strings.size() + 1);
  for (auto& argument : strings) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return weir::Error{weir::Code::kUnavailable,
                       std::string("making a pipe: ") + std::strerror(errno)};
  const auto pid = fork();
  if (pid == 0) become(arguments, ends[1]);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return weir::Error{weir::Code::kUnavailable,
                       "starting " + command[0] + ": " + std::strerror(errno)};
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, ends[0]));
}

ChildProcess::~ChildProcess() {
  signal(SIGKILL);
  wait();
  close(log_);
}

ChildProcess::Read ChildProcess::read_line(std::string& line, SteadyTime deadline) {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return Read::kLine;
    }
    if (has_ended_) {
      if (unread_.empty()) return Read::kEnd;
      line = std::exchange(unread_, {});
      return Read::kLine;
    }
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
        deadline - std::chrono::steady_clock::now());
    const auto ns = std::max<std::int64_t>(left.count(), 0);
    const timespec timeout{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    pollfd log{.fd = log_, .events = POLLIN, .revents = 0};
    const auto ready = ppoll(&log, 1, &timeout, nullptr);
    if (ready == 0) return Read::kTimeout;
    if (ready < 0) continue;  // EINTR
    std::array<char, 4096> bytes{};
    const auto size = ::read(log_, bytes.data(), bytes.size());
    if (size > 0) unread_.append(bytes.data(), static_cast<std::size_t>(size));
    if (size == 0) has_ended_ = true;
  }
}

void ChildProcess::signal(int number) {
  if (pid_ != 0) kill(pid_, number);
}

int ChildProcess::wait() {
  if (pid_ == 0) return 0;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace e2e
