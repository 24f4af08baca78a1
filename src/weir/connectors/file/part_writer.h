#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/checksum.h"
#include "weir/base/mutex.h"
#include "weir/connectors/api/sink.h"
#include "weir/env/api/strand.h"

namespace weir::connectors {

// How text parts are written.
struct TextFilesOptions {
  std::size_t buffer_bytes = 256u << 10;
  // Filled and on their way to the disk, or being filled; records wait while all are.
  std::size_t buffers_max = 8;
};

// Writes the staged parts of one Subtask: lines go into a buffer, full buffers to the disk on the I/O pool, in order.
//
// A part is opened by its first full buffer, or at the barrier; an interval without output makes none.
//
//   Errors  by health(): the first append or sync that failed, for good, because nothing is known about such a file
//           afterwards
//   Thread  open() on the I/O pool, the rest on the Subtask's
class PartWriter {
 public:
  PartWriter(std::string directory, const TextFilesOptions& options);

  Result<commit::Outside> open(SinkContext& context);

  // Where the next line goes; null while every buffer is on its way, then a letter comes.
  std::string* buffer() {
    if (filling_ && filling_->text.size() < options_.buffer_bytes) [[likely]]
      return &filling_->text;
    return next_buffer();
  }
  std::vector<commit::Committable> stage(CheckpointId id);
  std::function<void(StagedDone)> make_durable();
  Status health() const { return trouble_->status(); }
  bool is_quiet() const { return buffers_out_ == 0; }
  // Buffers ever made: constant in steady state.
  std::size_t buffers_made() const { return buffers_.size(); }

 private:
  // The first thing that went wrong on the I/O pool.
  class Trouble {
   public:
    void note(const Status& status);
    Status status() const;

   private:
    std::atomic<bool> is_there_{false};  // Partner: note(); so that the usual answer takes no lock.
    mutable Mutex mutex_;
    Status status_ WEIR_GUARDED_BY(mutex_);
  };
  // A part as the strand knows it.
  struct Part {
    std::string name;
    std::string path;
    std::unique_ptr<env::WritableFile> file;
    Status status;
    std::atomic<bool> is_durable{
        false};  // No partner: what is read too early is synced once more, which is nothing.
  };
  struct Buffer {
    std::string text;
    std::shared_ptr<Part> part;  // while it is on its way
  };
  using Post = std::function<void(std::function<void()>)>;

  std::string* next_buffer();
  void make_buffers();
  void send();
  void append(Buffer& buffer);
  void returned(Buffer& buffer);
  static Status append(env::FileSystem& files, Part& part, std::string_view text);
  static Status sync(env::FileSystem& files, const std::string& directory,
                     const std::vector<std::shared_ptr<Part>>& parts);

  const std::string directory_;
  const TextFilesOptions options_;
  std::unique_ptr<env::FileLock> hold_;  // of the directory
  SinkContext* context_ = nullptr;
  std::shared_ptr<env::Strand> strand_;
  std::shared_ptr<const Post>
      post_;  // work under way holds it too: a letter may be this object's end
  const std::shared_ptr<Trouble> trouble_ = std::make_shared<Trouble>();

  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;
  Buffer* filling_ = nullptr;
  std::size_t buffers_out_ = 0;

  std::shared_ptr<Part> part_;  // being written; null before its first bytes
  std::uint64_t length_ = 0;
  std::optional<RunningChecksum> checksum_;
  CheckpointId after_{};
  std::vector<std::shared_ptr<Part>> staged_;  // and not known to be durable
};

}  // namespace weir::connectors
