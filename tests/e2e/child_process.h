#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/result.h"

namespace e2e {

using SteadyTime = std::chrono::steady_clock::time_point;

// A process and what it writes to standard error. It is killed with the object, and with this process.
//
//   Thread  one
class ChildProcess {
 public:
  static weir::Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Read : unsigned char { kLine, kTimeout, kEnd };
  // The next whole line, without its end. What is left at the end is a line too.
  Read read_line(std::string& line, SteadyTime deadline);

  void signal(int number);
  // As a shell tells it: the exit status, or 128 + signal.
  int wait();

 private:
  ChildProcess(pid_t pid, int log) : pid_(pid), log_(log) {}

  pid_t pid_;
  const int log_;
  std::string unread_;
  bool has_ended_ = false;  // its log
};

}  // namespace e2e
