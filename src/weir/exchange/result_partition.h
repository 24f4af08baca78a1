#pragma once

#include <memory>
#include <vector>

#include "weir/exchange/channel.h"
#include "weir/stream/router.h"

namespace weir::exchange {

// The sending side of one edge of one Subtask: it deals records to the edge's channels.
//
// With a router, records are scattered from the writer's own batch into one open batch per channel.
// Without one, the writer fills the channel's batches itself: open() gives one, push() sends it,
// and with several channels each batch goes to the next.
//
//   Shape   channels are numbered as the consumers of the edge
//   Thread  the producing Subtask's
class ResultPartition {
 public:
  // `router` may be null.
  ResultPartition(const std::vector<Channel*>& channels, std::unique_ptr<stream::Router> router);

  bool is_scattering() const { return router_ != nullptr; }

  // Without a router: a batch to fill, null while none is to be had.
  stream::BatchPtr open();
  // Without a router: sends a batch that open() gave.
  void push(stream::BatchPtr batch);

  // With a router: moves records from `from` on to their channels and returns how many; fewer than
  // all while a channel has no batch to give.
  std::uint32_t scatter(stream::AnyBatch& batch, std::uint32_t from);

  // Sends the open batches, however few records they hold: of all channels, or of those whose
  // consumer idles.
  void flush();
  void flush_to_idle();
  bool is_idle() const;

  // Puts a control element into every channel behind all records. Returns false while some channel
  // has no slot for it; calling again goes on with those. Call flush() before, and send nothing
  // else until it is true.
  bool broadcast(const CheckpointBarrier& barrier);
  bool broadcast(stream::EndOfData end);
  bool broadcast(stream::EndOfPartition end);

  std::size_t channel_count() const { return channels_.size(); }

 private:
  struct Lane {
    Channel* channel;
    stream::BatchPtr open;  // with a router
    bool has_control = false;
  };
  template <class Element>
  bool put_everywhere(const Element& element);
  void flush_lane(std::size_t i);

  std::vector<Lane> channels_;
  const std::unique_ptr<stream::Router> router_;
  std::size_t next_ = 0;  // without a router: whose turn it is
  std::vector<std::uint16_t> target_of_;
  std::uint32_t routed_ = 0;  // records of the batch being scattered whose target is known
  std::vector<stream::AnyBatch*> targets_;
};

}  // namespace weir::exchange
