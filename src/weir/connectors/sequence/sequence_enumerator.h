#pragma once

#include <deque>

#include "weir/connectors/api/source.h"
#include "weir/connectors/sequence/sequence_split.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

// Cuts a sequence into splits of equal length but for the remainder: as many as asked for, or one
// per reader where that is 0.
//
//   Errors  kCorrupt: state that is no split
//   Thread  as SplitEnumerator says
class SequenceEnumerator final : public SplitEnumerator {
 public:
  SequenceEnumerator(std::uint64_t first, std::uint64_t end, std::uint32_t splits)
      : first_(first), end_(end), splits_(splits) {}

  Status open(SourceContext& context, const std::optional<std::vector<Bytes>>& state) override;
  std::optional<Bytes> next_split(SubtaskIndex reader) override;
  bool is_exhausted() const override { return unassigned_.empty(); }
  std::vector<Bytes> snapshot() override;
  Schema state_schema() const override { return schema_of<SequenceSplit>(); }
  std::uint64_t unassigned() const override { return unassigned_numbers_; }

 private:
  void add(const SequenceSplit& split);

  const std::uint64_t first_;
  const std::uint64_t end_;
  const std::uint32_t splits_;
  std::deque<SequenceSplit> unassigned_;
  std::uint64_t unassigned_numbers_ = 0;
};

}  // namespace weir::connectors
