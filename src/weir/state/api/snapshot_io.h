#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "weir/base/bytes.h"
#include "weir/base/result.h"

namespace weir::state {

// Where the bytes of a snapshot go, in order. Whoever writes files implements it.
//
//   Thread  one at a time
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status append(ByteView bytes) = 0;
};

// Bytes that can be read from anywhere: a finished file.
//
//   Thread  any; reads do not disturb each other
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For errors: "chk-17/op-3".
  virtual std::string name() const = 0;
  virtual std::uint64_t size() const = 0;
  // What the checkpoint says the file's checksum is (SnapshotWriter::frame_checksum()), where it does.
  virtual std::optional<std::uint64_t> frame_checksum() const { return std::nullopt; }
  // Fills `into`; fewer bytes than that are an error.
  virtual Status read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

// Both, in memory.
//
//   Errors  reading behind the end: kCorrupt
class MemoryFile final : public ByteSink, public ByteSource {
 public:
  explicit MemoryFile(std::string name, Bytes bytes = {})
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  Status append(ByteView bytes) override;
  std::string name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> into) const override;
  const Bytes& bytes() const { return bytes_; }

 private:
  const std::string name_;
  Bytes bytes_;
};

}  // namespace weir::state
