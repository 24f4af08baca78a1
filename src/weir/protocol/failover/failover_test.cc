#include "weir/protocol/failover/failover.h"

#include "tests/support/transcript.h"

// Plays testdata/*.txt. The words of the stories:
//
//   strategy none | fixed-delay delay=MS attempts=N   a new job, deployed as attempt 1
//   failed code=CODE what="..."                       a task fails; attempt=A, else the current one
//   job-failed code=CODE what="..."                   something else does
//   stopped, timer, cancel, suspend                   one input each; now=MS, else the time stays
namespace weir::failover {
namespace {

using transcript::Command;
using Lines = std::vector<std::string>;

Code code_named(const Command& command, const std::string& name) {
  for (const auto code : {Code::kInvalid, Code::kRefused, Code::kUnavailable, Code::kTimeout,
                          Code::kExhausted, Code::kCorrupt, Code::kFailed})
    if (code_name(code) == name) return code;
  command.complain("no code is named " + name);
  return Code::kFailed;
}

class Story {
 public:
  Lines perform(const Command& command) {
    now_ = {command.number_or("now", now_.ns / 1'000'000) * 1'000'000};
    const auto& name = command.name();
    if (name == "strategy") return build(command);
    if (name == "failed")
      return tell(TaskFailed{{{0}, {0}, attempt(command)}, error(command), now_});
    if (name == "job-failed") return tell(JobFailed{attempt(command), error(command), now_});
    if (name == "stopped") return tell(AllTasksStopped{now_});
    if (name == "timer") return tell(TimerFired{now_});
    if (name == "cancel") return tell(CancelRequested{now_});
    if (name == "suspend") return tell(SuspendRequested{now_});
    command.complain("no command is named " + name);
    return {};
  }

 private:
  Lines build(const Command& command) {
    RestartOptions options = NoRestart{};
    if (command.word("fixed-delay")) {
      FixedDelayRestart fixed;
      if (command.has("delay")) fixed.delay = Duration::millis(command.number("delay"));
      if (command.has("attempts"))
        fixed.attempts = static_cast<std::uint32_t>(command.number("attempts"));
      options = fixed;
    } else if (!command.word("none")) {
      command.complain("which strategy?");
    }
    core_ = std::make_unique<Failover>(options, AttemptId{1});
    return {};
  }

  AttemptId attempt(const Command& command) const {
    return {static_cast<std::uint32_t>(command.number_or("attempt", core_->attempt().value))};
  }
  static Error error(const Command& command) {
    return {code_named(command, command.text_or("code", "failed")), command.text("what")};
  }

  Lines tell(const Input& input) {
    Lines out;
    for (const auto& output : core_->step(input))
      out.push_back(std::visit([](const auto& o) { return line_of(o); }, output));
    return out;
  }
  static std::string line_of(const CancelAll& o) {
    return std::string("cancel-all") + (o.then_restarts ? " then restart" : "") +
           (o.cause ? ": " + o.cause->to_string() : "");
  }
  static std::string line_of(const RestoreAndRestart& o) {
    return "restore-and-restart as attempt " + std::to_string(o.attempt.value);
  }
  static std::string line_of(const WakeAt& o) {
    return "wake-at " + std::to_string(o.when.ns / 1'000'000);
  }
  static std::string line_of(const FailJob& o) { return "fail-job " + o.root_cause.to_string(); }
  static std::string line_of(const JobCancelled&) { return "job-cancelled"; }
  static std::string line_of(const JobSuspended&) { return "job-suspended"; }
  static std::string line_of(const ReportFailure& o) {
    return "report-failure " + o.error.to_string();
  }

  std::unique_ptr<Failover> core_;
  Instant now_{};
};

transcript::Perform make_story() {
  return [story = std::make_shared<Story>()](const Command& command) {
    return story->perform(command);
  };
}

WEIR_STORIES(FailoverStory, make_story);

TEST(Failover, CountsRestartsAndTellsTheFirstFailure) {
  Failover failover(FixedDelayRestart{}, AttemptId{7});
  const auto outputs = failover.step(TaskFailed{{{0}, {0}, {7}}, {Code::kFailed, "first"}, {}});
  failover.step(TaskFailed{{{0}, {1}, {7}}, {Code::kFailed, "second"}, {}});
  failover.step(AllTasksStopped{Instant{} + Duration::seconds(1)});
  EXPECT_EQ(failover.restarts(), 1u);
  EXPECT_EQ(failover.attempt(), AttemptId{8});
  EXPECT_EQ(std::get<CancelAll>(outputs.at(0)).cause->what, "first");
}

}  // namespace
}  // namespace weir::failover
