#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "weir/base/bytes.h"

namespace weir::state {

// How values of one type lie in memory and on disk, so that a table is compiled once for all types.
//
//   Thread  the functions are pure: any
struct ValueType {
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  // Trivially copyable: moved, saved and forgotten by copying its bytes. The other functions that
  // manage memory are null then.
  bool is_flat = true;
  // write() would append exactly the bytes of the value as they lie, and every pattern of them is a
  // value: an integer, a double. Then snapshots copy instead of calling write() and read(). Only
  // with is_flat.
  bool is_plain_bytes = false;
  // Only with is_plain_bytes: a byte that write() puts in front, as before every record.
  std::optional<std::byte> plain_header;

  void (*construct)(void* at) = nullptr;  // a default value; for flat types too
  void (*destroy)(void* at) noexcept = nullptr;
  void (*relocate)(void* from, void* to) noexcept = nullptr;  // moves to raw memory and destroys
  void (*write)(const void* value, ByteWriter& out) = nullptr;
  bool (*read)(ByteReader& in, void* value) = nullptr;  // into a constructed value
  // What it owns outside its own bytes; null for flat types.
  std::size_t (*heap_bytes)(const void* value) = nullptr;
};

}  // namespace weir::state
