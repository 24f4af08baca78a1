#include "weir/connectors/file/text_file_sink.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/owner_file.h"
#include "weir/connectors/file/part_names.h"
#include "weir/connectors/file/sink_directory.h"

namespace weir::connectors {
namespace {

using Strings = std::vector<std::string>;
using Lines = std::multiset<std::string>;

// A job that writes the numbers 1 .. last, and nothing else: its sink is the real one, with the real ledger, and everything
// around it is played. A completed checkpoint is what the test remembers.
struct Job {
  JobId job{{1}};
  OperatorId sink = operator_id_of("out");
  std::string directory = "out";
  std::uint64_t last = 12;
  bool has_checkpoints = true;
  bool may_overwrite = false;
  bool may_rewind = false;
  TextFilesOptions files{.buffer_bytes = 4, .buffers_max = 2};

  struct Checkpoint {
    CheckpointId id;
    std::uint64_t next = 1;
    std::vector<state::OperatorListState> lists;
  };
  std::vector<Checkpoint> completed;  // oldest first; the newest is restored
  CheckpointId newest_id{};           // never used again, whatever became of it
  Epoch epoch{1};
  AttemptId attempt{};
};

// One deployment of the job's sink.
class Attempt {
 public:
  Attempt(Job& job, test::FaultyFiles& files, std::uint32_t parallelism)
      : job_(job), files_(files), world_(files) {
    std::ignore = options_.declare(kRewindOutput.declaration());
    std::ignore = options_.declare(kOverwriteOutput.declaration());
    if (job.may_rewind) std::ignore = options_.set(kRewindOutput.key, "true");
    if (job.may_overwrite) std::ignore = options_.set(kOverwriteOutput.key, "true");
    ++job.attempt.value;
    for (std::uint32_t i = 0; i != parallelism; ++i)
      subtasks_.push_back(make_subtask(i, parallelism));
  }
  ~Attempt() {
    world_.settle();
    for (const auto& subtask : subtasks_) EXPECT_TRUE(subtask->sink.is_quiet());
  }

  // Opens, writes, checkpoints, finishes; goes as far as `stop_before` says.
  Status run(std::uint64_t stop_before = ~std::uint64_t{0}) {
    WEIR_TRY(open());
    try {
      while (next_ <= job_.last && next_ < stop_before) {
        for (int i = 0; i != 3 && next_ <= job_.last; ++i) WEIR_TRY(write(next_++));
        if (job_.has_checkpoints) WEIR_TRY(checkpoint());
      }
      if (next_ > job_.last) WEIR_TRY(finish());
    } catch (const ErrorException& e) {
      return e.error();
    }
    return ok();
  }
  Status open() {
    for (const auto& subtask : subtasks_) WEIR_TRY(subtask->sink.open(subtask->context));
    return healthy();
  }
  Status write(std::uint64_t number) {
    stream::RecordBatch<std::string> batch({}, 1);
    batch.append() = "number " + std::to_string(number);
    stream::BatchCursor cursor(batch);
    auto& sink = subtasks_[number % subtasks_.size()]->sink;
    while (!cursor.is_done()) {
      if (sink.process(0, cursor, {}) != operators::Progress::kBlockedOnLetter) continue;
      EXPECT_FALSE(sink.is_quiet()) << "it waits for nothing";
      WEIR_TRY(settled());
    }
    return ok();
  }
  // The barrier, and whether all acknowledged it.
  Status barrier() {
    pending_ = {.id = {++job_.newest_id.value}, .next = next_, .lists = {}};
    std::vector<Result<state::OperatorListState>> parts;
    for (const auto& subtask : subtasks_)
      subtask->sink.snapshot(pending_.id)([&](auto lists) { parts.push_back(std::move(lists)); });
    WEIR_TRY(settled());
    EXPECT_EQ(parts.size(), subtasks_.size());
    for (auto& part : parts) {
      WEIR_ASSIGN(auto lists, std::move(part));
      pending_.lists.push_back(std::move(lists));
    }
    return ok();
  }
  void complete() {
    job_.completed.push_back(pending_);
    for (const auto& subtask : subtasks_) subtask->sink.on_checkpoint_complete(pending_.id);
  }
  Status checkpoint() {
    WEIR_TRY(barrier());
    complete();
    return settled();
  }
  Status finish() {
    if (job_.has_checkpoints) {
      WEIR_TRY(checkpoint());
    } else {
      for (const auto& subtask : subtasks_) subtask->sink.on_end_without_checkpoint();
    }
    for (int round = 0; round != 10; ++round) {
      WEIR_TRY(settled());
      bool may_finish = true;
      for (const auto& subtask : subtasks_) may_finish = may_finish && subtask->sink.may_finish();
      if (may_finish) return ok();
      world_.advance(Duration::seconds(10));
      for (const auto& subtask : subtasks_)
        if (subtask->sink.wake_at() <= world_.env().clock.now())
          subtask->sink.on_time(world_.env().clock.now());
    }
    return Error{Code::kTimeout, "the output cannot be committed"};
  }
  Status settled() {
    world_.settle();
    return healthy();
  }

 private:
  struct Subtask {
    operators::OperatorContext context;
    SinkOperator<std::string> sink;
  };

  std::unique_ptr<Subtask> make_subtask(std::uint32_t i, std::uint32_t parallelism) {
    operators::OperatorContext context{.job = job_.job,
                                       .epoch = job_.epoch,
                                       .attempt = job_.attempt,
                                       .id = job_.sink,
                                       .name = "out[" + std::to_string(i) + "]",
                                       .subtask = {i},
                                       .parallelism = parallelism,
                                       .has_checkpoints = job_.has_checkpoints,
                                       .env = &world_.env(),
                                       .options = &options_,
                                       .post = world_.post()};
    if (!job_.completed.empty()) {
      const auto& from = job_.completed.back();
      context.restored = from.id;
      context.restored_lists = state::share_of(from.lists, i, parallelism);
      next_ = from.next;
    }
    const auto sink = std::make_shared<const TextFileSink<std::string>>(job_.directory, job_.files);
    return std::unique_ptr<Subtask>(
        new Subtask{std::move(context), SinkOperator<std::string>(sink)});
  }
  Status healthy() const {
    for (const auto& subtask : subtasks_) WEIR_TRY(subtask->sink.health());
    return ok();
  }

  Job& job_;
  test::FaultyFiles& files_;
  test::StepEnv world_;
  config::Configuration options_;
  std::vector<std::unique_ptr<Subtask>> subtasks_;
  std::uint64_t next_ = 1;
  Job::Checkpoint pending_;
};

class TextFileSinkTest : public testing::Test {
 protected:
  Status run(Job& job, std::uint32_t parallelism = 2) {
    test::FaultyFiles files(disk);
    return Attempt(job, files, parallelism).run();
  }
  // What a reader of the directory sees.
  Lines visible(const std::string& directory = "out") {
    Lines lines;
    for (const auto& name : disk.tree(directory)) {
      if (name[0] == '.') continue;
      auto text = std::string(text_of(*disk.peek(directory + "/" + name)));
      EXPECT_TRUE(text.ends_with('\n')) << name << " is torn";
      for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        lines.insert(text.substr(at, text.find('\n', at) - at));
    }
    return lines;
  }
  static Lines numbers(std::uint64_t last) {
    Lines lines;
    for (std::uint64_t n = 1; n <= last; ++n) lines.insert("number " + std::to_string(n));
    return lines;
  }
  Strings hidden(const std::string& directory = "out") {
    Strings names;
    for (const auto& name : disk.tree(directory))
      if (name[0] == '.') names.push_back(name);
    return names;
  }
  void expect_once(const Job& job, const std::string& what) {
    ASSERT_EQ(visible(job.directory), numbers(job.last)) << what;
    EXPECT_EQ(hidden(job.directory), Strings{".weir-sink"}) << what;
  }
  void put(const std::string& path, std::string_view text) {
    const auto bytes = bytes_of(text);
    disk.poke(path, Bytes(bytes.begin(), bytes.end()));
  }
  static void expect_says(const Status& status, Code code, const Strings& words) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, code) << status.error().what;
    for (const auto& word : words)
      EXPECT_NE(status.error().what.find(word), std::string::npos)
          << status.error().what << "\n  no: " << word;
  }

  test::MemoryFiles disk;
};

TEST_F(TextFileSinkTest, EveryLineIsVisibleOnceInPartsThatSayTheirCheckpoint) {
  Job job{.last = 6};
  ASSERT_TRUE(run(job));
  expect_once(job, "a run without faults");
  EXPECT_EQ(disk.tree("out"),
            (Strings{".weir-sink", "part-0-1", "part-0-2", "part-1-1", "part-1-2"}));
  EXPECT_EQ(text_of(*disk.peek("out/part-1-1")), "number 1\nnumber 3\n");
}

// SK-02, SK-11
TEST_F(TextFileSinkTest, AnIntervalWithoutRecordsMakesNoPart) {
  Job job;
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 1);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.checkpoint());
  ASSERT_TRUE(attempt.write(1));
  ASSERT_TRUE(attempt.checkpoint());
  ASSERT_TRUE(attempt.checkpoint());
  EXPECT_EQ(disk.tree("out"), (Strings{".weir-sink", "part-0-2"}));
  EXPECT_TRUE(job.completed.back().lists[0].elements("committables").empty());
}

TEST_F(TextFileSinkTest, NothingIsVisibleBeforeItsCheckpointIsComplete) {
  Job job;
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 1);
  ASSERT_TRUE(attempt.open());
  ASSERT_TRUE(attempt.write(1));
  ASSERT_TRUE(attempt.barrier());
  EXPECT_EQ(visible(), Lines{});
  ASSERT_TRUE(attempt.write(2));
  ASSERT_TRUE(attempt.settled());
  attempt.complete();
  ASSERT_TRUE(attempt.settled());
  EXPECT_EQ(visible(), Lines{"number 1"});
}

TEST_F(TextFileSinkTest, WhatIsAcknowledgedSurvivesAPowerCut) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
    for (std::uint64_t n = 1; n != 10; ++n) ASSERT_TRUE(attempt.write(n));
    ASSERT_TRUE(attempt.barrier());
  }
  disk.cut_power();
  EXPECT_EQ(hidden().size(), 3u) << "the owner file and two staged parts";
}

// The heart of it: the process dies at any call of the disk, with and without the power.
TEST_F(TextFileSinkTest, ACrashAtAnyCallOfTheDiskLosesAndDoublesNothing) {
  for (const bool is_power_cut : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      Job job{.directory = "out" + std::to_string(is_power_cut) + "-" + std::to_string(k)};
      const auto what =
          "a crash at call " + std::to_string(k) + (is_power_cut ? " with the power" : "");
      test::FaultyFiles files(disk);
      files.die_at(k);
      const auto first = Attempt(job, files, 2).run();
      if (files.calls() < k) {
        ASSERT_TRUE(first) << first.error().what;
        EXPECT_GT(k, 60u);
        break;
      }
      if (is_power_cut) disk.cut_power();
      // The outcome of a call that fails in the last moment may not reach anybody any more.
      const auto seen = visible(job.directory);
      for (const auto& line : seen) EXPECT_EQ(seen.count(line), 1u) << what << ": " << line;
      ++job.epoch.value;
      const auto second = run(job, 1 + static_cast<std::uint32_t>(k % 3));
      ASSERT_TRUE(second) << what << ": " << second.error().what;
      expect_once(job, what);
    }
  }
}

// Twice in a row: what recovery does may itself be cut off.
TEST_F(TextFileSinkTest, ACrashDuringRecoveryLosesAndDoublesNothing) {
  for (std::uint64_t k = 20; k < 60; k += 7) {
    for (std::uint64_t again = 1;; ++again) {
      Job job{.directory = "out" + std::to_string(k) + "-" + std::to_string(again)};
      const auto what = "crashes at calls " + std::to_string(k) + " and " + std::to_string(again);
      test::FaultyFiles first(disk);
      first.die_at(k);
      std::ignore = Attempt(job, first, 2).run();
      disk.cut_power();
      ++job.epoch.value;
      test::FaultyFiles second(disk);
      second.die_at(again);
      std::ignore = Attempt(job, second, 3).run();
      if (second.calls() < again) break;
      disk.cut_power();
      ++job.epoch.value;
      const auto last = run(job, 1);
      ASSERT_TRUE(last) << what << ": " << last.error().what;
      expect_once(job, what);
    }
  }
}

// SK-09 among them: a rename that was done and whose reply was lost.
TEST_F(TextFileSinkTest, AnErrorAtAnyCallOfTheDiskLosesAndDoublesNothing) {
  using Deed = test::FaultyFiles::Deed;
  for (const auto code : {Code::kUnavailable, Code::kExhausted}) {
    for (const auto deed : {Deed::kNotDone, Deed::kDone}) {
      for (std::uint64_t k = 1;; ++k) {
        Job job{.directory = "out" + std::to_string(int(code)) + "-" + std::to_string(int(deed)) +
                             "-" + std::to_string(k)};
        test::FaultyFiles files(disk);
        files.fail(k, {.code = code, .deed = deed});
        auto status = Attempt(job, files, 2).run();
        if (files.calls() < k) break;
        const auto what = files.failed_call()->name + " " + files.failed_call()->path;
        // The same process tries again: its next attempt, from the newest completed checkpoint.
        if (!status) {
          EXPECT_FALSE(is_for_good(status.error().code)) << what << ": " << status.error().what;
          status = Attempt(job, files, 2).run();
        }
        ASSERT_TRUE(status) << what << ": " << status.error().what;
        expect_once(job, what);
      }
    }
  }
}

// DK-04: the disk is full for a while.
TEST_F(TextFileSinkTest, ADiskThatIsFullFailsTheAttemptAndItResumesWhenThereIsRoom) {
  Job job;
  test::FaultyFiles files(disk);
  {
    Attempt attempt(job, files, 1);
    ASSERT_TRUE(attempt.open());
    ASSERT_TRUE(attempt.write(1));
    ASSERT_TRUE(attempt.write(2));
    ASSERT_TRUE(attempt.checkpoint());
    job.completed.back().next = 3;
    files.fail(files.calls() + 1, {.code = Code::kExhausted});
    ASSERT_TRUE(attempt.write(3));
    expect_says(attempt.barrier(), Code::kExhausted, {"create", ".staged-"});
  }
  ASSERT_TRUE(Attempt(job, files, 1).run());
  expect_once(job, "the disk was full");
}

// SK-05
TEST_F(TextFileSinkTest, SeveralPendingPartsOfASubtaskAreAllCommittedAfterARestore) {
  Job job{.last = 4};
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 2);
    ASSERT_TRUE(attempt.open());
    ASSERT_TRUE(attempt.write(1));
    ASSERT_TRUE(attempt.write(2));
    ASSERT_TRUE(attempt.barrier());  // It never completes.
    ASSERT_TRUE(attempt.write(3));
    ASSERT_TRUE(attempt.write(4));
    ASSERT_TRUE(attempt.barrier());
    files.die_at(files.calls() + 1);  // It completes, but nobody comes to commit.
    attempt.complete();
    job.completed.back().next = 5;
  }
  EXPECT_EQ(visible(), Lines{});
  ++job.epoch.value;
  ASSERT_TRUE(run(job, 1));
  expect_once(job, "two pending parts of each of two subtasks");
  EXPECT_EQ(disk.tree("out"),
            (Strings{".weir-sink", "part-0-1", "part-0-2", "part-1-1", "part-1-2"}));
}

TEST_F(TextFileSinkTest, PartsThatBelongToNoCheckpointAreSweptByWhoeverFollowsTheirSubtask) {
  Job job;
  {
    test::FaultyFiles files(disk);
    Attempt attempt(job, files, 3);
    ASSERT_TRUE(attempt.open());
    for (std::uint64_t n = 1; n != 4; ++n) ASSERT_TRUE(attempt.write(n));
    ASSERT_TRUE(attempt.barrier());  // It fails, and so does the attempt.
  }
  const StagedName other_job{
      .job = {{9}}, .sink = job.sink, .subtask = {0}, .epoch = {1}, .attempt = {1}, .after = {7}};
  put("out/" + other_job.text(), "not ours\n");
  EXPECT_EQ(hidden().size(), 1 + 3 + 1u);
  test::FaultyFiles files(disk);
  Attempt attempt(job, files, 2);
  ASSERT_TRUE(attempt.open());
  EXPECT_EQ(hidden(), (Strings{other_job.text(), ".weir-sink"}))
      << "another job's are not ours to remove";
}

TEST_F(TextFileSinkTest, ACommittedPartIsCheckedByLengthAndChecksum) {
  for (const std::string damage : {"", "number 1", "number 2\n"}) {
    Job job{.directory = "out" + damage.substr(0, 8) + std::to_string(damage.size())};
    {
      test::FaultyFiles files(disk);
      Attempt attempt(job, files, 1);
      ASSERT_TRUE(attempt.open());
      ASSERT_TRUE(attempt.write(1));
      ASSERT_TRUE(attempt.checkpoint());
      job.completed.back().next = 2;
    }
    // The checkpoint still holds the part as pending: its commit came after it.
    const auto part = job.directory + "/part-0-1";
    if (damage.empty()) {
      ASSERT_TRUE(disk.remove(part));
    } else {
      put(part, damage);
    }
    ++job.epoch.value;
    const auto status = run(job, 1);
    if (damage.empty()) {
      expect_says(status, Code::kCorrupt,
                  {"neither " + job.directory + "/.staged-", "part-0-1", "Put the file back"});
    } else {
      expect_says(
          status, Code::kCorrupt,
          {part + " is not what was staged", damage.size() == 8 ? "8 bytes, want 9" : "checksum"});
    }
  }
}

// SK-08
TEST_F(TextFileSinkTest, AnOlderCheckpointIsRefusedUnlessTheOutputIsRewound) {
  Job job;
  ASSERT_TRUE(run(job));
  const auto all = disk.tree("out");
  ASSERT_GE(job.completed.size(), 4u);
  job.completed.resize(2);
  ++job.epoch.value;
  const StagedName pending{
      .job = job.job, .sink = job.sink, .subtask = {0}, .epoch = {1}, .attempt = {1}, .after = {4}};
  put("out/" + pending.text(), "staged for a newer checkpoint\n");
  expect_says(run(job), Code::kRefused, {"already visible outside", "--rewind-output"});
  EXPECT_EQ(visible(), numbers(job.last));
  EXPECT_TRUE(disk.peek("out/" + pending.text())) << "a start that is refused removes nothing";
  job.may_rewind = true;
  ASSERT_TRUE(run(job));
  expect_once(job, "after the rewind");
  EXPECT_NE(disk.tree("out"), all);
}

TEST_F(TextFileSinkTest, TwoSinksOfAJobCannotShareADirectory) {
  Job job;
  ASSERT_TRUE(run(job));
  Job other{.sink = operator_id_of("other"), .may_overwrite = true};
  expect_says(run(other), Code::kInvalid,
              {"opening output directory out", "this very job", "directory of its own"});
  EXPECT_EQ(visible(), numbers(job.last));
}

TEST_F(TextFileSinkTest, AnotherJobsSinkCannotTakeTheDirectory) {
  Job job;
  ASSERT_TRUE(run(job));
  Job other{.job = {{2}}, .sink = operator_id_of("other"), .may_overwrite = true};
  expect_says(run(other), Code::kInvalid,
              {"belongs to sink out", job.job.to_hex(), "another directory"});
  EXPECT_EQ(visible(), numbers(job.last));
}

TEST_F(TextFileSinkTest, ForeignFilesAreLeftAlone) {
  for (const char* name : {"thesis.txt", ".hidden", "part-0-1", "below/file"}) {
    const auto directory =
        std::string("out-") + (name[0] == '.' ? name + 1 : std::string(name).substr(0, 4));
    ASSERT_TRUE(disk.make_directories(directory + "/below"));
    put(directory + "/" + name, "precious\n");
    Job job{.directory = directory, .may_overwrite = true};
    expect_says(run(job), Code::kInvalid, {"which is not this job's", "empty directory"});
    EXPECT_EQ(text_of(*disk.peek(directory + "/" + name)), "precious\n");
  }
}

TEST_F(TextFileSinkTest, ANewRunDemandsAnEmptyDirectoryOrOverwritesItsOwnEarlierOutput) {
  for (const bool has_checkpoints : {true, false}) {
    Job old{.directory = "out" + std::to_string(has_checkpoints), .last = 20};
    ASSERT_TRUE(run(old, 3));
    const StagedName staged{.job = old.job,
                            .sink = old.sink,
                            .subtask = {5},
                            .epoch = {1},
                            .attempt = {1},
                            .after = {7}};
    put(old.directory + "/" + staged.text(), "never committed\n");
    put(old.directory + "/_notes", "somebody's\n");
    Job fresh{
        .job = {{2}}, .directory = old.directory, .last = 7, .has_checkpoints = has_checkpoints};
    expect_says(run(fresh), Code::kInvalid,
                {"earlier run", old.job.to_hex(), "--overwrite-output"});
    EXPECT_TRUE(disk.peek(old.directory + "/" + staged.text()));
    fresh.may_overwrite = true;
    ASSERT_TRUE(run(fresh));
    EXPECT_EQ(text_of(*disk.peek(old.directory + "/_notes")), "somebody's\n")
        << "it removes only what is its own";
    ASSERT_TRUE(disk.remove(old.directory + "/_notes"));
    expect_once(fresh, "after overwriting");
  }
}

// Whoever comes first while Subtask 0 is still at it: nothing of the old run is taken for ours, nothing of ours is removed.
TEST_F(TextFileSinkTest, ACrashWhileAnOldRunIsOverwrittenLeavesADirectoryThatCanBeOverwritten) {
  for (std::uint64_t k = 1;; ++k) {
    Job old{.directory = "out" + std::to_string(k), .last = 9};
    ASSERT_TRUE(run(old));
    Job fresh{.job = {{2}}, .directory = old.directory, .last = 5, .may_overwrite = true};
    test::FaultyFiles files(disk);
    files.die_at(k);
    std::ignore = Attempt(fresh, files, 2).run();
    if (files.calls() < k) break;
    disk.cut_power();
    ++fresh.epoch.value;
    const auto status = run(fresh, 2);
    ASSERT_TRUE(status) << k << ": " << status.error().what;
    expect_once(fresh, "a crash at call " + std::to_string(k));
  }
}

TEST_F(TextFileSinkTest, AnErrorWhileAnOldRunIsOverwrittenIsTriedAgain) {
  for (std::uint64_t k = 1;; ++k) {
    Job old{.directory = "out" + std::to_string(k), .last = 20};
    ASSERT_TRUE(run(old));
    Job fresh{.job = {{2}}, .directory = old.directory, .last = 5, .may_overwrite = true};
    test::FaultyFiles files(disk);
    files.fail(k, {.code = Code::kUnavailable});
    auto status = Attempt(fresh, files, 2).run();
    if (files.calls() < k) break;
    if (!status) status = Attempt(fresh, files, 2).run();
    ASSERT_TRUE(status) << k << ": " << status.error().what;
    expect_once(fresh, "an error at call " + std::to_string(k));
  }
}

TEST_F(TextFileSinkTest, ADirectoryStillBeingTakenOverGetsNoVisiblePart) {
  Job old;
  ASSERT_TRUE(run(old));
  PartCommitter committer(disk, "out");
  const StagedName staged{
      .job = {{2}}, .sink = old.sink, .subtask = {1}, .epoch = {1}, .attempt = {1}, .after = {0}};
  put("out/" + staged.text(), "line\n");
  const auto outcome = committer.commit(
      {{.checkpoint = {1}, .subtask = {1}, .job = staged.job, .what = staged.text()}});
  EXPECT_EQ(outcome.committed, 0u);
  expect_says(outcome.status, Code::kUnavailable, {"still belongs to job " + old.job.to_hex()});
}

TEST_F(TextFileSinkTest, ANameFromACheckpointCannotLeadOutOfTheDirectory) {
  PartCommitter committer(disk, "out");
  ASSERT_TRUE(disk.make_directories("out"));
  put("secret", "text\n");
  const auto outcome = committer.commit({{.checkpoint = {1}, .subtask = {0}, .what = "../secret"}});
  expect_says(outcome.status, Code::kCorrupt, {"'../secret'"});
  EXPECT_TRUE(disk.peek("secret"));
}

TEST_F(TextFileSinkTest, ADirectoryThatMayNotBeWrittenEndsTheJobForGood) {
  Job job;
  test::FaultyFiles files(disk);
  files.fail(4, {.code = Code::kRefused});
  const auto status = Attempt(job, files, 1).run();
  EXPECT_EQ(files.failed_call()->name, "create");
  expect_says(status, Code::kRefused, {"create", "out/"});
  EXPECT_TRUE(is_for_good(status.error().code));
}

TEST_F(TextFileSinkTest, AnOwnerFileThatSaysNothingIsAnError) {
  ASSERT_TRUE(disk.make_directories("out"));
  put("out/.weir-sink", "weir-sink 1\n");
  Job job;
  expect_says(run(job), Code::kCorrupt, {"reading out/.weir-sink", "empty the directory"});
}

TEST_F(TextFileSinkTest, InSteadyStateBuffersAreUsedAgain) {
  test::StepEnv world(disk);
  config::Configuration options;
  std::ignore = options.declare(kRewindOutput.declaration());
  std::ignore = options.declare(kOverwriteOutput.declaration());
  SinkContext context{.name = "out[0]",
                      .job = {{1}},
                      .has_checkpoints = true,
                      .env = &world.env(),
                      .options = &options,
                      .post = world.post()};
  PartWriter parts("out", {.buffer_bytes = 100, .buffers_max = 3});
  ASSERT_TRUE(parts.open(context));
  std::size_t waits = 0;
  for (int i = 0; i != 1000; ++i) {
    auto* buffer = parts.buffer();
    for (; !buffer; buffer = parts.buffer()) {
      ++waits;
      ASSERT_FALSE(parts.is_quiet());
      ASSERT_TRUE(world.run_io());
      ASSERT_TRUE(world.run_letter());
    }
    *buffer += "a line of twenty-two b\n";
  }
  EXPECT_EQ(parts.buffers_made(), 3u);
  EXPECT_GT(waits, 100u);
  world.settle();
  EXPECT_TRUE(parts.is_quiet());
}

TEST(PartNames, SayWhatTheySaidWhenTheyAreReadBack) {
  const StagedName staged{.job = {{1, 2}},
                          .sink = operator_id_of("out"),
                          .subtask = {3},
                          .epoch = {4},
                          .attempt = {5},
                          .after = {6}};
  EXPECT_EQ(StagedName::parse(staged.text()), staged);
  EXPECT_TRUE(staged.text().starts_with(".staged-0102")) << staged.text();
  EXPECT_TRUE(staged.text().ends_with("-s3-e4-a5-c6")) << staged.text();
  const VisibleName visible{.subtask = {3}, .checkpoint = {18}};
  EXPECT_EQ(visible.text(), "part-3-18");
  EXPECT_EQ(VisibleName::parse("part-3-18"), visible);
  const OwnerDraftName draft{
      .job = {{1}}, .sink = operator_id_of("out"), .subtask = {0}, .epoch = {1}, .attempt = {2}};
  EXPECT_EQ(OwnerDraftName::parse(draft.text()), draft);
  for (const char* other :
       {"part-3", "part-3-", "part-03-1", "part-3-1x", "part--1-1",
        "part-3-99999999999999999999999", "part-4294967296-1", ".weir-sink", "", "xpart-3-18"}) {
    EXPECT_FALSE(VisibleName::parse(other)) << other;
    EXPECT_FALSE(StagedName::parse(other)) << other;
    EXPECT_FALSE(OwnerDraftName::parse(other)) << other;
  }
}

TEST(SinkOwnerFile, OneOwnerHasOneText) {
  const SinkOwner owner{.job = {{1}}, .sink = operator_id_of("out"), .sink_name = "out 100%\n"};
  const auto text = owner.text();
  const auto again = SinkOwner::parse(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->sink_name, owner.sink_name);
  EXPECT_TRUE(again->is_same_sink_of_job(owner));
  for (std::size_t size = 0; size != text.size(); ++size)
    EXPECT_FALSE(SinkOwner::parse(text.substr(0, size)));
  for (std::size_t at = 0; at != text.size(); ++at) {
    auto damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(SinkOwner::parse(damaged)) << at;
  }
  EXPECT_FALSE(SinkOwner::parse(text + "\n"));
}

}  // namespace
}  // namespace weir::connectors
