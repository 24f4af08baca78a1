#include "weir/protocol/checkpoint/checkpoint_coordinator.h"

#include "tests/support/transcript.h"

// Plays testdata/*.txt. The words of the stories:
//
//   vertex NAME parallelism=P after=A,B forward=C   part of the plan; before `coordinator`
//   coordinator interval=MS timeout=MS ...          a new coordinator, as a new process has
//   start, running, timer, ack, decline, end, finished, reserved, published, read-back, discarded,
//   stop, restart, manual                           one input each; now=MS, else the time stays
//   spoil times=N                                   N checkpoints by hand that are declined at once
//
// `task=sum:0` is Subtask 0 of vertex sum; without task= a command speaks of every Subtask.
namespace weir::checkpoint {
namespace {

using transcript::Command;
using Lines = std::vector<std::string>;

std::string ms(Instant when) { return std::to_string(when.ns / 1'000'000); }
std::string number(CheckpointId id) { return std::to_string(id.value); }
std::string number(const std::optional<CheckpointId>& id) { return id ? number(*id) : "none"; }

FailureReason reason_named(const Command& command, const std::string& name) {
  for (const auto reason : kAllFailureReasons)
    if (reason_name(reason) == name) return reason;
  command.complain("no reason is named " + name);
  return FailureReason::kDeclined;
}

Fate fate_named(const Command& command, const std::string& name) {
  if (name == "durable") return Fate::kDurable;
  if (name == "absent") return Fate::kAbsent;
  if (name == "unknown") return Fate::kUnknown;
  if (name == "sync-failed") return Fate::kSyncFailed;
  command.complain("no fate is named " + name);
  return Fate::kUnknown;
}

class Story {
 public:
  Lines perform(const Command& command) {
    now_ = {command.number_or("now", now_.ns / 1'000'000) * 1'000'000};
    const auto& name = command.name();
    if (name == "vertex") return add_vertex(command);
    if (name == "coordinator") return build(command);
    if (name == "start") return tell(started(command));
    if (name == "timer") return tell(TimerFired{now_});
    if (name == "manual") return manual(command);
    if (name == "spoil") return spoil(command);
    if (name == "running") return for_each<TaskRunning>(command);
    if (name == "end") return for_each<ReachedEnd>(command);
    if (name == "finished") return for_each<TaskFinished>(command);
    if (name == "ack") return ack(command);
    if (name == "decline") return decline(command);
    if (name == "reserved") return tell(reserved(command));
    if (name == "published")
      return tell(Published{checkpoint(command), fate(command), command.text_or("what", ""), now_});
    if (name == "read-back")
      return tell(
          ReadBackDone{checkpoint(command), fate(command), command.text_or("what", ""), now_});
    if (name == "discarded") return tell(Discarded{checkpoint(command), now_});
    if (name == "stop") return tell(Stopped{now_});
    if (name == "restart") return restart(command);
    command.complain("no command is named " + name);
    return {};
  }

 private:
  Lines add_vertex(const Command& command) {
    const auto words = command.words();
    const auto name = words.empty() ? "unnamed" : words.front();
    PlannedVertex vertex{
        .id = {static_cast<std::uint32_t>(plan_.vertices.size())},
        .name = name,
        .parallelism = static_cast<std::uint32_t>(command.number_or("parallelism", 1)),
        .inputs = {},
        .operators = {{operator_id_of(name), name, name, 128}}};
    for (const auto& from : command.list("after"))
      vertex.inputs.push_back({vertex_named(command, from), EdgeShape::kAllToAll});
    for (const auto& from : command.list("forward"))
      vertex.inputs.push_back({vertex_named(command, from), EdgeShape::kForward});
    plan_.vertices.push_back(std::move(vertex));
    return {};
  }

  Lines build(const Command& command) {
    CheckpointOptions options;
    if (command.has("interval")) options.interval = Duration::millis(command.number("interval"));
    options.timeout = Duration::millis(command.number_or("timeout", 600'000));
    options.min_pause = Duration::millis(command.number_or("min-pause", 0));
    options.max_concurrent = static_cast<std::uint32_t>(command.number_or("max-concurrent", 1));
    options.tolerable_failures = static_cast<std::uint32_t>(command.number_or("tolerable", 0));
    options.retained = static_cast<std::uint32_t>(command.number_or("retained", 1));
    core_ = std::make_unique<CheckpointCoordinator>(options, plan_);
    attempt_ = {1};
    return {};
  }

  Started started(const Command& command) {
    Started event{.attempt = attempt_,
                  .restored = std::nullopt,
                  .reserved_up_to = {static_cast<std::uint64_t>(command.number_or("reserved", 0))},
                  .newest_seen = {static_cast<std::uint64_t>(command.number_or("seen", 0))},
                  .retained = {},
                  .wall = {1'700'000'000'000},
                  .now = now_};
    if (command.has("restored"))
      event.restored = CheckpointId{static_cast<std::uint64_t>(command.number("restored"))};
    for (const auto& id : command.list("retained")) {
      CompletedCheckpoint old;
      old.id = {std::stoull(id)};
      event.retained.push_back(old);
    }
    return event;
  }

  Lines restart(const Command& command) {
    attempt_ = {static_cast<std::uint32_t>(command.number("attempt"))};
    return tell(Restarted{attempt_, now_});
  }

  Lines manual(const Command& command) {
    Lines out;
    for (std::int64_t i = 0; i != command.number_or("times", 1); ++i) {
      const auto request = command.number("request") + i;
      append(out, tell(ManualTrigger{{static_cast<std::uint64_t>(request)}, now_}));
    }
    return out;
  }

  // Checkpoints by hand, one after another, each declined at once and cleaned up.
  Lines spoil(const Command& command) {
    Lines out;
    for (std::int64_t i = 0; i != command.number("times"); ++i) {
      std::uint64_t id = 0;
      for (const auto& output : core_->step(ManualTrigger{{1000}, now_}))
        if (const auto* trigger = std::get_if<Trigger>(&output)) id = trigger->barrier.id.value;
      core_->step(Declined{{id}, {{0}, {0}, attempt_}, FailureReason::kDeclined, "", now_});
      core_->step(Discarded{{id}, now_});
      out.push_back("spoiled " + std::to_string(id));
    }
    return {out.front(), "...", out.back()};
  }

  IdsReserved reserved(const Command& command) {
    if (command.has("error")) return {{}, Error{Code::kUnavailable, command.text("error")}, now_};
    return {{static_cast<std::uint64_t>(command.number("up-to"))}, ok(), now_};
  }

  Lines ack(const Command& command) {
    Lines out;
    for (const auto& execution : executions(command)) {
      const auto name = plan_.vertices[execution.vertex.value].name;
      const auto file = command.text_or("file", "chk-" + command.text("checkpoint") + "/" + name +
                                                    "-" + std::to_string(execution.subtask.value));
      Acked event{.id = checkpoint(command),
                  .execution = execution,
                  .snapshot = {.operators = {}, .at_end = command.word("at-end")},
                  .now = now_};
      event.snapshot.operators.push_back(
          {.id = operator_id_of(name), .keyed = {}, .lists = FileHandle{file, 1, 0}});
      append(out, tell(event));
    }
    return out;
  }

  Lines decline(const Command& command) {
    return tell(Declined{checkpoint(command), executions(command).front(),
                         reason_named(command, command.text_or("reason", "declined")),
                         command.text_or("what", ""), now_});
  }

  template <class Event>
  Lines for_each(const Command& command) {
    Lines out;
    for (const auto& execution : executions(command)) append(out, tell(Event{execution, now_}));
    return out;
  }

  Lines tell(const Input& input) {
    Lines out;
    for (const auto& output : core_->step(input))
      std::visit([&](const auto& o) { append(out, lines_of(o)); }, output);
    return out;
  }

  Lines lines_of(const ReserveIds& o) { return {"reserve-ids up-to " + number(o.up_to)}; }
  Lines lines_of(const Trigger& o) {
    std::string line = "trigger " + number(o.barrier.id) + " at";
    for (const auto& execution : o.tasks) line += " " + task(task_of(execution));
    return {line};
  }
  Lines lines_of(const Publish& o) {
    Lines out{"publish " + number(o.checkpoint.id)};
    for (const auto& state : o.checkpoint.operators) {
      std::string line = "  " + state.name + ":";
      for (std::size_t i = 0; i != state.subtasks.size(); ++i) {
        std::vector<FileHandle> files;
        append_files(state.subtasks[i], files);
        for (const auto& file : files) line += " " + file.name;
        if (state.progress[i] == SubtaskProgress::kAtEnd) line += " (at end)";
        if (state.progress[i] == SubtaskProgress::kFinished) line += " (finished)";
      }
      out.push_back(line);
    }
    return out;
  }
  Lines lines_of(const ReadBack& o) { return {"read-back " + number(o.id)}; }
  Lines lines_of(const NotifyComplete& o) {
    return {"notify-complete " + number(o.id) + ", subsumed " + number(o.last_subsumed)};
  }
  Lines lines_of(const NotifyAborted& o) {
    return {"notify-aborted " + number(o.id) + ", latest " + number(o.latest_complete) + ": " +
            failure_sentence(o.reason, o.detail)};
  }
  Lines lines_of(const Discard& o) {
    static constexpr const char* kWhat[] = {"completed", "aborted", "late"};
    std::string line =
        "discard " + std::string(kWhat[static_cast<int>(o.what)]) + " " + number(o.id);
    for (const auto& file : o.files) line += " " + file.name;
    return {line};
  }
  Lines lines_of(const WakeAt& o) { return {"wake-at " + ms(o.when)}; }
  Lines lines_of(const FailJob& o) { return {"fail-job " + o.error.to_string()}; }
  Lines lines_of(const StopJobMaster& o) { return {"stop-job-master " + o.why}; }
  Lines lines_of(const AnswerManual& o) {
    const auto line = "answer " + std::to_string(o.request.value) + ": ";
    return {line + (o.result ? "checkpoint " + number(*o.result) : o.result.error().to_string())};
  }
  Lines lines_of(const Settled& o) { return {"settled, restore from " + number(o.newest)}; }

  static CheckpointId checkpoint(const Command& command) {
    return {static_cast<std::uint64_t>(command.number("checkpoint"))};
  }
  static Fate fate(const Command& command) { return fate_named(command, command.text("fate")); }
  static void append(Lines& out, const Lines& more) {
    out.insert(out.end(), more.begin(), more.end());
  }

  std::string task(TaskId id) const {
    return plan_.vertices[id.vertex.value].name + ":" + std::to_string(id.subtask.value);
  }

  VertexId vertex_named(const Command& command, const std::string& name) const {
    for (const auto& vertex : plan_.vertices)
      if (vertex.name == name) return vertex.id;
    command.complain("no vertex is named " + name);
    return {};
  }

  std::vector<ExecutionId> executions(const Command& command) const {
    const AttemptId attempt{
        static_cast<std::uint32_t>(command.number_or("attempt", attempt_.value))};
    std::vector<ExecutionId> out;
    for (const auto& vertex : plan_.vertices)
      for (std::uint32_t i = 0; i != vertex.parallelism; ++i)
        out.push_back({vertex.id, {i}, attempt});
    const auto wanted = command.list("task");
    if (wanted.empty()) return out;
    std::erase_if(out, [&](const ExecutionId& e) {
      return std::find(wanted.begin(), wanted.end(), task(task_of(e))) == wanted.end();
    });
    if (out.size() != wanted.size()) command.complain("no such task");
    if (out.empty()) out.push_back({});
    return out;
  }

  CheckpointPlan plan_;
  std::unique_ptr<CheckpointCoordinator> core_;
  AttemptId attempt_{1};
  Instant now_{};
};

transcript::Perform make_story() {
  return [story = std::make_shared<Story>()](const Command& command) {
    return story->perform(command);
  };
}

WEIR_STORIES(CheckpointCoordinatorStory, make_story);

}  // namespace
}  // namespace weir::checkpoint
