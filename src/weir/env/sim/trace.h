#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "weir/base/log.h"
#include "weir/base/time.h"

namespace weir::sim {

// All that happened in a World, in order, as one running hash: two runs with the same hash were the
// same run. Steps, wake-ups, file calls, crashes and log lines go in; the text only to who listens.
//
//   Thread  the World's
class Trace final : public log::Sink {
 public:
  // `now` is the World's clock and outlives this.
  explicit Trace(const Instant& now) : now_(now) {}

  // One thing that happened: its kind, to whom, and two numbers that tell it from others.
  void record(std::string_view kind, std::string_view subject, std::uint64_t first = 0,
              std::uint64_t second = 0);
  std::uint64_t hash() const { return hash_; }
  std::uint64_t event_count() const { return count_; }
  // Gets each event as a line "<ns> <kind> <subject> <first> <second>". nullptr ends it.
  void listen(std::function<void(std::string_view)> listener) { listener_ = std::move(listener); }

  // As the log's sink, for log::set_sink(): lines from kInfo on are events too.
  bool wants(log::Level level) const override { return level >= log::Level::kInfo; }
  void write(log::Level level, std::string_view line) override;

 private:
  void mix(std::uint64_t value);

  const Instant& now_;
  std::uint64_t hash_ = 0;
  std::uint64_t count_ = 0;
  std::function<void(std::string_view)> listener_;
};

}  // namespace weir::sim
