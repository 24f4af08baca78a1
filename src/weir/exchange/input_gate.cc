#include "weir/exchange/input_gate.h"

namespace weir::exchange {

InputGate::InputGate(const std::vector<Channels>& inputs) {
  for (const auto& [input, channels] : inputs) {
    const auto begin = static_cast<std::uint32_t>(channels_.size());
    const auto end = begin + static_cast<std::uint32_t>(channels.size());
    for (Channel* channel : channels) channels_.push_back({input, channel, begin, end});
  }
}

void InputGate::give_back(std::uint32_t channel, stream::BatchPtr batch) {
  const auto& lane = channels_[channel];
  if (lane.channel->has_floating() && !lane.channel->is_wanting()) {
    for (auto other = lane.group_begin; other != lane.group_end; ++other) {
      if (!channels_[other].channel->is_wanting()) continue;
      batch->clear();
      channels_[other].channel->adopt(std::move(batch), *lane.channel);
      return;
    }
  }
  lane.channel->give_back(std::move(batch));
}

}  // namespace weir::exchange
