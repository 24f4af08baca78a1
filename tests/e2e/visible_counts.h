#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"

namespace e2e {

// Reads what kill_job's sink shows, and finds whatever exactly-once forbids, while the job runs and dies.
//
// The lines of a key come from one Subtask, in order, so its counts must be 1, 2, 3, ... without a gap and
// without a repetition, in every state of the directory that anyone can see. Parts of a Subtask become visible
// in the order of their checkpoints; since a listing takes its time, only parts that were there when an earlier
// listing began are counted on.
//
//   Errors  kCorrupt, naming part and line: doubled, lost, torn, changed after it was visible
//   Thread  one
class VisibleCounts {
 public:
  explicit VisibleCounts(std::string directory) : directory_(std::move(directory)) {}

  // Reads the parts that are new.
  weir::Status scan();
  // The same count for each of `keys` keys, told at the end, once, and as the highest of those told before.
  weir::Status check_end(std::uint64_t keys) const;

  std::uint64_t lines() const { return lines_; }
  std::size_t parts() const { return sizes_.size(); }
  // The highest count of any key.
  std::uint64_t highest() const;

 private:
  struct Part {
    std::uint64_t subtask = 0;
    std::uint64_t checkpoint = 0;
    friend auto operator<=>(const Part&, const Part&) = default;
  };

  weir::Result<std::map<Part, std::uint64_t>> list() const;
  weir::Status read(const Part& part);
  weir::Status take(const std::string& place, std::string_view line);
  std::string path_of(const Part& part) const;

  const std::string directory_;
  std::map<Part, std::uint64_t> sizes_;  // of the parts that have been read
  std::map<std::uint64_t, std::uint64_t> counts_;
  std::map<std::uint64_t, std::uint64_t> ends_;
  std::uint64_t lines_ = 0;
};

}  // namespace e2e
