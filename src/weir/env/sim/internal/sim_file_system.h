#pragma once

#include "weir/env/api/file_system.h"
#include "weir/env/sim/internal/machine.h"

namespace weir::sim {

// The SimDisk as one Process sees it: with time that passes, faults, and an end when it is cut.
//
// Each call draws how long it takes, lets a part of that pass, has its whole effect at one moment,
// and lets the rest pass. On a fiber others run meanwhile and a crash may fall in between;
// elsewhere the time is added to the cost of the step.
class SimFileSystem final : public env::FileSystem {
 public:
  SimFileSystem(Life& life, Random random) : life_(life), random_(random) {}

  Result<std::unique_ptr<env::ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<env::WritableFile>> create(const std::string& path,
                                                    env::Create how) override;
  Result<std::unique_ptr<env::WritableFile>> create_bulk(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Status make_directories(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<env::DirectoryEntry>> list(const std::string& path) override;
  Result<env::FileInfo> info(const std::string& path) override;
  Result<env::LockOutcome> lock(const std::string& path) override;

  // --- for the files it opens -----------------------------------------------------------------
  // An inode kept open, within the limit of the Process. Closing is up to close() or the
  // destructor.
  class Handle;

  SimDisk& disk() { return life_.machine.disk; }
  Volume& volume() { return disk().volume(); }

  // Makes one call: `effect()` gives the outcome, an Outcome that has an Error where it fails.
  // Where a fault or a hook failed the call, `on_fault()` has what effect there is all the same.
  template <class Outcome, class Effect, class OnFault>
  Outcome call(IoCall call, Effect effect, OnFault on_fault);
  template <class Outcome, class Effect>
  Outcome call(IoCall io, Effect effect) {
    return call<Outcome>(std::move(io), effect, [] {});
  }
  IoCall make_call(IoKind kind, const std::string& path) const {
    return {.number = 0, .process = life_.id, .kind = kind, .path = path};
  }

 private:
  friend class Handle;

  Result<InodePtr> lockable(const std::string& path);

  Life& life_;
  Random random_;
  std::uint32_t open_files_ = 0;
};

}  // namespace weir::sim
