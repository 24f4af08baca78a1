#include "weir/task/restore.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace weir::task {
namespace {

// A file of the checkpoint, or the bytes that stand for one in the metadata.
class StoredBytes final : public state::ByteSource {
 public:
  static Result<std::unique_ptr<StoredBytes>> open(const checkpoint::StateHandle& handle,
                                                   storage::CheckpointStorage& storage) {
    auto bytes = std::make_unique<StoredBytes>();
    if (const auto* in_metadata = std::get_if<Bytes>(&handle)) {
      bytes->name_ = "_metadata";
      bytes->inline_ = *in_metadata;
      bytes->size_ = in_metadata->size();
      return bytes;
    }
    const auto& file = std::get<checkpoint::FileHandle>(handle);
    bytes->name_ = file.name;
    bytes->size_ = file.length;
    bytes->checksum_ = file.checksum;
    WEIR_ASSIGN(bytes->file_, storage.open(file));
    return bytes;
  }

  std::string name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  std::optional<std::uint64_t> frame_checksum() const override { return checksum_; }
  Status read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    const auto too_short = [&] {
      return Error{Code::kCorrupt, "reading " + name_ + ": it ends before offset " +
                                       std::to_string(offset + into.size())};
    };
    if (offset > size_ || into.size() > size_ - offset) return too_short();
    if (!file_) {
      std::copy_n(inline_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
      return ok();
    }
    WEIR_ASSIGN(const auto got, file_->read_at(offset, into));
    return got == into.size() ? ok() : Status(too_short());
  }

 private:
  std::string name_;
  Bytes inline_;
  std::unique_ptr<env::ReadableFile> file_;
  std::uint64_t size_ = 0;
  std::optional<std::uint64_t> checksum_;
};

Error with_advice(const Error& error) {
  if (error.code != Code::kCorrupt) return error;
  return {error.code, error.what + std::string(storage::kDamagedAdvice)};
}

// The state is whole, and is not what the job declares; or another build wrote it, which says itself
// what to do.
Error with_way_out(const Error& error) {
  if (error.code != Code::kInvalid) return with_advice(error);
  if (error.what.ends_with(storage::kOtherBuildAdvice)) return error;
  return {error.code,
          error.what + ". Declare it as it was; or drop all state of the operator by giving it " +
              "another uid and --allow-unclaimed-state; or begin anew with --restart"};
}

}  // namespace

Status check_all_declared(const state::OperatorLists& lists) {
  const auto checked = lists.check_all_declared();
  return checked ? ok() : Status(with_way_out(checked.error()));
}

Status restore_keyed(state::KeyedBackend& backend, const rpc::OperatorRestore& from,
                     storage::CheckpointStorage& storage) {
  std::vector<std::unique_ptr<StoredBytes>> files;
  std::vector<std::reference_wrapper<const state::ByteSource>> sources;
  for (const auto& handle : from.keyed) {
    WEIR_ASSIGN(auto file, StoredBytes::open(handle.where, storage));
    sources.emplace_back(*file);
    files.push_back(std::move(file));
  }
  const auto restored = backend.restore(sources);
  return restored ? ok() : Status(with_way_out(restored.error()));
}

Result<state::OperatorListState> restore_lists(const rpc::OperatorRestore& from,
                                               SubtaskIndex subtask, std::uint32_t parallelism,
                                               storage::CheckpointStorage& storage) {
  std::vector<state::OperatorListState> old;
  for (const auto& handle : from.lists) {
    WEIR_ASSIGN(const auto bytes, storage::read_state(storage, handle, state::kListStateBytesMax));
    auto lists = state::OperatorListState::deserialise(bytes);
    if (!lists) return with_advice(lists.error());
    old.push_back(*std::move(lists));
  }
  return state::share_of(old, subtask.value, parallelism);
}

}  // namespace weir::task
