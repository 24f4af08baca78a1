#include "weir/protocol/alignment/barrier_aligner.h"

#include "tests/support/transcript.h"
#include "weir/base/mutant.h"
#include "weir/base/random.h"

// Plays testdata/*.txt. The words of the stories:
//
//   aligner channels=N             a new Subtask
//   barrier channel=C id=I         a barrier was read from the channel
//   trigger id=I                   the coordinator triggers the Subtask itself
//   end channel=C                  nothing will come from the channel any more
//   abort id=I                     the coordinator has aborted the checkpoint
//   processed bytes=B              records were processed
//   figures                        what the last alignment cost
//
// What comes out is the verdict, and which channels are held after it.
namespace weir::alignment {
namespace {

using transcript::Command;
using Lines = std::vector<std::string>;

CheckpointBarrier barrier_of(std::uint64_t id) {
  return {.id = {id}, .triggered_at = {}, .target = {}};
}

class Story {
 public:
  Lines perform(const Command& command) {
    now_ = {command.number_or("now", now_.ns / 1'000'000) * 1'000'000};
    const auto& name = command.name();
    if (name == "aligner") {
      channels_ = static_cast<ChannelIndex>(command.number("channels"));
      aligner_ = std::make_unique<BarrierAligner>(channels_);
      return {};
    }
    if (name == "barrier")
      return show(aligner_->on_barrier(channel(command), barrier(command), now_));
    if (name == "trigger") return show(aligner_->on_trigger(barrier(command), now_));
    if (name == "end") return show(aligner_->on_end(channel(command), now_));
    if (name == "abort") {
      const bool let_go = aligner_->on_aborted({static_cast<std::uint64_t>(command.number("id"))});
      return {(let_go ? "let go" : "go on") + held()};
    }
    if (name == "processed") {
      aligner_->on_processed(static_cast<std::uint64_t>(command.number("bytes")));
      return {};
    }
    if (name == "figures") return figures();
    command.complain("no command is named " + name);
    return {};
  }

 private:
  static ChannelIndex channel(const Command& command) {
    return static_cast<ChannelIndex>(command.number("channel"));
  }
  static CheckpointBarrier barrier(const Command& command) {
    return barrier_of(static_cast<std::uint64_t>(command.number("id")));
  }

  Lines show(const Answer& answer) const {
    std::string line = std::string(verdict_name(answer.verdict));
    if (answer.verdict == Verdict::kSnapshot)
      line += " " + std::to_string(aligner_->barrier().id.value);
    if (answer.abandoned) line += ", abandon " + std::to_string(answer.abandoned->value);
    return {line + held()};
  }
  std::string held() const {
    std::string line;
    for (ChannelIndex c = 0; c != channels_; ++c)
      if (aligner_->is_held(c)) line += " " + std::to_string(c);
    return line.empty() ? "" : "; held:" + line;
  }
  Lines figures() const {
    const auto& f = aligner_->figures();
    return {"checkpoint " + std::to_string(f.id.value) + ": " +
            std::to_string(f.duration.to_millis()) + " ms, " + std::to_string(f.processed_bytes) +
            " bytes processed meanwhile"};
  }

  std::unique_ptr<BarrierAligner> aligner_;
  ChannelIndex channels_ = 0;
  Instant now_{};
};

transcript::Perform make_story() {
  return [story = std::make_shared<Story>()](const Command& command) {
    return story->perform(command);
  };
}

WEIR_STORIES(BarrierAlignerStory, make_story);

// The slow and obvious way to say the same: everything is worked out anew from what each channel
// did.
class NaiveAligner {
 public:
  explicit NaiveAligner(ChannelIndex channels) : channels_(channels) {}

  Answer on_barrier(ChannelIndex channel, std::uint64_t id) {
    if (id <= ended_id_ || id < current_ || aborted_.contains(id)) return {Verdict::kIgnore, {}};
    Answer answer{Verdict::kHoldBack, {}};
    if (current_ != 0 && id > current_) {
      answer.abandoned = CheckpointId{current_};
      ended_id_ = current_;
      delivered_.clear();
    }
    current_ = id;
    delivered_.insert(channel);
    if (complete()) answer.verdict = Verdict::kSnapshot;
    return answer;
  }
  Answer on_end(ChannelIndex channel) {
    ended_.insert(channel);
    return {current_ != 0 && complete() ? Verdict::kSnapshot : Verdict::kGoOn, {}};
  }
  void on_aborted(std::uint64_t id) {
    aborted_.insert(id);
    if (id != current_) return;
    ended_id_ = current_;
    current_ = 0;
    delivered_.clear();
  }
  bool is_held(ChannelIndex channel) const {
    return delivered_.contains(channel) && !ended_.contains(channel);
  }

 private:
  bool complete() {
    for (ChannelIndex c = 0; c != channels_; ++c)
      if (!delivered_.contains(c) && !ended_.contains(c)) return false;
    ended_id_ = current_;
    current_ = 0;
    delivered_.clear();
    return true;
  }

  ChannelIndex channels_;
  std::uint64_t current_ = 0;  // none: 0
  std::uint64_t ended_id_ = 0;
  std::set<std::uint64_t> aborted_;
  std::set<ChannelIndex> delivered_;
  std::set<ChannelIndex> ended_;
};

// A Subtask with channels of records (0), barriers (their id) and an end; read in an order that a
// seed decides. Some barriers are missing, since a sender had let that checkpoint go.
class Interleaving {
 public:
  explicit Interleaving(std::uint64_t seed)
      : random_(seed),
        count_(static_cast<ChannelIndex>(random_.between(1, 5))),
        aligner_(count_),
        naive_(count_),
        channels_(count_) {
    for (auto& channel : channels_) {
      for (std::uint64_t id = 1; id <= kCheckpoints; ++id) {
        channel.elements.insert(channel.elements.end(), random_.below(4), 0);
        if (random_.one_in(20)) break;  // the channel ends early
        if (!random_.one_in(10)) channel.elements.push_back(id);
      }
    }
  }

  std::string run() {
    while (wrong_.empty()) {
      if (random_.one_in(40)) abort(1 + random_.below(kCheckpoints));
      std::vector<ChannelIndex> readable;
      bool anything_left = false;
      for (ChannelIndex c = 0; c != count_; ++c) {
        if (aligner_.is_held(c) != naive_.is_held(c) && !mutant(Mutant::kHeldBackChannelRead))
          wrong_ = "held differs";
        if (channels_[c].ended) continue;
        anything_left = true;
        if (!aligner_.is_held(c)) readable.push_back(c);
      }
      if (!anything_left) break;
      // The barrier that all the held ones wait for was let go upstream; so the notice comes here
      // too.
      if (readable.empty()) abort(aligner_.barrier().id.value);
      if (!readable.empty()) read(readable[random_.below(readable.size())]);
    }
    return wrong_;
  }

  int snapshots() const { return snapshots_; }

 private:
  static constexpr std::uint64_t kCheckpoints = 8;
  struct Channel {
    std::vector<std::uint64_t> elements;
    std::size_t read = 0;
    bool ended = false;
  };

  void read(ChannelIndex c) {
    auto& channel = channels_[c];
    if (channel.read == channel.elements.size()) {
      channel.ended = true;
      const auto answer = aligner_.on_end(c, {});
      compare(answer, naive_.on_end(c));
      return cut(answer);
    }
    const auto id = channel.elements[channel.read++];
    if (id == 0) return;
    const auto answer = aligner_.on_barrier(c, barrier_of(id), {});
    compare(answer, naive_.on_barrier(c, id));
    cut(answer);
  }

  void abort(std::uint64_t id) {
    aligner_.on_aborted({id});
    naive_.on_aborted(id);
  }

  // At a cut every channel has been read up to the checkpoint's barrier exactly, or has ended
  // before it.
  void cut(const Answer& answer) {
    if (answer.verdict != Verdict::kSnapshot) return;
    ++snapshots_;
    const auto id = aligner_.barrier().id.value;
    if (id <= last_cut_) wrong_ = "cuts are not in order";
    last_cut_ = id;
    for (const auto& channel : channels_) {
      if (channel.ended) continue;
      if (channel.read == 0 || channel.elements[channel.read - 1] != id)
        wrong_ = "an element between the barrier and the cut";
    }
  }

  void compare(const Answer& got, const Answer& want) {
    if (!(got == want) && !mutant(Mutant::kHeldBackChannelRead)) wrong_ = "the answers differ";
  }

  Random random_;
  ChannelIndex count_;
  BarrierAligner aligner_;
  NaiveAligner naive_;
  std::vector<Channel> channels_;
  std::uint64_t last_cut_ = 0;
  int snapshots_ = 0;
  std::string wrong_;
};

TEST(BarrierAligner, CutsAtTheBarrierOnEveryChannelInWhateverOrderTheyAreRead) {
  int snapshots = 0;
  for (std::uint64_t seed = 0; seed != 20'000; ++seed) {
    Interleaving interleaving(seed);
    ASSERT_EQ(interleaving.run(), "") << "seed=" << seed;
    snapshots += interleaving.snapshots();
  }
  EXPECT_GT(snapshots, 20'000);
}

#if WEIR_MUTANTS
TEST(BarrierAligner, AHeldChannelThatIsReadIsNoticed) {
  switch_on(Mutant::kHeldBackChannelRead);
  std::string wrong;
  for (std::uint64_t seed = 0; seed != 100 && wrong.empty(); ++seed)
    wrong = Interleaving(seed).run();
  switch_on(Mutant::kNone);
  EXPECT_EQ(wrong, "an element between the barrier and the cut");
}
#endif

TEST(BarrierAligner, RemembersABoundedNumberOfAborts) {
  BarrierAligner aligner(1);
  const auto many = BarrierAligner::kAbortedRemembered + 1;
  for (std::uint64_t id = 1; id <= many; ++id) aligner.on_aborted({id});
  EXPECT_EQ(aligner.on_barrier(0, barrier_of(2), {}).verdict, Verdict::kIgnore);
  EXPECT_EQ(aligner.on_barrier(0, barrier_of(1), {}).verdict, Verdict::kSnapshot);
}

TEST(BarrierAlignerDeathTest, AnotherModeIsRefused) {
  BarrierAligner aligner(1);
  auto barrier = barrier_of(1);
  barrier.alignment = AlignmentMode::kUnaligned;
  EXPECT_DEATH(aligner.on_barrier(0, barrier, {}), "kExactlyOnce");
}

}  // namespace
}  // namespace weir::alignment
