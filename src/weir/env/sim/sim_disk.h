#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/env/sim/fault.h"
#include "weir/env/sim/internal/volume.h"
#include "weir/env/sim/io_call.h"
#include "weir/env/sim/sim_options.h"

namespace weir::sim {

// The disk of a World. It outlives the Processes and loses what they did not sync.
//
// As strict as POSIX allows: the content of a file is durable after sync(), its name after
// sync_directory() of the directory that holds it, and neither helps the other. A rename within one
// directory is one step; between two it is an adding and a removing that become durable apart. A
// crash leaves any part of what was not synced: for a file any of its appends, torn at any byte or
// sector, with a length of its own; for a directory any changes of names, as long as each name goes
// through its states in order.
//
// What a test does here itself (put, content, paths, crash) costs no time, is no call, never fails.
//
//   Shape   paths are taken from the root, "a/b" and "/a/b" are one; ".." is refused
//   Thread  the World's
class SimDisk {
 public:
  // `now` and `options` are the World's and outlive this.
  SimDisk(const SimOptions& options, const Instant& now, Random random,
          std::function<void(Fault)> report)
      : options_(options), now_(now), random_(random), report_(std::move(report)) {}

  // --- for tests ------------------------------------------------------------------------------
  // Makes a durable file with this content, with its directories; a file that was there is replaced
  // by another one.
  void put(const std::string& path, ByteView content);
  void put(const std::string& path, std::string_view text) { put(path, bytes_of(text)); }
  // What a reader would see now; nothing where there is no such file.
  std::optional<std::string> content(const std::string& path) const;
  // All files that can be seen, in order, without a leading '/'.
  std::vector<std::string> paths() const { return volume_.paths(); }
  // The machine goes down and comes up again. Cut its Processes first.
  void crash(CrashMode mode) { volume_.crash(mode, random_); }
  // Under a read-only path every call that would change something is kRefused.
  void set_read_only(const std::string& path, bool is_read_only);

  // Called before each call, on the fiber that makes it; an error is what the call then answers,
  // without effect (but see SimOptions on failed appends and syncs).
  void before_each_call(std::function<Status(const IoCall&)> hook) { before_ = std::move(hook); }
  // Called when a call has had its effect and before anybody knows. May cut() the Process.
  void after_each_call(std::function<void(const IoCall&)> hook) { after_ = std::move(hook); }

  std::uint64_t call_count() const { return calls_; }
  std::uint64_t bytes_used() const { return volume_.bytes_used(); }
  // Files open now, in all Processes, and the most there ever were.
  std::uint32_t open_handles() const { return open_handles_; }
  std::uint32_t open_handles_max() const { return open_handles_max_; }

  // --- for SimFileSystem ----------------------------------------------------------------------
  Volume& volume() { return volume_; }
  Random& random() { return random_; }
  const SimOptions& options() const { return options_; }
  // Numbers the call and asks the hook, the read-only paths and the faults.
  Status begin(IoCall& call);
  void end(const IoCall& call);
  void report(Fault fault) { report_(fault); }
  // How long the call takes.
  Duration cost_of(const IoCall& call);
  // How many more bytes fit, and why not more.
  std::uint64_t room() const;
  bool is_full_for_now() const { return now_ < full_until_; }
  void end_full() { full_until_ = now_; }

  void handle_opened();
  void handle_closed() { --open_handles_; }
  // Exclusive per inode; false where somebody has it. All of a Process are let go when it is cut.
  bool lock(ProcessId process, const InodePtr& inode);
  void unlock(ProcessId process, const InodePtr& inode);
  void unlock_all(ProcessId process);

 private:
  Status draw_fault(const IoCall& call);

  const SimOptions& options_;
  const Instant& now_;
  Random random_;
  const std::function<void(Fault)> report_;
  Volume volume_;
  std::function<Status(const IoCall&)> before_;
  std::function<void(const IoCall&)> after_;
  std::vector<std::string> read_only_;
  std::map<std::uint64_t, ProcessId> locks_;  // By inode.
  std::uint64_t calls_ = 0;
  std::uint32_t open_handles_ = 0;
  std::uint32_t open_handles_max_ = 0;
  Instant busy_until_{};  // With bandwidth: when the transfers so far are through.
  Instant full_until_{};
};

}  // namespace weir::sim
