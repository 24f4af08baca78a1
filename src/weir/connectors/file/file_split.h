#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir::connectors {

// How many bytes at the beginning of a file, and before a position in it, tell it from another one.
inline constexpr std::size_t kIdentityBytes = 4096;

// What a file was when it was listed. Only size and checksums decide whether it is still the same.
struct FileIdentity {
  std::uint64_t size = 0;           // what lies behind it later is not read
  std::uint64_t head_checksum = 0;  // of the first kIdentityBytes, or of all where there are fewer
  std::uint64_t device = 0;         // with inode: to explain
  std::uint64_t inode = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// A piece of a text file, and how far it has been read. It owns the lines that begin within it, to their ends.
//
//   Shape   begin <= next < end <= file.size. next is begin, whatever lies there, or the beginning of a line
//   Units   bytes from the beginning of the file
//   Source  docs/formats/file_splits.md
struct FileSplit {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // not included
  std::uint64_t next = 0;
  FileIdentity file;
  std::uint64_t tail_checksum =
      0;  // of the kIdentityBytes before next, or of all where there are fewer

  friend bool operator==(const FileSplit&, const FileSplit&) = default;
};

// From what serialize() made of one.
//
//   Errors  kCorrupt: the bytes are no split
Result<FileSplit> file_split_from(ByteView bytes);

}  // namespace weir::connectors
