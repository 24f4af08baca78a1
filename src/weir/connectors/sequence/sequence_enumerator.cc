#include "weir/connectors/sequence/sequence_enumerator.h"

#include "weir/types/serializer.h"

namespace weir::connectors {

Status SequenceEnumerator::open(SourceContext& context, const std::optional<std::vector<Bytes>>& state) {
  if (state) {
    unassigned_.assign(state->begin(), state->end());
    return ok();
  }
  const auto splits = splits_ ? splits_ : context.reader_parallelism;
  const auto count = end_ - first_;
  auto begin = first_;
  for (std::uint32_t i = 0; i != splits; ++i) {
    const auto end = begin + count / splits + (i < count % splits ? 1 : 0);
    if (begin != end) unassigned_.push_back(serialize(SequenceSplit{.first = begin, .next = begin, .end = end}));
    begin = end;
  }
  return ok();
}

std::optional<Bytes> SequenceEnumerator::next_split(SubtaskIndex) {
  if (unassigned_.empty()) return std::nullopt;
  auto split = std::move(unassigned_.front());
  unassigned_.pop_front();
  return split;
}

}  // namespace weir::connectors
