#include "weir/env/sim/internal/volume.h"

#include <algorithm>

#include "weir/base/check.h"

namespace weir::sim {
namespace {

Error not_found() { return {Code::kNotFound, "no such file or directory"}; }
Error exists() { return {Code::kRefused, "it exists"}; }
Error not_empty() { return {Code::kRefused, "it is not empty"}; }
Error is_a_directory() { return {Code::kInvalid, "it is a directory"}; }
Error not_a_directory() { return {Code::kInvalid, "not a directory"}; }
Error not_for_the_root() { return {Code::kInvalid, "the root stays where it is"}; }

Result<std::vector<std::string>> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    auto name = path.substr(at, end - at);
    if (name == "..") return Error{Code::kInvalid, "the simulated disk knows no '..'"};
    if (!name.empty() && name != ".") names.push_back(std::move(name));
    at = end + 1;
  }
  return names;
}

}  // namespace

void write_at(Bytes& content, std::uint64_t offset, ByteView bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
}

Volume::Volume() { root_ = make_inode(true); }

InodePtr Volume::make_inode(bool is_directory) {
  auto inode = std::make_shared<Inode>();
  inode->number = ++made_;
  inode->is_directory = is_directory;
  inodes_.emplace(inode->number, inode);
  return inode;
}

// The root has no name: its place is an empty name in itself.
Result<Volume::Place> Volume::place(const std::string& path) const {
  WEIR_ASSIGN(const auto names, names_in(path));
  if (names.empty()) return Place{root_, "", root_};
  InodePtr directory = root_;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const auto entry = directory->entries.find(names[i]);
    if (entry == directory->entries.end()) return not_found();
    if (!entry->second->is_directory) return not_a_directory();
    directory = entry->second;
  }
  const auto entry = directory->entries.find(names.back());
  return Place{directory, names.back(),
               entry == directory->entries.end() ? nullptr : entry->second};
}

Result<InodePtr> Volume::find(const std::string& path) const {
  WEIR_ASSIGN(const auto found, place(path));
  if (!found.inode) return not_found();
  return found.inode;
}

Result<InodePtr> Volume::find_directory(const std::string& path) const {
  WEIR_ASSIGN(const auto inode, find(path));
  if (!inode->is_directory) return not_a_directory();
  return inode;
}

void Volume::add_name(Inode& directory, const std::string& name, const InodePtr& inode) {
  drop_name(directory, name);
  directory.entries.emplace(name, inode);
  ++inode->names;
  count(*inode);
}

void Volume::drop_name(Inode& directory, const std::string& name) {
  const auto entry = directory.entries.find(name);
  if (entry == directory.entries.end()) return;
  const InodePtr inode = entry->second;
  directory.entries.erase(entry);
  --inode->names;
  settle(*inode);
}

Result<InodePtr> Volume::create(const std::string& path, env::Create how) {
  WEIR_ASSIGN(const auto target, place(path));
  if (target.inode && how == env::Create::kNew) return exists();
  if (target.inode && target.inode->is_directory) return is_a_directory();
  if (!target.inode) {
    const auto inode = make_inode(false);
    add_name(*target.directory, target.name, inode);
    target.directory->unsynced_names.push_back({++marks_, "", target.name, inode});
    return inode;
  }
  Inode& file = *target.inode;
  if (file.is_counted) bytes_used_ -= file.content.size();
  file.content.clear();
  file.unsynced.push_back({.mark = ++marks_, .is_truncation = true, .offset = 0, .bytes = {}});
  return target.inode;
}

Status Volume::check_rename(const Place& source, const Place& target) {
  if (!source.inode) return not_found();
  if (source.name.empty() || target.name.empty()) return not_for_the_root();
  const bool moves = source.directory != target.directory;
  if (source.inode->is_directory && moves)
    return Error{Code::kInvalid, "the simulated disk moves no directory out of its parent"};
  if (!target.inode || target.inode == source.inode) return ok();
  if (target.inode->is_directory && !source.inode->is_directory) return is_a_directory();
  if (!target.inode->is_directory && source.inode->is_directory) return not_a_directory();
  if (!target.inode->entries.empty()) return not_empty();
  return ok();
}

Status Volume::rename(const std::string& from, const std::string& to) {
  WEIR_ASSIGN(const auto source, place(from));
  WEIR_ASSIGN(const auto target, place(to));
  WEIR_TRY(check_rename(source, target));
  if (target.inode == source.inode) return ok();  // As POSIX has it: both names stay.
  add_name(*target.directory, target.name, source.inode);
  drop_name(*source.directory, source.name);
  if (source.directory == target.directory) {
    source.directory->unsynced_names.push_back({++marks_, source.name, target.name, source.inode});
    return ok();
  }
  // Two directories are two things to make durable: a crash may leave both names, or neither.
  target.directory->unsynced_names.push_back({++marks_, "", target.name, source.inode});
  source.directory->unsynced_names.push_back({++marks_, source.name, "", nullptr});
  return ok();
}

Status Volume::link(const std::string& from, const std::string& to) {
  WEIR_ASSIGN(const auto source, find(from));
  WEIR_ASSIGN(const auto target, place(to));
  if (target.inode) return exists();
  if (source->is_directory) return is_a_directory();
  add_name(*target.directory, target.name, source);
  target.directory->unsynced_names.push_back({++marks_, "", target.name, source});
  return ok();
}

Status Volume::remove(const std::string& path) {
  WEIR_ASSIGN(const auto target, place(path));
  if (!target.inode) return not_found();
  if (target.inode->is_directory) return is_a_directory();
  drop_name(*target.directory, target.name);
  target.directory->unsynced_names.push_back({++marks_, target.name, "", nullptr});
  return ok();
}

Status Volume::remove_directory(const std::string& path) {
  WEIR_ASSIGN(const auto target, place(path));
  if (!target.inode) return not_found();
  if (!target.inode->is_directory) return not_a_directory();
  if (target.name.empty()) return not_for_the_root();
  if (!target.inode->entries.empty()) return not_empty();
  drop_name(*target.directory, target.name);
  target.directory->unsynced_names.push_back({++marks_, target.name, "", nullptr});
  return ok();
}

Status Volume::make_directory(const std::string& path) {
  WEIR_ASSIGN(const auto target, place(path));
  if (target.inode) return target.inode->is_directory ? exists() : not_a_directory();
  const auto inode = make_inode(true);
  add_name(*target.directory, target.name, inode);
  target.directory->unsynced_names.push_back({++marks_, "", target.name, inode});
  return ok();
}

void Volume::append(Inode& file, ByteView bytes) {
  if (bytes.empty()) return;
  file.unsynced.push_back({.mark = ++marks_,
                           .is_truncation = false,
                           .offset = file.content.size(),
                           .bytes = Bytes(bytes.begin(), bytes.end())});
  file.content.insert(file.content.end(), bytes.begin(), bytes.end());
  if (file.is_counted) bytes_used_ += bytes.size();
}

void Volume::sync(Inode& file, Mark until) {
  for (const auto& write : file.unsynced) {
    if (write.mark > until) break;
    if (write.is_truncation) {
      file.durable.clear();
    } else {
      write_at(file.durable, write.offset, write.bytes);
    }
  }
  lose(file, until);
}

void Volume::lose(Inode& file, Mark until) {
  std::erase_if(file.unsynced, [until](const auto& write) { return write.mark <= until; });
}

void Volume::sync_names(Inode& directory, Mark until) {
  auto& changes = directory.unsynced_names;
  for (const auto& change : changes) {
    if (change.mark > until) break;
    if (!change.removed.empty()) directory.durable_entries.erase(change.removed);
    if (!change.added.empty()) directory.durable_entries[change.added] = change.inode;
  }
  std::erase_if(changes, [until](const auto& change) { return change.mark <= until; });
}

void Volume::retain(Inode& file) {
  ++file.handles;
  count(file);
}

void Volume::release(Inode& file) {
  WEIR_CHECK(file.handles > 0);
  --file.handles;
  settle(file);
}

void Volume::count(Inode& file) {
  if (std::exchange(file.is_counted, true)) return;
  bytes_used_ += file.content.size();
}

void Volume::settle(Inode& file) {
  if (file.names != 0 || file.handles != 0 || !file.is_counted) return;
  file.is_counted = false;
  bytes_used_ -= file.content.size();
}

Status Volume::put(const std::string& path, ByteView content) {
  WEIR_ASSIGN(const auto names, names_in(path));
  if (names.empty()) return is_a_directory();
  InodePtr directory = root_;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    auto& entry = directory->entries[names[i]];
    if (!entry) {
      entry = make_inode(true);
      ++entry->names;
    }
    if (!entry->is_directory) return not_a_directory();
    directory->durable_entries[names[i]] = entry;
    directory = entry;
  }
  const auto file = make_inode(false);
  file->content.assign(content.begin(), content.end());
  file->durable = file->content;
  add_name(*directory, names.back(), file);
  directory->durable_entries[names.back()] = file;
  // What was pending for this name came before, and is over.
  std::erase_if(directory->unsynced_names, [&](const auto& change) {
    return change.removed == names.back() || change.added == names.back();
  });
  return ok();
}

std::vector<std::string> Volume::paths() const {
  std::vector<std::string> paths;
  std::vector<std::pair<std::string, const Inode*>> open{{"", root_.get()}};
  while (!open.empty()) {
    const auto [path, directory] = open.back();
    open.pop_back();
    for (const auto& [name, inode] : directory->entries) {
      if (inode->is_directory) {
        open.emplace_back(env::join(path, name), inode.get());
      } else {
        paths.push_back(env::join(path, name));
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace weir::sim
