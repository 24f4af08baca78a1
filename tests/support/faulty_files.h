#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/env/api/file_system.h"

namespace weir::test {

// Another FileSystem, one of whose calls fails. A test runs an operation with a failure at its
// first call, its second and so on, until one run meets none:
//
//   for (std::uint64_t k = 1;; k++) {
//     FaultyFiles files(disk);
//     files.fail(k, {.code = Code::kExhausted});
//     ... the operation, and what must hold whether it succeeded or not ...
//     if (files.calls() < k) break;
//   }
//
//   Shape   calls of files and directories count alike, from 1: open, create, append, sync, ...;
//           letting a lock or a file go is no call
//   Thread  one at a time
class FaultyFiles final : public env::FileSystem {
 public:
  enum class Deed : unsigned char {
    kNotDone,  // nothing happened
    kDone,     // it happened, and the reply was lost
  };
  struct Fault {
    Code code = Code::kUnavailable;
    Deed deed = Deed::kNotDone;
  };
  struct Call {
    std::string name;  // "rename"
    std::string path;
  };

  explicit FaultyFiles(env::FileSystem& inner) : inner_(inner) {}

  // The k-th call from the object's beginning fails, and only that one.
  void fail(std::uint64_t k, Fault fault);
  // From the k-th call on nothing happens any more and every call fails: the process is dead.
  void die_at(std::uint64_t k) { dead_from_ = k; }

  // Every call of that name is refused: this user may not.
  void refuse(const std::string& name) { refused_ = name; }

  std::uint64_t calls() const { return log_.size(); }
  const std::vector<Call>& log() const { return log_; }
  // The call that failed, where it has been reached.
  std::optional<Call> failed_call() const;

  Result<std::unique_ptr<env::ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<env::WritableFile>> create(const std::string& path,
                                                    env::Create how) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Status make_directories(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<env::DirectoryEntry>> list(const std::string& path) override;
  Result<env::FileInfo> info(const std::string& path) override;
  Result<env::LockOutcome> lock(const std::string& path) override;

 private:
  class Reader;
  class Writer;

  template <class Answer, class Do>
  Answer call(const std::string& name, const std::string& path, Do perform);

  env::FileSystem& inner_;
  std::vector<Call> log_;
  std::uint64_t fail_at_ = 0;
  Fault fault_;
  std::string refused_;
  std::uint64_t dead_from_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace weir::test
