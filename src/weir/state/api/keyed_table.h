#pragma once

#include <cstdint>
#include "weir/base/result.h"
#include "weir/state/api/key_block.h"
#include "weir/state/api/value_type.h"

namespace weir::state {

// One kind of keyed state of one Subtask: (key, namespace) -> value, for the keys of its
// KeyGroupRange.
//
// It is used a block at a time. open() gives a place for every key of the block, inserting a
// default value where there was none; the caller reads and writes the places; close() says which of
// them hold a value now. Places are valid until the next call of any method.
//
//   Shape   duplicates in a block share one place, so that writes are seen in order
//   Errors  error() after open() gave fewer places than asked for and has_room() does not explain
//           it: kExhausted where the account's limit is reached
//   Thread  the Subtask's
class KeyedTable {
 public:
  virtual ~KeyedTable() = default;

  // Places for the first n keys of the block; n is smaller than block.count only while the staging
  // area of a snapshot is full (close what was opened, go on later) or a limit was hit (error()).
  // `is_new` bit i: the i-th key had no value before this block.
  virtual std::uint32_t open(const KeyBlock& block, void** places, std::uint64_t& is_new) = 0;
  // After open() of n places: bit i of `written` says that place i was written or stays as it is
  // (0), bit i of `absent` that its key has no value any more (its place is forgotten). Of
  // duplicates the last one counts, and all of a new key's duplicates must be absent for the key to
  // be so.
  virtual void close(const KeyBlock& block, std::uint32_t n, std::uint64_t written,
                     std::uint64_t absent) = 0;
  // open() and close() in one for callers that write all n places and take none back.
  virtual std::uint32_t open_to_write(const KeyBlock& block, void** places,
                                      std::uint64_t& is_new) = 0;
  // Places of the keys that have a value, nullptr for the others; nothing is inserted or marked.
  // Only for reading.
  virtual void find(const KeyBlock& block, const void** places) = 0;

  // Up to kKeyBlock entries from the beginning of the table's own order, copied out, for visiting
  // all while erasing them as one goes. What the block points to is valid until the next call of first_entries().
  virtual KeyBlock first_entries() = 0;
  virtual std::uint64_t entry_count() const = 0;
  // Up to so many entries are going to be put in in any order, also in that of the hashes, which from
  // anybody else would be an attack. A promise for the time until it is taken back with 0; no memory is taken for it.
  virtual void expect(std::uint64_t entries) = 0;

  // False while open() gives fewer places because the staging area of a snapshot is full. The
  // backend's listener is told when it may be tried again; trying earlier does no harm.
  virtual bool has_room() const = 0;
  // Why open() gave fewer places than asked for, where has_room(): for good for this table.
  virtual Status error() const = 0;
};

}  // namespace weir::state
