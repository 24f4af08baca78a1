#include "weir/task/snapshot_upload.h"

#include "weir/base/error_exception.h"
#include "weir/base/log.h"

namespace weir::task {
namespace {

// Keeps what is small for the metadata and gives the rest to a file.
class InlineOrFile final : public state::ByteSink {
 public:
  InlineOrFile(storage::CheckpointStorage& storage, std::string name)
      : storage_(storage), name_(std::move(name)) {}

  Status append(ByteView bytes) override {
    size_ += bytes.size();
    if (stream_) return stream_->append(bytes);
    inline_.insert(inline_.end(), bytes.begin(), bytes.end());
    if (inline_.size() < storage_.inline_bytes_max()) return ok();
    WEIR_ASSIGN(stream_, storage_.create(name_));
    WEIR_TRY(stream_->append(inline_));
    inline_ = {};
    return ok();
  }
  Result<checkpoint::StateHandle> commit(std::uint64_t checksum) {
    if (!stream_) return checkpoint::StateHandle(std::move(inline_));
    WEIR_ASSIGN(auto handle, stream_->commit(checksum));
    return checkpoint::StateHandle(std::move(handle));
  }
  std::uint64_t size() const { return size_; }

 private:
  storage::CheckpointStorage& storage_;
  const std::string name_;
  Bytes inline_;
  std::unique_ptr<storage::CheckpointStream> stream_;
  std::uint64_t size_ = 0;
};

}  // namespace

// The keyed state of one operator: takes blocks from the Subtask, writes them on the strand.
class SnapshotUpload::KeyedFile final : public state::SnapshotOutput {
 public:
  KeyedFile(SnapshotUpload& upload, const OperatorPart& part)
      : upload_(upload), header_(*part.keyed), sink_(upload.storage_, part.keyed_file) {}

  void take(state::StagedBlock block) override {
    // A function must be copyable; the block is not.
    auto shared = std::make_shared<state::StagedBlock>(std::move(block));
    upload_.submit([this, shared = std::move(shared)]() mutable -> Status {
      WEIR_TRY(begin());
      shared->encode(dense_);
      shared.reset();  // The chunk is free for the Subtask while the disk works.
      return writer_->append(dense_);
    });
  }
  Result<checkpoint::KeyedStateHandle> finish() {
    WEIR_TRY(begin());
    WEIR_TRY(writer_->finish());
    WEIR_ASSIGN(auto where, sink_.commit(writer_->frame_checksum()));
    return checkpoint::KeyedStateHandle{header_.key_groups, std::move(where)};
  }
  std::uint64_t size() const { return sink_.size(); }

 private:
  Status begin() {
    if (writer_) return ok();
    WEIR_ASSIGN(writer_, state::SnapshotWriter::begin(sink_, header_));
    return ok();
  }

  SnapshotUpload& upload_;
  const state::SnapshotHeader header_;
  InlineOrFile sink_;
  std::optional<state::SnapshotWriter> writer_;
  state::DenseBlock dense_;  // recycled
};

SnapshotUpload::SnapshotUpload(storage::CheckpointStorage& storage, env::IoPool& io,
                               std::vector<OperatorPart> parts, bool at_end,
                               std::function<void(Outcome)> tell)
    : storage_(storage), strand_(io), parts_(std::move(parts)), tell_(std::move(tell)) {
  snapshot_.at_end = at_end;
  snapshot_.operators.resize(parts_.size());
  for (std::size_t op = 0; op != parts_.size(); ++op) {
    snapshot_.operators[op].id = parts_[op].id;
    files_.push_back(parts_[op].keyed ? std::make_unique<KeyedFile>(*this, parts_[op]) : nullptr);
  }
}

SnapshotUpload::~SnapshotUpload() = default;

state::SnapshotOutput& SnapshotUpload::keyed_output(std::size_t op) { return *files_[op]; }

void SnapshotUpload::end_keyed(std::size_t op) {
  submit([this, op]() -> Status {
    WEIR_ASSIGN(auto handle, files_[op]->finish());
    bytes_ += files_[op]->size();
    snapshot_.operators[op].keyed.push_back(std::move(handle));
    for (const auto& table : parts_[op].keyed->tables)
      snapshot_.schemas.push_back({.op = parts_[op].id,
                                   .state = table.state_name,
                                   .kind = "value",
                                   .key = table.key_schema,
                                   .name_space = table.namespace_schema,
                                   .value = table.value_schema});
    return ok();
  });
}

void SnapshotUpload::seal() {
  strand_.submit([self = shared_from_this()] {
    self->note_if_cancelled();
    self->parts_left_ = self->parts_.size() + 1;
    for (std::size_t op = 0; op != self->parts_.size(); ++op) self->start_part(op);
    self->end_part();
  });
}

// The operator's own work; its outcome comes back to the strand.
void SnapshotUpload::start_part(std::size_t op) {
  const auto work = std::exchange(parts_[op].work, nullptr);
  if (!work || !status_) return end_part();
  work([self = shared_from_this(), op](Result<state::OperatorListState> lists) {
    self->strand_.submit([self, op, lists = std::move(lists)] {
      self->note(self->keep_lists(op, lists));
      self->end_part();
    });
  });
}

Status SnapshotUpload::keep_lists(std::size_t op, const Result<state::OperatorListState>& lists) {
  if (!lists) return lists.error().during("snapshot of operator " + parts_[op].name);
  if (!status_ || lists->is_empty()) return ok();
  auto bytes = lists->serialise();
  bytes_ += bytes.size();
  WEIR_ASSIGN(snapshot_.operators[op].lists,
              storage::write_state(storage_, parts_[op].list_file, std::move(bytes)));
  for (const auto& [name, list] : lists->lists())
    snapshot_.schemas.push_back({.op = parts_[op].id,
                                 .state = name,
                                 .kind = "list",
                                 .key = {},
                                 .name_space = {},
                                 .value = list.schema});
  return ok();
}

void SnapshotUpload::end_part() {
  if (--parts_left_ == 0) conclude();
}

// Work after the first error, or after cancel(), is passed over.
void SnapshotUpload::submit(std::function<Status()> work) {
  strand_.submit([self = shared_from_this(), work = std::move(work)] {
    self->note_if_cancelled();
    if (self->status_) self->note(guarded(work));  // Serializers of the user run there.
  });
}

void SnapshotUpload::note(Status status) {
  if (status_) status_ = std::move(status);
}

void SnapshotUpload::note_if_cancelled() {
  if (is_cancelled_.load(std::memory_order_relaxed))
    note(Error{Code::kCancelled, "it was aborted"});
}

void SnapshotUpload::conclude() {
  files_.clear();  // Streams that were not committed remove their files.
  note_if_cancelled();
  if (status_) {
    tell_({std::move(snapshot_), bytes_});
    return;
  }
  std::vector<checkpoint::FileHandle> written;
  append_files(snapshot_, written);
  if (auto removed = storage_.remove(written); !removed)
    log::Event(log::Level::kWarning, "LeftoverNotRemoved").field("reason", removed.error().what);
  tell_({status_.error(), bytes_});
}

}  // namespace weir::task
