#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/sink_directory.h"
#include "weir/connectors/file/text_file_sink.h"

namespace weir::connectors {

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
      : job_(job), world_(files) {
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
      context.lists = state::OperatorLists(state::share_of(from.lists, i, parallelism));
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
  test::StepEnv world_;
  config::Configuration options_;
  std::vector<std::unique_ptr<Subtask>> subtasks_;
  std::uint64_t next_ = 1;
  Job::Checkpoint pending_;
};

// A directory, and what a reader sees in it.
class SinkTest : public testing::Test {
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

}  // namespace weir::connectors
