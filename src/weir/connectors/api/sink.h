#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/config/option.h"
#include "weir/env/api/env.h"
#include "weir/protocol/commit/commit_ledger.h"
#include "weir/protocol/commit/committable.h"
#include "weir/stream/record_batch.h"

namespace weir::connectors {

// A sink is *transactional* where its Writer stages output and its Committer makes it visible after
// the checkpoint is complete. It is *idempotent* where writing the same again changes nothing. One
// that is neither is at least once, and says so.

// What writers and committers may know, and writers ask for.
struct SinkContext {
  std::string name;  // "out[1]": for errors
  JobId job;
  OperatorId sink;
  Epoch epoch;
  AttemptId attempt;
  SubtaskIndex subtask;
  std::uint32_t parallelism = 1;
  std::optional<CheckpointId> restored;
  bool has_checkpoints = false;
  env::Env* env = nullptr;
  const config::Configuration* options = nullptr;
  // Runs the function on the Subtask's thread, later. Any thread.
  std::function<void(std::function<void()>)> post;
};

// Tells, once and from any thread, whether everything handed over before is durable.
using StagedDone = std::function<void(Status)>;

// Writes the records of one Subtask.
//
//   Thread  open() on the I/O pool, the rest on the Subtask's
template <class T>
class SinkWriter {
 public:
  virtual ~SinkWriter() = default;
  // May block. Says what of earlier output is visible outside.
  virtual Result<commit::Outside> open(SinkContext& context) = 0;
  // Takes records from .. size()-1 of the batch, or fewer where it must wait for its I/O; then it
  // posts a letter when it can go on. Returns how many it took.
  virtual Result<std::uint32_t> write(const stream::RecordBatch<T>& batch, std::uint32_t from) = 0;
  // Ends what is being written and names it; what comes next belongs to a later checkpoint.
  virtual std::vector<commit::Committable> stage(CheckpointId id) = 0;
  // Calls `done` when everything staged so far is durable. The closure runs on the I/O pool and
  // does not touch the writer.
  virtual std::function<void(StagedDone)> make_durable() = 0;
  // Its I/O failed for good: the Subtask must fail.
  virtual Status health() const { return ok(); }
  // No I/O of it is under way.
  virtual bool is_quiet() const { return true; }
};

// Makes staged output visible.
//
//   Thread  the I/O pool, one call at a time
class Committer {
 public:
  virtual ~Committer() = default;
  // All of them, in order, idempotently; says how many it managed, from the front, where it fails.
  struct Outcome {
    std::size_t committed = 0;
    Status status;
  };
  virtual Outcome commit(const std::vector<commit::Committable>& committables) = 0;
};

// What sink_to() takes.
//
//   Thread  any; it is only read
template <class T>
class Sink {
 public:
  using Record = T;
  virtual ~Sink() = default;
  virtual std::unique_ptr<SinkWriter<T>> make_writer() const = 0;
  // Null where there is nothing to commit.
  virtual std::unique_ptr<Committer> make_committer(const SinkContext& context) const = 0;
  virtual std::string name() const = 0;
};

}  // namespace weir::connectors
