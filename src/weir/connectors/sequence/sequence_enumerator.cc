#include "weir/connectors/sequence/sequence_enumerator.h"

#include "weir/types/serializer.h"

namespace weir::connectors {

Status SequenceEnumerator::open(SourceContext& context,
                                const std::optional<std::vector<Bytes>>& state) {
  if (state) {
    for (const auto& element : *state) {
      WEIR_ASSIGN(const auto split, deserialize<SequenceSplit>(element));
      add(split);
    }
    return ok();
  }
  const auto splits = splits_ ? splits_ : context.reader_parallelism;
  const auto count = end_ - first_;
  auto begin = first_;
  for (std::uint32_t i = 0; i != splits; ++i) {
    const auto end = begin + count / splits + (i < count % splits ? 1 : 0);
    if (begin != end) add({.first = begin, .next = begin, .end = end});
    begin = end;
  }
  return ok();
}

std::optional<Bytes> SequenceEnumerator::next_split(SubtaskIndex) {
  if (unassigned_.empty()) return std::nullopt;
  const auto split = unassigned_.front();
  unassigned_.pop_front();
  unassigned_numbers_ -= split.end - split.next;
  return serialize(split);
}

std::vector<Bytes> SequenceEnumerator::snapshot() {
  std::vector<Bytes> elements;
  for (const auto& split : unassigned_) elements.push_back(serialize(split));
  return elements;
}

void SequenceEnumerator::add(const SequenceSplit& split) {
  unassigned_numbers_ += split.end - split.next;
  unassigned_.push_back(split);
}

}  // namespace weir::connectors
