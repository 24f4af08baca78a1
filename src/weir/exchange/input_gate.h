#pragma once

#include <cstdint>
#include <vector>

#include "weir/exchange/channel.h"

namespace weir::exchange {

// The receiving side of a Subtask: all channels of all its inputs.
//
//   Shape   channels are 0 .. channel_count()-1 for the life of the gate, those of input 0 first
//   Thread  the consuming Subtask's
class InputGate {
 public:
  struct Channels {
    std::uint32_t input;  // the operator's input that they belong to
    std::vector<Channel*> channels;
  };
  explicit InputGate(const std::vector<Channels>& inputs);

  std::uint32_t channel_count() const { return static_cast<std::uint32_t>(channels_.size()); }
  std::uint32_t input_of(std::uint32_t channel) const { return channels_[channel].input; }

  // The next channel after the last one that has an element and that `is_held` does not hold back;
  // nothing where there is none.
  template <class IsHeld>
  std::optional<std::uint32_t> next(IsHeld is_held) {
    for (std::size_t tried = 0; tried != channels_.size(); ++tried) {
      next_ = next_ + 1 < channels_.size() ? next_ + 1 : 0;
      const auto channel = static_cast<std::uint32_t>(next_);
      if (!is_held(channel) && channels_[next_].channel->front()) return channel;
    }
    return std::nullopt;
  }

  // The element that next() found.
  stream::StreamElement& front(std::uint32_t channel) {
    return *channels_[channel].channel->front();
  }
  void pop(std::uint32_t channel) { channels_[channel].channel->pop(); }
  // A batch of that channel that has been read: back to its producer, or to another that needs it
  // more.
  void give_back(std::uint32_t channel, stream::BatchPtr batch);

 private:
  struct Lane {
    std::uint32_t input;
    Channel* channel;
    std::uint32_t group_begin;  // the channels of the same edge, whose batches are alike
    std::uint32_t group_end;
  };
  std::vector<Lane> channels_;
  std::size_t next_ = 0;
};

}  // namespace weir::exchange
