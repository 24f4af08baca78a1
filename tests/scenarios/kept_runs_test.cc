// What is left of a job from earlier processes, and what may not be lost of it: damaged checkpoints, a
// run begun anew that is refused, a clock that has stepped back.

#include "tests/scenarios/copying_machine.h"
#include "tests/support/kept_log.h"

namespace weir::scenarios {
namespace {

// ---- Checkpoints that are damaged ----

// The paths of the retained checkpoints' _metadata, oldest first.
std::vector<std::string> metadata_paths(const sim::SimDisk& disk) {
  std::vector<std::pair<std::uint64_t, std::string>> numbered;
  for (const auto& path : disk.paths()) {
    const auto at = path.find("/chk-");
    if (at != std::string::npos && path.ends_with("/_metadata"))
      numbered.emplace_back(std::stoul(path.substr(at + 5)), path);
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::string> paths;
  for (auto& [id, path] : numbered) paths.push_back(std::move(path));
  return paths;
}

// The path as errors name it, below the job's directory.
std::string in_job(const std::string& path) { return path.substr(std::string("c/copy/").size()); }

cluster::EngineOptions retaining_three() {
  auto options = options_of();
  options.checkpoints.retained = 3;
  return options;
}

TEST(DamagedCheckpoint, AnOlderOneIsToldOfAndLeftAloneWhileTheJobGoesOnFromTheNewest) {
  for (const bool is_missing : {false, true}) {
    Machine machine;
    machine.suspend_behind(4, retaining_three());
    auto& disk = machine.world.disk();
    const auto kept = metadata_paths(disk);
    ASSERT_EQ(kept.size(), 3u);
    if (is_missing) {
      // Removed as a hand would, from within a process.
      sim::Process hand(machine.world);
      ASSERT_TRUE(hand.env().files.remove(kept[0]));
    } else {
      disk.put(kept[0], "no metadata at all");
    }
    test::KeptLog log(log::Level::kWarning);
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(retaining_three(), copy_job()));
    const auto warnings = log.take("RetainedCheckpointDamaged");
    ASSERT_EQ(warnings.size(), 1u);
    expect_words(warnings[0], {in_job(kept[0])});
    EXPECT_EQ(disk.content(kept[0]).has_value(), !is_missing);
    EXPECT_EQ(machine.wait_for_end(engine).kind, JobEnd::Kind::kFinished);
    EXPECT_EQ(visible(disk), all_lines());
  }
}

TEST(DamagedCheckpoint, TheNewestOneIsRefusedAndNothingOlderTakesItsPlace) {
  Machine machine;
  machine.suspend_behind(4, retaining_three());
  auto& disk = machine.world.disk();
  const auto newest = metadata_paths(disk).back();
  const auto healthy = *disk.content(newest);
  disk.put(newest, "no metadata at all");
  {
    SimEngine engine(machine.world);
    const auto started = engine.start(retaining_three(), copy_job());
    ASSERT_FALSE(started);
    expect_words(started.error().what, {"restoring checkpoint", in_job(newest)});
  }
  disk.put(newest, healthy);
  machine.expect_finishes(retaining_three());
}

// ---- A new run that is refused ----

cluster::EngineOptions anew() {
  auto options = options_of();
  options.restart = true;
  return options;
}

TEST(ARunBegunAnew, ThatItsSinkRefusesLosesNothingOfTheEarlierOne) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  const auto early = visible(machine.world.disk());
  for (int time = 0; time != 2; ++time) {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(anew(), copy_job()));
    const auto end = machine.wait_for_end(engine);
    EXPECT_EQ(end.kind, JobEnd::Kind::kFailed);
    expect_words(end, {"--overwrite-output", "the earlier run of the job is kept"});
    EXPECT_EQ(visible(machine.world.disk()), early);
  }
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.start(options_of(), copy_job()));
  EXPECT_TRUE(engine.engine().restored());
  EXPECT_EQ(machine.wait_for_end(engine).kind, JobEnd::Kind::kFinished);
  EXPECT_EQ(visible(machine.world.disk()), all_lines());
}

TEST(ARunBegunAnew, ThatWasKilledBeforeItsSinkRefusedItGivesWayAtTheNextStart) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(anew(), copy_job()));
    engine.kill();
  }
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(options_of(), copy_job()));
    expect_words(machine.wait_for_end(engine), {"the earlier run of the job is kept"});
  }
  machine.expect_finishes();
}

TEST(ARunBegunAnew, OfAJobThatHadFinishedLeavesItFinishedWhereItIsRefused) {
  Machine machine;
  machine.expect_finishes();
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.start(anew(), copy_job()));
    expect_words(machine.wait_for_end(engine), {"--overwrite-output"});
  }
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.start(options_of(), copy_job()));
  EXPECT_FALSE(engine.has_engine()) << "it is over already";
  EXPECT_EQ(visible(machine.world.disk()), all_lines());
}

TEST(ARunBegunAnew, ThatMayOverwriteTakesTheEarlierOnesPlaceAsSoonAsItRuns) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  {
    SimEngine engine(machine.world);
    ASSERT_TRUE(engine.configuration().set(connectors::kOverwriteOutput.key, "true"));
    ASSERT_TRUE(engine.start(anew(), copy_job()));
    machine.wait_for(engine, "subtask.lines -> text files[0].records_read", 1);
    engine.kill();
  }
  // It is this run that the plain command goes on with: the other's output is gone.
  machine.expect_finishes();
}

// ---- What is left of runs that nothing names any more ----

// The directories of runs that hold anything.
std::set<std::string> runs_with_files(const sim::SimDisk& disk) {
  std::set<std::string> runs;
  for (const auto& path : disk.paths())
    if (path.starts_with("c/copy/") && path.find('/', 7) != std::string::npos)
      runs.insert(path.substr(7, path.find('/', 7) - 7));
  return runs;
}

// Starts the job anew over the output of the run before, and kills it behind its second checkpoint.
void kill_a_new_run(Machine& machine) {
  auto options = anew();
  options.overwrite_output = true;
  SimEngine engine(machine.world);
  ASSERT_TRUE(engine.configuration().set(connectors::kOverwriteOutput.key, "true"));
  ASSERT_TRUE(engine.start(options, copy_job()));
  machine.wait_for(engine, "checkpoint.completed", 2);
  engine.kill();
}

TEST(RunsThatWereGivenUp, LeaveNothingBesideTheOneThatRuns) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  for (int time = 0; time != 3; ++time) {
    kill_a_new_run(machine);
    EXPECT_EQ(runs_with_files(machine.world.disk()).size(), 1u) << time;
  }
  machine.expect_finishes();
  EXPECT_TRUE(runs_with_files(machine.world.disk()).empty());
}

TEST(RunsThatWereGivenUp, GoWhereverTheSweepIsInterrupted) {
  for (int k = 1;; ++k) {
    Machine machine;
    machine.suspend_behind(3, options_of());
    auto& disk = machine.world.disk();
    const auto earlier = *runs_with_files(disk).begin();
    int calls = 0;
    {
      auto options = anew();
      options.overwrite_output = true;
      SimEngine engine(machine.world);
      ASSERT_TRUE(engine.configuration().set(connectors::kOverwriteOutput.key, "true"));
      disk.after_each_call([&](const sim::IoCall& call) {
        if (call.path.find(earlier) != std::string::npos && ++calls == k) engine.kill();
      });
      ASSERT_TRUE(engine.start(options, copy_job()));
      machine.wait([&] { return engine.is_killed() || engine.end(); });
      disk.after_each_call({});
    }
    disk.crash(sim::CrashMode::kKeepNothing);
    {
      SimEngine resumed(machine.world);
      ASSERT_TRUE(resumed.start(options_of(), copy_job()));
      EXPECT_FALSE(runs_with_files(disk).contains(earlier)) << "call " << k;
      EXPECT_EQ(machine.wait_for_end(resumed).kind, JobEnd::Kind::kFinished);
    }
    EXPECT_TRUE(runs_with_files(disk).empty()) << "call " << k;
    if (calls < k) break;
    ASSERT_LT(k, 100);
  }
}

TEST(RunsThatWereGivenUp, AreNoReasonToStopWhereTheyCannotBeRemoved) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  auto& disk = machine.world.disk();
  const auto earlier = "c/copy/" + *runs_with_files(disk).begin();
  disk.set_read_only(earlier, true);
  test::KeptLog log(log::Level::kWarning);
  kill_a_new_run(machine);
  const auto warnings = log.take("LeftoverNotRemoved");
  ASSERT_EQ(warnings.size(), 1u);
  expect_words(warnings[0], {earlier});
  disk.set_read_only(earlier, false);
  machine.expect_finishes();
  EXPECT_TRUE(runs_with_files(disk).empty());
}

TEST(RunsThatWereGivenUp, TakeNothingAlongThatSomebodyPutThere) {
  Machine machine;
  machine.suspend_behind(3, options_of());
  auto& disk = machine.world.disk();
  const auto notes = "c/copy/" + *runs_with_files(disk).begin() + "/notes";
  disk.put(notes, "of a person");
  disk.put("c/copy/backup/chk-1/_metadata", "of a person");
  kill_a_new_run(machine);
  machine.expect_finishes();
  EXPECT_EQ(runs_with_files(disk).size(), 2u);
  EXPECT_EQ(disk.content(notes), "of a person");
  EXPECT_EQ(disk.content("c/copy/backup/chk-1/_metadata"), "of a person");
}

// ---- Time ----

TEST(ClockThatStepsBack, ASuspendedJobResumesADayEarlier) {
  Machine today;
  today.suspend_behind(3, options_of());
  sim::SimOptions options;
  options.wall_start.unix_ms -= std::int64_t{24} * 3'600 * 1'000;
  Machine yesterday(options);
  std::string run;
  for (const auto& path : today.world.disk().paths()) {
    yesterday.world.disk().put(path, *today.world.disk().content(path));
    if (path.ends_with("/run")) run = path;
  }
  const auto job_line = [&] {
    const auto text = *yesterday.world.disk().content(run);
    return text.substr(text.find("job-id="), 7 + 32);
  };
  const auto job = job_line();
  yesterday.expect_finishes();
  EXPECT_EQ(job_line(), job);
  const auto text = *yesterday.world.disk().content(run);
  const auto finished = std::stoll(text.substr(text.find("finished=") + 9));
  EXPECT_LT(finished, sim::SimOptions{}.wall_start.unix_ms);
}

}  // namespace
}  // namespace weir::scenarios
