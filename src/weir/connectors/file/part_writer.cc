#include "weir/connectors/file/part_writer.h"

#include <utility>

#include "weir/base/bytes.h"
#include "weir/base/check.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/part_names.h"
#include "weir/connectors/file/sink_directory.h"

namespace weir::connectors {

PartWriter::PartWriter(std::string directory, const TextFilesOptions& options)
    : directory_(std::move(directory)), options_(options) {}

Result<commit::Outside> PartWriter::open(SinkContext& context) {
  if (options_.buffer_bytes == 0 || options_.buffers_max < 2)
    return Error{Code::kInvalid,
                 "opening output directory " + directory_ +
                     ": buffer_bytes must be at least 1 and buffers_max at least 2"};
  context_ = &context;
  strand_ = std::make_shared<env::Strand>(context.env->io);
  post_ = std::make_shared<const Post>(context.post);
  after_ = context.restored.value_or(CheckpointId{});
  SinkDirectory directory(context.env->files, directory_, context);
  const bool may_rewind = context.options->get(kRewindOutput);
  auto outside = directory.open(may_rewind ? commit::Rewind::kAllowed : commit::Rewind::kRefused);
  if (outside) hold_ = directory.take_hold();
  return outside;
}

std::string* PartWriter::next_buffer() {
  if (filling_) send();
  if (buffers_.empty()) make_buffers();
  if (free_.empty()) return nullptr;
  filling_ = free_.back();
  free_.pop_back();
  return &filling_->text;
}

// All of them at once, so that a disk that falls behind later costs no allocation. The kernel gives memory only to those
// that are filled.
void PartWriter::make_buffers() {
  free_.reserve(options_.buffers_max);
  while (buffers_.size() != options_.buffers_max) {
    buffers_.push_back(std::make_unique<Buffer>());
    buffers_.back()->text.reserve(options_.buffer_bytes + options_.buffer_bytes / 4);
    free_.push_back(buffers_.back().get());
  }
}

// Hands the buffer being filled to the strand.
void PartWriter::send() {
  if (!part_) {
    part_ = std::make_shared<Part>();
    part_->name = StagedName{.job = context_->job,
                             .sink = context_->sink,
                             .subtask = context_->subtask,
                             .epoch = context_->epoch,
                             .attempt = context_->attempt,
                             .after = after_}
                      .text();
    part_->path = env::join(directory_, part_->name);
    length_ = 0;
    checksum_.emplace();
  }
  Buffer& buffer = *std::exchange(filling_, nullptr);
  length_ += buffer.text.size();
  checksum_->add(bytes_of(buffer.text));
  buffer.part = part_;
  ++buffers_out_;
  strand_->submit([this, &buffer] { append(buffer); });
}

// On the strand.
void PartWriter::append(Buffer& buffer) {
  const auto post = post_;
  Part& part = *buffer.part;
  if (part.status) {
    part.status = append(context_->env->files, part, buffer.text);
    trouble_->note(part.status);
  }
  (*post)([this, &buffer] { returned(buffer); });
}

Status PartWriter::append(env::FileSystem& files, Part& part, std::string_view text) {
  if (!part.file) {
    WEIR_ASSIGN(part.file, files.create(part.path, env::Create::kNew));
  }
  return part.file->append(bytes_of(text));
}

void PartWriter::returned(Buffer& buffer) {
  buffer.part.reset();
  buffer.text.clear();
  free_.push_back(&buffer);
  --buffers_out_;
}

std::vector<commit::Committable> PartWriter::stage(CheckpointId id) {
  if (filling_ && !filling_->text.empty()) send();
  WEIR_CHECK(id > after_ || !context_->has_checkpoints);
  after_ = id;
  if (!part_) return {};
  const auto part = std::exchange(part_, nullptr);
  staged_.push_back(part);
  return {{.checkpoint = id,
           .subtask = context_->subtask,
           .job = context_->job,
           .sink = context_->sink,
           .epoch = context_->epoch,
           .what = part->name,
           .length = length_,
           .checksum = checksum_->value()}};
}

std::function<void(StagedDone)> PartWriter::make_durable() {
  std::erase_if(staged_,
                [](const auto& part) { return part->is_durable.load(std::memory_order_relaxed); });
  if (staged_.empty()) return [](const StagedDone& done) { done(ok()); };
  return [strand = strand_, post = post_, trouble = trouble_, parts = staged_,
          directory = directory_, &files = context_->env->files](StagedDone done) {
    // Behind every append, since those were submitted before.
    strand->submit([post, trouble, parts, directory, &files, done = std::move(done)] {
      const auto status = sync(files, directory, parts);
      trouble->note(status);
      if (!status) (*post)([] {});  // So that the Subtask asks for health().
      done(status);
    });
  };
}

Status PartWriter::sync(env::FileSystem& files, const std::string& directory,
                        const std::vector<std::shared_ptr<Part>>& parts) {
  std::vector<Part*> synced;
  for (const auto& part : parts) {
    WEIR_TRY(part->status);
    if (part->is_durable.load(std::memory_order_relaxed)) continue;
    // Without a file its bytes are durable and its name is not: another part failed in between, the last time.
    if (part->file) {
      part->status = part->file->sync();
      if (part->status) part->status = part->file->close();
      part->file.reset();
      WEIR_TRY(part->status);
    }
    synced.push_back(part.get());
  }
  if (synced.empty()) return ok();
  auto named = files.sync_directory(directory);
  for (Part* part : synced) {
    part->status = named;
    part->is_durable.store(bool(named), std::memory_order_relaxed);
  }
  return named;
}

void PartWriter::Trouble::note(const Status& status) {
  if (status) return;
  MutexLock lock(mutex_);
  if (status_) status_ = status;
  is_there_.store(true, std::memory_order_release);
}

Status PartWriter::Trouble::status() const {
  if (!is_there_.load(std::memory_order_acquire)) return ok();
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace weir::connectors
