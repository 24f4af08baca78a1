#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "weir/base/result.h"
#include "weir/memory/account.h"
#include "weir/memory/page_source.h"
#include "weir/state/heap/internal/position.h"
#include "weir/state/heap/internal/segment.h"

namespace weir::state::heap {

// A run of positions that share their leading bits: what one segment holds.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t width = 0;

  std::uint64_t end() const { return first + width; }
};

// Finds the segment of a position.
//
// Each key group has an array of 2^n segments, indexed by the leading bits of the spread; it is
// doubled when one of its segments that is as deep as the array splits. Small neighbouring groups
// share a segment: then their arrays have one element each. So a large table has segments of one
// key group only, a small one few segments, one crowded group costs the others nothing, and no
// doubling touches more than one group's array.
//
//   Shape   depth counts leading bits of Position::word(): first those of the group, then those of
//           the spread
//   Source  Fagin et al. 1979, Extendible Hashing; one directory per key group
class Directory {
 public:
  Directory(std::uint32_t group_count, memory::PageSource& pages, memory::Account& account);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Makes the first segment, of depth 0, responsible for everything.
  void begin(Segment* all);
  bool has_begun() const { return groups_[0].entries != nullptr; }

  Segment* const* entry_of(std::uint32_t group, std::uint32_t spread) const {
    const Group& at = groups_[group];
    return at.entries + (std::uint64_t{spread} >> at.shift);
  }
  Segment* find(std::uint32_t group, std::uint32_t spread) const {
    return *entry_of(group, spread);
  }
  Segment* find(Position p) const { return find(p.group, p.spread); }

  // The depth at which no further bit is left to split by.
  std::uint32_t depth_max() const { return group_bits_ + 32; }
  Extent extent(Position inside, std::uint32_t depth) const {
    const std::uint64_t width = std::uint64_t{1} << (depth_max() - depth);
    return {inside.word() & ~(width - 1), width};
  }
  // Where the positions end that have the same segment as `inside`. In a group of several the segment itself is not
  // looked at.
  std::uint64_t end_of_segment(Position inside) const;
  // The positions beyond the last group belong to nobody.
  std::uint64_t end() const { return std::uint64_t{group_count_} << 32; }
  bool is_inside(const Extent& extent) const { return extent.first < end(); }

  // Room for a segment one deeper than `depth`. kExhausted also where the keys are so skewed that
  // the array would dwarf the segments: keys made up to collide.
  Status make_room(Position inside, std::uint32_t depth);
  // There will be at least so many segments, in which groups is not known: an array may be as large as
  // they will need. 0: nothing is known.
  void expect(std::uint64_t segments) { expected_segments_ = segments; }
  // The segment of `depth` at `inside` now has two of depth + 1, the upper of which is `upper`
  // (null where it lies beyond the last group).
  void split(Position inside, std::uint32_t depth, Segment* upper);
  // Two segments of `depth`, one of them at `inside`, have become `merged` of depth - 1.
  void merge(Position inside, std::uint32_t depth, Segment* merged);

  std::uint64_t held_bytes() const { return held_bytes_; }

 private:
  struct Group {
    Segment** entries = nullptr;  // &single where the array has one element
    Segment* single = nullptr;
    std::uint32_t shift = 32;    // the array has 2^(32 - shift) elements
    std::uint32_t segments = 0;  // of this group alone
    std::uint32_t deepest = 0;   // of those, as deep as the array
    std::uint32_t depth() const { return 32 - shift; }
  };

  bool is_of_one_group(std::uint32_t depth) const { return depth >= group_bits_; }
  void set(const Extent& extent, Segment* segment);
  Result<Segment**> take_array(std::uint64_t elements);
  void give_back_array(Segment** array, std::uint64_t elements);
  void halve(Group& group);

  const std::uint32_t group_count_;
  const std::uint32_t group_bits_;
  memory::PageSource& pages_;
  memory::Account& account_;
  std::unique_ptr<Group[]> groups_;
  std::uint64_t expected_segments_ = 0;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace weir::state::heap
