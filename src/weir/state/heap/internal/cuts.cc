#include "weir/state/heap/internal/cuts.h"

#include <algorithm>

#include "weir/state/heap/internal/copy_slots.h"

namespace weir::state::heap {
namespace {

// Numbers are compared within 2^15 of each other.
constexpr int kCutsUntilSweep = 30'000;
constexpr int kCutsMax = 32'000;
// Who aborts and completes nothing must not make the list grow for ever.
constexpr std::size_t kDoneMax = 64;

}  // namespace

Cuts::Cuts(memory::StagingPool& pool, memory::RoomListener& listener, std::uint64_t entry_bytes_max,
           bool tracks_changes)
    : pool_(pool),
      listener_(listener),
      entry_bytes_max_(entry_bytes_max),
      tracks_changes_(tracks_changes) {}

Cuts::~Cuts() { pool_.forget(listener_); }

void Cuts::add_table(Encoders encoders) {
  WEIR_CHECK(open_.empty());
  tables_.push_back(std::move(encoders));
}

OpenCut* Cuts::find(CutNumber number) const {
  for (const auto& cut : open_)
    if (cut->number == number) return cut.get();
  return nullptr;
}

bool Cuts::wants_sweep() const {
  return open_.empty() && static_cast<CutNumber>(newest_ - swept_) >= kCutsUntilSweep;
}

void Cuts::swept() {
  swept_ = newest_;
  done_.clear();
  forget_base();
}

Result<CutTaken> Cuts::take(CheckpointId id, CutKind kind, SnapshotOutput& output,
                            std::uint64_t state_bytes) {
  if (open_.size() == KeyedBackend::kOpenCutsMax ||
      static_cast<CutNumber>(newest_ - swept_) >= kCutsMax) {
    return Error{Code::kUnavailable,
                 "cutting keyed state for checkpoint " + std::to_string(id.value) +
                     ": the cuts of checkpoints " + std::to_string(open_.front()->id.value) +
                     " and " + std::to_string(open_.back()->id.value) + " are still being saved"};
  }
  if (!base_ || !tracks_changes_) kind = CutKind::kWhole;
  auto cut = std::make_unique<OpenCut>();
  cut->id = id;
  cut->number = ++newest_;
  cut->kind = kind;
  if (kind == CutKind::kDelta) cut->base = base_->number;
  cut->output = &output;
  cut->stages.resize(tables_.size());
  open_.push_back(std::move(cut));
  pool_.prepare(state_bytes / 4);
  if (kind == CutKind::kWhole) return CutTaken{};
  return CutTaken{kind, base_->id};
}

void Cuts::close_oldest() {
  OpenCut& cut = *open_.front();
  hand_over_all(cut);
  swept_ = cut.number;
  if (done_.size() == kDoneMax) done_.erase(done_.begin());
  done_.push_back({cut.id, cut.number});
  open_.erase(open_.begin());
}

void Cuts::forget_base() {
  base_.reset();
  first_base_ = static_cast<CutNumber>(newest_ + 1);
}

void Cuts::abort(CheckpointId id) {
  is_blocked_ = false;
  std::erase_if(open_, [&](const std::unique_ptr<OpenCut>& cut) { return cut->id == id; });
  std::erase_if(done_, [&](const Past& past) { return past.id == id; });
}

void Cuts::complete(CheckpointId id) {
  const auto past =
      std::find_if(done_.begin(), done_.end(), [&](const Past& p) { return p.id == id; });
  if (past == done_.end()) return;
  const bool can_be_base = !first_base_ || !is_before(past->number, *first_base_);
  if (can_be_base && (!base_ || is_before(base_->number, past->number))) {
    base_ = *past;
    first_base_.reset();
  }
  done_.erase(past);
}

std::optional<CutNumber> Cuts::oldest_base() const {
  std::optional<CutNumber> oldest;
  if (base_) oldest = base_->number;
  for (const auto& cut : open_) {
    if (cut->kind == CutKind::kDelta && oldest && is_before(cut->base, *oldest)) oldest = cut->base;
  }
  return oldest;
}

bool Cuts::renew(OpenCut& cut, std::uint32_t table, Stream stream, std::size_t bytes) {
  is_blocked_ = false;
  if (bytes > entry_bytes_max_) {
    error_ = Error{Code::kExhausted, "saving an entry of keyed state: state.entry_bytes_max is " +
                                         std::to_string(entry_bytes_max_) + ", the entry has " +
                                         std::to_string(bytes) +
                                         " bytes; raise it, or keep less under one key"};
    return false;
  }
  hand_over(cut, table, stream);
  Stage& stage = cut.stages[table][static_cast<std::size_t>(stream)];
  if (bytes <= pool_.chunk_bytes()) {
    using Urgency = memory::StagingPool::Urgency;
    stage.chunk =
        pool_.take(listener_, stream == Stream::kWrites ? Urgency::kUrgent : Urgency::kCanWait);
  } else {
    auto large = pool_.take_large(bytes, listener_);
    if (!large) {
      error_ = large.error();
      return false;
    }
    stage.chunk = *std::move(large);
  }
  is_blocked_ = !stage.chunk;
  // What waits for more entries in half-filled chunks may be all that there is to wait for.
  if (is_blocked_ && !pool_.awaits_any()) {
    for (auto& other : open_) hand_over_all(*other);
  }
  return !is_blocked_;
}

void Cuts::hand_over(OpenCut& cut, std::uint32_t table, Stream stream) {
  Stage& stage = cut.stages[table][static_cast<std::size_t>(stream)];
  if (stage.used != 0) {
    end_streaming();
    stage.chunk.send();
    cut.output->take({stream == Stream::kDeletes ? BlockKind::kDeletes : BlockKind::kEntries, table,
                      tables_[table][static_cast<std::size_t>(stream)], std::move(stage.chunk),
                      stage.used});
  }
  stage.chunk = {};
  stage.used = 0;
}

void Cuts::hand_over_all(OpenCut& cut) {
  for (std::uint32_t table = 0; table != cut.stages.size(); ++table) {
    for (const auto stream : {Stream::kWrites, Stream::kWalk, Stream::kDeletes})
      hand_over(cut, table, stream);
  }
}

}  // namespace weir::state::heap
