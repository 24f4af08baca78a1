#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "weir/base/log.h"

namespace weir::simulation {

// What a job is about; several at a time.
enum class PhaseOfJob : std::uint8_t {
  kOpen,      // a process starts: record, lock, retained checkpoints
  kRestore,   // tasks are deployed and get their state
  kProcess,   // records flow and no checkpoint is under way
  kCut,       // a checkpoint was triggered and not every task has taken its cut
  kUpload,    // a cut was taken and is being written
  kPublish,   // _metadata and the pointer are being written
  kCommit,    // output is being made visible
  kStopping,  // an attempt failed and its tasks are being stopped
};
inline constexpr std::array kPhases = {
    PhaseOfJob::kOpen,   PhaseOfJob::kRestore, PhaseOfJob::kProcess, PhaseOfJob::kCut,
    PhaseOfJob::kUpload, PhaseOfJob::kPublish, PhaseOfJob::kCommit,  PhaseOfJob::kStopping};
std::string_view name_of(PhaseOfJob phase);
using PhaseSet = std::bitset<kPhases.size()>;

// Follows a job by the events that it logs, on their way to another sink.
//
//   Thread  one
class PhaseWatcher final : public log::Sink {
 public:
  explicit PhaseWatcher(log::Sink& next) : next_(next) {}

  bool wants(log::Level level) const override {
    return next_.wants(level) || level >= log::Level::kDebug;
  }
  void write(log::Level level, std::string_view line) override;

  void process_begins();
  void process_ends();
  PhaseSet now() const { return phases_; }

  // Called with each event's name and line.
  void on_event(std::function<void(std::string_view, std::string_view)> hook) {
    hook_ = std::move(hook);
  }

 private:
  void set(PhaseOfJob phase, bool is_on) { phases_.set(static_cast<std::size_t>(phase), is_on); }
  void follow(std::string_view event);

  log::Sink& next_;
  PhaseSet phases_;
  std::uint64_t commits_ = 0;
  std::function<void(std::string_view, std::string_view)> hook_;
};

}  // namespace weir::simulation
