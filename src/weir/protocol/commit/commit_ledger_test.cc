#include "weir/protocol/commit/commit_ledger.h"

#include "tests/support/transcript.h"

// Plays testdata/*.txt. The words of the stories:
//
//   begin restored=I pending=A@I,B@I known=I visible=I marker rewind   a new sink, restored or not
//   staged id=I what=A,B            at a barrier
//   complete id=I                   the checkpoint is complete
//   done, failed                    the fate of the batch that is out; code=CODE committed=N
//   end what=A,B                    the input has ended, without checkpoints
//   timer                           now=MS, else the time stays
//   snapshot                        shows what the sink's state would hold
//   may-finish                      shows whether stop and finish may go on
//
// A@3/1 is the committable A that Subtask 1 staged for checkpoint 3; without /1 it is Subtask 0's.
namespace weir::commit {
namespace {

using transcript::Command;
using Lines = std::vector<std::string>;

CheckpointId id_of(std::int64_t value) { return {static_cast<std::uint64_t>(value)}; }

Committable committable_of(const std::string& what, CheckpointId id) {
  return {.checkpoint = id,
          .subtask = {},
          .job = {},
          .sink = operator_id_of("sink"),
          .epoch = {1},
          .what = what,
          .length = 1,
          .checksum = 1};
}

Committable parse(const std::string& text) {
  const auto at = text.find('@');
  const auto slash = text.find('/', at);
  auto out = committable_of(text.substr(0, at), {std::stoull(text.substr(at + 1))});
  if (slash != text.npos)
    out.subtask = {static_cast<std::uint32_t>(std::stoul(text.substr(slash + 1)))};
  return out;
}

std::string text_of(const Committable& c) {
  auto out = c.what + "@" + std::to_string(c.checkpoint.value);
  if (c.subtask.value != 0) out += "/" + std::to_string(c.subtask.value);
  return out;
}

std::string text_of(const std::vector<Committable>& committables) {
  std::string out;
  for (const auto& c : committables) out += " " + text_of(c);
  return out.empty() ? " nothing" : out;
}

class Story {
 public:
  Lines perform(const Command& command) {
    now_ = {command.number_or("now", now_.ns / 1'000'000) * 1'000'000};
    const auto& name = command.name();
    if (name == "begin") return begin(command);
    if (name == "staged") return staged(command);
    if (name == "complete") return tell(CheckpointComplete{id_of(command.number("id")), now_});
    if (name == "done") return tell(CommitDone{batch_, now_});
    if (name == "failed") return failed(command);
    if (name == "timer") return tell(TimerFired{now_});
    if (name == "end") {
      EndedWithoutCheckpoints event{{}, now_};
      for (const auto& what : command.list("what"))
        event.committables.push_back(committable_of(what, {}));
      return tell(event);
    }
    if (name == "snapshot") {
      const auto snapshot = ledger_->snapshot();
      const auto known = snapshot.known_committed;
      return {"holds" + text_of(snapshot.pending) +
              "; known committed: " + (known ? std::to_string(known->value) : "nothing")};
    }
    if (name == "may-finish") return {ledger_->may_finish() ? "yes" : "not yet"};
    command.complain("no command is named " + name);
    return {};
  }

 private:
  Lines begin(const Command& command) {
    ledger_ = std::make_unique<CommitLedger>();
    Restored event{
        .pending = {},
        .known_committed = std::nullopt,
        .restored = std::nullopt,
        .outside = {.highest_visible = std::nullopt, .keeps_marker = command.word("marker")},
        .rewind = command.word("rewind") ? Rewind::kAllowed : Rewind::kRefused,
        .now = now_};
    for (const auto& text : command.list("pending")) event.pending.push_back(parse(text));
    if (command.has("restored")) event.restored = id_of(command.number("restored"));
    if (command.has("known")) event.known_committed = id_of(command.number("known"));
    if (command.has("visible")) event.outside.highest_visible = id_of(command.number("visible"));
    return tell(event);
  }

  Lines staged(const Command& command) {
    Staged event{id_of(command.number("id")), {}, now_};
    for (const auto& what : command.list("what"))
      event.committables.push_back(committable_of(what, event.id));
    return tell(event);
  }

  Lines failed(const Command& command) {
    const bool for_good = command.text_or("code", "unavailable") == "corrupt";
    return tell(CommitFailed{
        batch_, static_cast<std::size_t>(command.number_or("committed", 0)),
        Error{for_good ? Code::kCorrupt : Code::kUnavailable, command.text("what")}, now_});
  }

  Lines tell(const Input& input) {
    Lines out;
    for (const auto& output : ledger_->step(input))
      out.push_back(std::visit([this](const auto& o) { return line_of(o); }, output));
    return out;
  }
  std::string line_of(const Commit& o) {
    batch_ = o.batch;
    return "commit" + text_of(o.committables);
  }
  std::string line_of(const WakeAt& o) {
    return "wake-at " + std::to_string(o.when.ns / 1'000'000);
  }
  std::string line_of(const Fail& o) { return "fail " + o.error.to_string(); }

  std::unique_ptr<CommitLedger> ledger_;
  BatchId batch_{};
  Instant now_{};
};

transcript::Perform make_story() {
  return [story = std::make_shared<Story>()](const Command& command) {
    return story->perform(command);
  };
}

WEIR_STORIES(CommitLedgerStory, make_story);

}  // namespace
}  // namespace weir::commit
