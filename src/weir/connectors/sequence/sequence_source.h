#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "weir/connectors/api/source.h"
#include "weir/connectors/sequence/sequence_enumerator.h"
#include "weir/types/serializer.h"

namespace weir::connectors {

// Reads runs of numbers and makes a record of each.
//
//   Make  `T make(std::uint64_t number)`, or `void make(std::uint64_t number, T& record)`
//   Errors  kCorrupt: a split that is none
//   Thread  as SourceReader says
template <class T, class Make>
class SequenceReader final : public SourceReader<T> {
 public:
  explicit SequenceReader(Make make) : make_(std::move(make)) {}

  Status open(SourceContext&) override { return ok(); }

  Status add_split(ByteView bytes) override {
    WEIR_ASSIGN(const auto split, deserialize<SequenceSplit>(bytes));
    splits_.push_back(split);
    share_.total += split.end - split.next;
    return ok();
  }

  Result<ReadState> read(stream::RecordBatch<T>& out) override {
    if (is_halted_) return ReadState::kWaits;
    while (!splits_.empty() && splits_.front().next == splits_.front().end) splits_.pop_front();
    if (splits_.empty()) return ReadState::kNeedsSplit;
    auto& split = splits_.front();
    const auto n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(out.room(), split.end - split.next));
    T* records = out.data() + out.size();
    for (std::uint32_t i = 0; i != n; ++i) {
      if constexpr (std::is_invocable_v<Make&, std::uint64_t>) {
        records[i] = make_(split.next + i);
      } else {
        make_(split.next + i, records[i]);
      }
    }
    out.grow(n);
    split.next += n;
    share_.done += n;
    return ReadState::kMore;
  }

  std::vector<Bytes> snapshot() override {
    std::vector<Bytes> splits;
    for (const auto& split : splits_)
      if (split.next != split.end) splits.push_back(serialize(split));
    return splits;
  }

  Schema split_schema() const override { return schema_of<SequenceSplit>(); }

  void halt() override { is_halted_ = true; }
  typename SourceReader<T>::Share progress() const override { return share_; }

 private:
  Make make_;
  std::deque<SequenceSplit> splits_;
  typename SourceReader<T>::Share share_;
  bool is_halted_ = false;
};

// The records made of first .. end-1, in order within each of `splits` pieces (0: one per reader).
//
//   Thread  any; it is only read
template <class T, class Make>
class SequenceSource final : public Source<T> {
 public:
  SequenceSource(std::uint64_t first, std::uint64_t end, std::uint32_t splits, Make make)
      : first_(first), end_(end), splits_(splits), make_(std::move(make)) {}

  std::unique_ptr<SplitEnumerator> make_enumerator() const override {
    return std::make_unique<SequenceEnumerator>(first_, end_, splits_);
  }
  std::unique_ptr<SourceReader<T>> make_reader() const override {
    return std::make_unique<SequenceReader<T, Make>>(make_);
  }
  std::string name() const override { return "sequence"; }
  std::string input() const override {
    return "the numbers " + std::to_string(first_) + " to " + std::to_string(end_ - 1);
  }

 private:
  const std::uint64_t first_;
  const std::uint64_t end_;
  const std::uint32_t splits_;
  const Make make_;
};

}  // namespace weir::connectors
