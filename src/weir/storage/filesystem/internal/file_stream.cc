#include "weir/storage/filesystem/internal/file_stream.h"

#include <tuple>

#include "weir/base/mutant.h"

namespace weir::storage {

FileStream::FileStream(env::FileSystem& files, Names names, std::unique_ptr<env::WritableFile> file)
    : files_(files), names_(std::move(names)), file_(std::move(file)) {}

FileStream::~FileStream() {
  if (phase_ != Phase::kCommitted) abort();
}

Status FileStream::append(ByteView bytes) {
  WEIR_CHECK(phase_ == Phase::kOpen || phase_ == Phase::kBroken);
  if (phase_ == Phase::kBroken)
    return Error{Code::kUnavailable, "appending to " + names_.name + ": an append failed before"};
  if (auto appended = file_->append(bytes); !appended) {
    phase_ = Phase::kBroken;
    return appended;
  }
  length_ += bytes.size();
  return ok();
}

Result<checkpoint::FileHandle> FileStream::commit(std::uint64_t checksum) {
  WEIR_CHECK(phase_ == Phase::kOpen || phase_ == Phase::kBroken);
  if (phase_ == Phase::kBroken)
    return Error{Code::kUnavailable, "committing " + names_.name + ": an append failed before"};
  phase_ = Phase::kBroken;
  if (!mutant(Mutant::kDataSyncDropped)) WEIR_TRY(file_->sync());
  WEIR_TRY(file_->close());
  phase_ = Phase::kCommitted;
  return checkpoint::FileHandle{names_.name, length_, checksum};
}

void FileStream::abort() {
  WEIR_CHECK(phase_ != Phase::kCommitted);
  if (phase_ == Phase::kAborted) return;
  phase_ = Phase::kAborted;
  file_.reset();
  std::ignore = files_.remove(names_.path);  // As well as it goes: a sweep finds what is left.
}

}  // namespace weir::storage
