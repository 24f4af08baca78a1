#include "weir/env/sim/sim_disk.h"

#include <algorithm>
#include <limits>

#include "weir/base/check.h"

namespace weir::sim {
namespace {

std::string_view without_slash(std::string_view path) {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  return path;
}

bool is_under(std::string_view path, std::string_view directory) {
  if (path.empty()) return false;
  path = without_slash(path);
  directory = without_slash(directory);
  return path.substr(0, directory.size()) == directory &&
         (path.size() == directory.size() || directory.empty() || path[directory.size()] == '/');
}

// What may go wrong with a call, and once in how many.
struct Risk {
  Fault fault;
  std::uint64_t one_in;
};

Risk risk_of(const SimOptions& options, IoKind kind) {
  switch (kind) {
    case IoKind::kOpen:
    case IoKind::kRead:
    case IoKind::kInfo:
    case IoKind::kList:
      return {Fault::kFailedRead, options.read_error_one_in};
    case IoKind::kCreate:
    case IoKind::kAppend:
    case IoKind::kClose:
      return {Fault::kFailedWrite, options.write_error_one_in};
    case IoKind::kSync:
    case IoKind::kSyncDirectory:
      return {Fault::kFailedSync, options.sync_error_one_in};
    case IoKind::kRename:
    case IoKind::kLink:
    case IoKind::kRemove:
    case IoKind::kMakeDirectory:
    case IoKind::kRemoveDirectory:
      return {Fault::kFailedName, options.name_error_one_in};
    case IoKind::kLock:
      break;
  }
  return {Fault::kFailedRead, 0};
}

}  // namespace

void SimDisk::put(const std::string& path, ByteView content) {
  WEIR_CHECK(volume_.put(path, content));
}

std::optional<std::string> SimDisk::content(const std::string& path) const {
  const auto inode = volume_.find(path);
  if (!inode || (*inode)->is_directory) return std::nullopt;
  return std::string(text_of((*inode)->content));
}

void SimDisk::set_read_only(const std::string& path, bool is_read_only) {
  std::erase(read_only_, path);
  if (is_read_only) read_only_.push_back(path);
}

Status SimDisk::begin(IoCall& call) {
  call.number = ++calls_;
  if (before_) WEIR_TRY(before_(call));
  if (changes_the_disk(call.kind) && call.kind != IoKind::kSync) {
    for (const auto& path : read_only_)
      if (is_under(call.path, path) || is_under(call.to, path))
        return Error{Code::kRefused, "read-only file system"};
  }
  return draw_fault(call);
}

void SimDisk::end(const IoCall& call) {
  if (after_) after_(call);
}

Status SimDisk::draw_fault(const IoCall& call) {
  if (call.kind == IoKind::kAppend && random_.one_in(options_.disk_full_one_in))
    full_until_ = now_ + draw(options_.disk_full, random_);
  const Risk risk = risk_of(options_, call.kind);
  if (!random_.one_in(risk.one_in)) return ok();
  report(risk.fault);
  return Error{Code::kUnavailable, "input/output error"};
}

Duration SimDisk::cost_of(const IoCall& call) {
  const Duration latency = draw(options_.io_latency, random_);
  const bool transfers = call.kind == IoKind::kAppend || call.kind == IoKind::kRead;
  if (!transfers || options_.disk_bytes_per_second == 0) return latency;
  const auto ns =
      static_cast<double>(call.bytes) * 1e9 / static_cast<double>(options_.disk_bytes_per_second);
  busy_until_ = std::max(busy_until_, now_) + Duration{static_cast<std::int64_t>(ns)};
  return latency + (busy_until_ - now_);
}

std::uint64_t SimDisk::room() const {
  if (is_full_for_now()) return 0;
  if (options_.disk_bytes_max == 0) return std::numeric_limits<std::uint64_t>::max();
  return options_.disk_bytes_max - std::min(options_.disk_bytes_max, volume_.bytes_used());
}

void SimDisk::handle_opened() {
  ++open_handles_;
  open_handles_max_ = std::max(open_handles_max_, open_handles_);
}

bool SimDisk::lock(ProcessId process, const InodePtr& inode) {
  return locks_.emplace(inode->number, process).second;
}

void SimDisk::unlock(ProcessId process, const InodePtr& inode) {
  const auto held = locks_.find(inode->number);
  if (held != locks_.end() && held->second == process) locks_.erase(held);
}

void SimDisk::unlock_all(ProcessId process) {
  std::erase_if(locks_, [process](const auto& lock) { return lock.second == process; });
}

}  // namespace weir::sim
