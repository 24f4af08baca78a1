#include "weir/state/heap/internal/directory.h"

#include <algorithm>
#include <new>

namespace weir::state::heap {
namespace {

// Natural spreads need arrays of some four elements per segment.
constexpr std::uint64_t kElementsPerSegmentMax = 64;
constexpr std::uint64_t kElementsAlwaysAllowed = 1024;
constexpr std::uint64_t kElementBytes = sizeof(void*);  // An element is a Segment*.

}  // namespace

Directory::Directory(std::uint32_t group_count, memory::PageSource& pages, memory::Account& account)
    : group_count_(group_count),
      group_bits_(static_cast<std::uint32_t>(std::bit_width(group_count - 1))),
      pages_(pages),
      account_(account),
      groups_(std::make_unique<Group[]>(group_count)) {
  WEIR_CHECK(group_count > 0);
}

Directory::~Directory() {
  for (std::uint32_t i = 0; i != group_count_; ++i)
    give_back_array(groups_[i].entries, std::uint64_t{1} << groups_[i].depth());
}

void Directory::begin(Segment* all) {
  for (std::uint32_t i = 0; i != group_count_; ++i) {
    groups_[i].entries = &groups_[i].single;
    groups_[i].single = all;
  }
  if (group_bits_ == 0) groups_[0].segments = groups_[0].deepest = 1;
}

std::uint64_t Directory::end_of_segment(Position inside) const {
  const Group& group = groups_[inside.group];
  Segment* segment = find(inside);
  // It may be that of many groups.
  if (group.depth() == 0) return std::min(extent(inside, segment->depth()).end(), end());
  const std::uint64_t elements = std::uint64_t{1} << group.depth();
  std::uint64_t i = inside.spread >> group.shift;
  while (++i != elements && group.entries[i] == segment) {
  }
  return (std::uint64_t{inside.group} << 32) + (i << group.shift);
}

Status Directory::make_room(Position inside, std::uint32_t depth) {
  if (!is_of_one_group(depth)) return ok();
  Group& group = groups_[inside.group];
  if (depth - group_bits_ < group.depth()) return ok();
  const std::uint64_t elements = std::uint64_t{2} << group.depth();
  if (depth == depth_max() ||
      elements > kElementsAlwaysAllowed +
                     kElementsPerSegmentMax *
                         std::max<std::uint64_t>(group.segments, expected_segments_)) {
    return Error{Code::kExhausted, "splitting a segment: more than " + std::to_string(kSlots) +
                                       " keys have nearly the same hash, in key group number " +
                                       std::to_string(inside.group) + " of the range"};
  }
  WEIR_ASSIGN(Segment * * const array, take_array(elements));
  for (std::uint64_t i = 0; i != elements; ++i) array[i] = group.entries[i / 2];
  if (group.entries == &group.single) {
    group.single = nullptr;
  } else {
    give_back_array(group.entries, elements / 2);
  }
  group.entries = array;
  --group.shift;
  group.deepest = 0;
  return ok();
}

void Directory::split(Position inside, std::uint32_t depth, Segment* upper) {
  const Extent whole = extent(inside, depth);
  if (upper != nullptr) set({whole.first + whole.width / 2, whole.width / 2}, upper);
  if (is_of_one_group(depth)) {
    Group& group = groups_[inside.group];
    ++group.segments;
    if (depth - group_bits_ == group.depth()) --group.deepest;
    if (depth + 1 - group_bits_ == group.depth()) group.deepest += 2;
  } else if (is_of_one_group(depth + 1)) {
    // From here on each of the two groups has a segment of its own.
    for (auto i = whole.first; i != whole.end(); i += whole.width / 2) {
      if (i >= end()) break;
      Group& group = groups_[i >> 32];
      group.segments = group.deepest = 1;
    }
  }
}

void Directory::merge(Position inside, std::uint32_t depth, Segment* merged) {
  const Extent whole = extent(inside, depth - 1);
  set(whole, merged);
  if (is_of_one_group(depth - 1)) {
    Group& group = groups_[inside.group];
    --group.segments;
    if (depth - group_bits_ == group.depth()) group.deepest -= 2;
    if (depth - 1 - group_bits_ == group.depth()) ++group.deepest;
    while (group.deepest == 0 && group.depth() > 0) halve(group);
  } else if (is_of_one_group(depth)) {
    for (auto i = whole.first; i != whole.end(); i += whole.width / 2) {
      if (i >= end()) break;
      Group& group = groups_[i >> 32];
      group.segments = group.deepest = 0;
    }
  }
}

void Directory::set(const Extent& extent, Segment* segment) {
  const std::uint64_t group_width = std::uint64_t{1} << 32;
  if (extent.width > group_width) {
    for (auto at = extent.first; at != extent.end() && at < end(); at += group_width) {
      Group& group = groups_[at >> 32];
      WEIR_DCHECK(group.depth() == 0);
      group.single = segment;
    }
    return;
  }
  Group& group = groups_[extent.first >> 32];
  const auto first = (extent.first & (group_width - 1)) >> group.shift;
  std::fill_n(group.entries + first, extent.width >> group.shift, segment);
}

// No segment is as deep as the array: neighbours are equal.
void Directory::halve(Group& group) {
  const std::uint64_t elements = std::uint64_t{1} << group.depth();
  WEIR_DCHECK(elements >= 2 && group.entries != &group.single);
  Segment** smaller = &group.single;
  if (elements > 2) {
    auto array = take_array(elements / 2);
    if (!array) return;  // At the limit the larger array stays.
    smaller = *array;
  }
  const std::uint32_t depth = group.depth() - 1 + group_bits_;
  for (std::uint64_t i = 0; i != elements / 2; ++i) {
    smaller[i] = group.entries[2 * i];
    if (smaller[i]->depth() == depth) ++group.deepest;
  }
  give_back_array(group.entries, elements);
  group.entries = smaller;
  ++group.shift;
}

// Large arrays on huge pages; small ones from the heap, which has touched its memory before.
Result<Segment**> Directory::take_array(std::uint64_t elements) {
  const std::uint64_t bytes = elements * kElementBytes;
  WEIR_TRY(account_.charge(bytes));
  void* array =
      bytes >= memory::kHugePageBytes ? pages_.take(bytes) : ::operator new(bytes, std::nothrow);
  if (array == nullptr) {
    account_.release(bytes);
    return Error{Code::kExhausted, "growing a directory: the machine has no memory, wanted " +
                                       std::to_string(bytes) + " bytes"};
  }
  held_bytes_ += bytes;
  return static_cast<Segment**>(array);
}

void Directory::give_back_array(Segment** array, std::uint64_t elements) {
  if (elements == 1) return;  // It lies in the group itself.
  const std::uint64_t bytes = elements * kElementBytes;
  if (bytes >= memory::kHugePageBytes) {
    pages_.give_back(array, bytes);
  } else {
    ::operator delete(array);
  }
  account_.release(bytes);
  held_bytes_ -= bytes;
}

}  // namespace weir::state::heap
