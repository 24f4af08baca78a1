#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/id.h"
#include "weir/base/result.h"
#include "weir/env/api/env.h"
#include "weir/stream/record_batch.h"
#include "weir/types/schema.h"

namespace weir::connectors {

// A source is a SplitEnumerator that finds the pieces of the input and says who reads which, and
// SourceReaders that read them. A Split is a piece and how far it has been read, as bytes that the
// source understands; it carries the identity of what it reads, so that a replaced input is an
// error and not other data.

// What enumerators and readers may know and ask for.
struct SourceContext {
  std::string name;  // "lines[1]": for errors
  SubtaskIndex subtask;
  std::uint32_t parallelism = 1;
  std::uint32_t reader_parallelism = 1;  // how many readers the source has
  env::Env* env = nullptr;
  // Runs the function on the Subtask's thread, later. Any thread.
  std::function<void(std::function<void()>)> post;
};

// What assignments say to a reader.
struct SplitAssignment {
  std::uint32_t reader = 0;
  std::string split;  // bytes of the source's own
};

// Finds splits and gives them away. It runs as an operator of parallelism 1; its assignments travel
// in order with the barriers.
//
//   Thread  open() on the I/O pool, the rest on the Subtask's
class SplitEnumerator {
 public:
  virtual ~SplitEnumerator() = default;
  // `state`: what snapshot() gave for the checkpoint that is restored; nothing at a first start,
  // when the input is to be looked at. May block.
  virtual Status open(SourceContext& context, const std::optional<std::vector<Bytes>>& state) = 0;
  // A split for a reader that has asked for one; nothing while none is to be had.
  virtual std::optional<Bytes> next_split(SubtaskIndex reader) = 0;
  // No split is left and none will come: readers end when they have read theirs.
  virtual bool is_exhausted() const = 0;
  // Splits that nobody has, and whatever else it must know again. Each element is dealt with apart.
  virtual std::vector<Bytes> snapshot() = 0;
  // What snapshot()'s elements are: compared with that of the checkpoint before open().
  virtual Schema state_schema() const = 0;
  // How much the splits hold that nobody has, in the unit of SourceReader::progress().
  virtual std::uint64_t unassigned() const { return 0; }
};

enum class ReadState : unsigned char {
  kMore,        // call again
  kNeedsSplit,  // everything given to it has been read
  kWaits,  // for I/O or for its time: it posts a letter when it can go on, or says so by wake_at()
};

// Reads the splits of one Subtask.
//
//   Thread  open() on the I/O pool, the rest on the Subtask's
template <class T>
class SourceReader {
 public:
  virtual ~SourceReader() = default;
  virtual Status open(SourceContext& context) = 0;
  // One more split to read, after those it has.
  virtual Status add_split(ByteView split) = 0;
  // Appends some records to the batch, at most as many as fit; a position that snapshot() tells
  // lies behind the last one appended.
  virtual Result<ReadState> read(stream::RecordBatch<T>& out) = 0;
  // The splits it has not finished, with their positions.
  virtual std::vector<Bytes> snapshot() = 0;
  // What a split is: compared with that of the checkpoint before any is added.
  virtual Schema split_schema() const = 0;

  // After kWaits: when to call again at the latest, though no letter came.
  virtual Instant wake_at() const { return Instant::never(); }

  // Reads nothing more until told otherwise: what it has stays in its state.
  virtual void halt() = 0;
  // Whether old data is being read that a live reader would long have seen.
  virtual bool is_in_backlog() const { return false; }
  // How much it has read of the splits given to it, from where they stood then, and how much there
  // was: in bytes, or records.
  struct Share {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
  };
  virtual Share progress() const { return {}; }
  // No I/O of it is under way.
  virtual bool is_quiet() const { return true; }
};

// What env.from_source() takes.
//
//   Thread  any; it is only read
template <class T>
class Source {
 public:
  using Record = T;
  virtual ~Source() = default;
  virtual std::unique_ptr<SplitEnumerator> make_enumerator() const = 0;
  virtual std::unique_ptr<SourceReader<T>> make_reader() const = 0;
  virtual std::string name() const = 0;
  // What it was told to read, for people, in one form for one thing. A run that is resumed reads what it began with; where
  // this says something else, that is told (run_input.h). Empty: nothing is compared.
  virtual std::string input() const { return {}; }
};

}  // namespace weir::connectors
