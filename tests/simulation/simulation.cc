#include "tests/simulation/simulation.h"

#include <cstdio>

namespace weir::simulation {
namespace {

constexpr char kCheckpointDir[] = "checkpoints";
// A life may take this long before it counts as hanging, in simulated time; after the faults have stopped.
constexpr Duration kPatience = Duration::seconds(600);
// A process that ended badly is started again after this long, as a supervisor would.
constexpr Duration kRestartPause = Duration::millis(100);

}  // namespace

Simulation::Simulation(RunPlan plan)
    : plan_(std::move(plan)),
      world_(plan_.seed, plan_.sim),
      watcher_(world_.trace()),
      workload_(make_workload(plan_.workload)),
      expected_(workload_->expected(plan_)) {
  verdict_.reached = Reached(name_of(plan_.workload));
  log::set_sink(&watcher_);
  workload_->prepare(world_.disk(), plan_);
  world_.on_fault(
      [this](sim::Fault fault) { verdict_.reached.strike(sim::name_of(fault), watcher_.now()); });
  watcher_.on_event([this](std::string_view event, std::string_view line) { follow(event, line); });
}

void Simulation::follow(std::string_view event, std::string_view line) {
  auto& reached = verdict_.reached;
  if (event == "Deploying") {
    if (std::exchange(has_deployed_, true)) {
      ++restarts_;
      reached.count(plan_.has_checkpoints() ? "restore in the same process"
                                            : "begun anew without checkpoints");
    }
  }
  if (event == "CheckpointTriggered") {
    const auto id = std::string(line.substr(line.find("checkpoint=")));
    if (!ids_used_.insert(id).second && !failed()) verdict_.failure = "an id is used again: " + id;
  }
  if (event == "CheckpointComplete") reached.count("checkpoint completed");
  if (event == "CheckpointAborted") reached.count("checkpoint aborted");
  if (event == "BarrierWaits") reached.count("barrier during back-pressure");
  if (event == "CommitRepeated") reached.count("commit repeated after a restore");
  if (event == "FunctionThrew") reached.strike("function threw", watcher_.now());
}

Simulation::~Simulation() { log::set_sink(nullptr); }

void Simulation::listen(std::function<void(std::string_view)> listener) {
  world_.trace().listen(std::move(listener));
}

Verdict Simulation::run() {
  std::size_t number = 0;
  auto end = LifeEnd::kEndedBadly;
  for (const auto& death : plan_.deaths) {
    if (failed()) break;
    end = live(number++, &death);
    check_safety("after a life");
    if (end == LifeEnd::kFinished) break;
  }
  world_.stop_faults();
  may_throw_ = false;
  // A process that ends badly is started again; without faults one start is enough, two if the last fault left the JobMaster
  // unsure.
  // One that has finished says so; without checkpoints nothing is kept that could, and it would be another run.
  if (plan_.has_checkpoints()) end = LifeEnd::kEndedBadly;
  for (int start = 0; start != 3 && end == LifeEnd::kEndedBadly && !failed(); ++start)
    end = live(number++, nullptr);
  check_safety("at the end");
  if (!failed() && end != LifeEnd::kFinished)
    verdict_.failure = end == LifeEnd::kTimeUp
                           ? "the job did not finish after the faults had stopped" + standstill_
                           : "the job ended badly though the faults had stopped";
  if (!failed()) verdict_.failure = missing_in(visible_lines(world_.disk()), expected_);
  if (const auto once = workload_->source_records(plan_); records_read_ > once) {
    verdict_.records_replayed = records_read_ - once;
    verdict_.reached.count("records replayed", verdict_.records_replayed);
  }
  if (!plan_.has_checkpoints() && !failed()) verdict_.reached.count("finished without checkpoints");
  verdict_.trace_hash = world_.trace().hash();
  verdict_.file_calls = world_.disk().call_count();
  return verdict_;
}

Simulation::LifeEnd Simulation::live(std::size_t number, const Death* death) {
  test::SimEngine life(
      world_, {.checkpoint_dir = kCheckpointDir, .inline_bytes_max = plan_.inline_bytes_max});
  watcher_.process_begins();
  has_deployed_ = false;
  const auto die = [&] {
    verdict_.reached.strike(death->power ? "power lost" : "process killed", watcher_.now());
    life.kill();
  };
  const auto first_call = world_.disk().call_count();
  world_.disk().after_each_call([&](const sim::IoCall&) {
    if (death && death->file_call && !life.is_killed() &&
        world_.disk().call_count() - first_call >= *death->file_call)
      die();
  });
  const auto started = begin_life(life, number);
  const auto began = world_.now();
  const auto deadline = death && !death->file_call ? began + death->after : began + kPatience;
  const auto is_over = [&] { return life.is_killed() || life.end() || !started; };
  auto ran = world_.run(is_over, deadline);
  world_.disk().after_each_call({});

  if (!is_over() && death && !death->file_call) {
    if (death->kind == Death::Kind::kCrash) {
      die();
    } else {
      let_end(life, *death);
      ran = world_.run(is_over, world_.now() + kPatience);
      if (!is_over()) verdict_.failure = "asked to end, the job did not";
    }
  }
  const auto end = life.is_killed() ? LifeEnd::kDied : judge(life, started, ran);
  watcher_.process_ends();
  records_read_ += life.metrics().sum("subtask.", ".records_read");
  life.destroy();
  if (end == LifeEnd::kDied && death->power) world_.disk().crash(*death->power);
  if (end != LifeEnd::kFinished) world_.run(world_.now() + kRestartPause);
  return end;
}

// How a life ended that nobody killed.
Simulation::LifeEnd Simulation::judge(test::SimEngine& life, const Status& started,
                                      const sim::RunResult& ran) {
  if (started && !life.end()) {
    for (const auto& line : life.engine().task_manager().describe()) standstill_ += "; " + line;
    if (ran.why == sim::RunResult::Why::kNothingLeft) {
      verdict_.failure = "nothing moves any more, though the job is not over:";
      for (const auto& name : ran.unfinished) verdict_.failure += " " + name;
    }
    return LifeEnd::kTimeUp;
  }
  if (started && life.end()->kind == jobmaster::JobEnd::Kind::kFinished) return LifeEnd::kFinished;
  if (started && life.end()->kind == jobmaster::JobEnd::Kind::kSuspended)
    verdict_.reached.count("suspended by hand");
  std::optional<Error> error;
  if (!started) error = started.error();
  if (started) error = life.end()->error;
  // No fault of ours makes an error for good, which would need a hand.
  if (error && is_for_good(error->code))
    verdict_.failure = "the job failed for good: " + error->to_string();
  return LifeEnd::kEndedBadly;
}

// As a hand does that stops a process and starts it again, or as time does where it must not be stopped.
void Simulation::let_end(test::SimEngine& life, const Death& death) {
  if (death.kind == Death::Kind::kSuspended) {
    verdict_.reached.strike("asked to suspend", watcher_.now());
    life.engine().job_master().suspend();
  } else {
    world_.stop_faults();
  }
}

Status Simulation::begin_life(test::SimEngine& life, std::size_t number) {
  datastream::ProgramBuilder builder;
  auto plan = plan_;
  if (!may_throw_) plan.throw_one_in = 0;
  const auto& scale = plan_.scale_of(number);
  if (number > 0 && (scale.keyed != plan_.scale_of(number - 1).keyed ||
                     scale.sources != plan_.scale_of(number - 1).sources))
    verdict_.reached.count("restore at another parallelism");
  workload_->build(builder, plan, scale);
  auto options = plan_.engine;
  // Some plans give checkpoints less time than their disk takes; in the end they must be able to
  // complete.
  if (!may_throw_) options.checkpoints.timeout = Duration::seconds(30);
  auto started = life.start(options, builder.build(plan_.engine.job_name, graph::Chaining::kOn));
  if (life.has_engine())
    verdict_.reached.count(life.engine().restored() ? "restore in a new process"
                                                    : "restore from nothing");
  return started;
}

void Simulation::check_safety(const char* when) {
  if (failed()) return;
  const auto wrong = wrong_in(visible_lines(world_.disk()), expected_, repeats());
  if (!wrong.empty()) verdict_.failure = std::string(when) + ": " + wrong;
}

}  // namespace weir::simulation
