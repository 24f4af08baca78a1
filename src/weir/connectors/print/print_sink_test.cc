#include "weir/connectors/print/print_sink.h"

#include <gtest/gtest.h>

#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"

namespace weir::connectors {
namespace {

class PrintSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    context.env = &world.env();
    context.post = world.post();
    ASSERT_TRUE(writer->open(context));
  }
  std::uint32_t write(std::vector<std::string> lines) {
    stream::RecordBatch<std::string> batch;
    for (auto& line : lines) batch.append() = std::move(line);
    return *writer->write(batch, 0);
  }

  test::MemoryFiles disk;
  test::StepEnv world{disk};
  SinkContext context;
  std::unique_ptr<SinkWriter<std::string>> writer = PrintSink<std::string>().make_writer();
};

TEST_F(PrintSinkTest, ABatchIsPrintedAtOnceAndInOrder) {
  EXPECT_EQ(write({"one", "two"}), 2u);
  EXPECT_FALSE(writer->is_quiet());
  EXPECT_EQ(write({"three"}), 1u);  // While the first is on its way.
  world.settle();
  EXPECT_TRUE(writer->is_quiet());
  EXPECT_EQ(world.printed(), "one\ntwo\nthree\n");
}

TEST_F(PrintSinkTest, ACheckpointWaitsForWhatCameBeforeIt) {
  write({"one"});
  write({"two"});
  bool is_done = false;
  const auto durable = writer->make_durable();
  write({"three"});
  durable([&](const Status& status) {
    EXPECT_TRUE(status);
    EXPECT_TRUE(world.printed().starts_with("one\ntwo\n"));
    is_done = true;
  });
  world.settle();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(world.printed(), "one\ntwo\nthree\n");
}

TEST_F(PrintSinkTest, WhatACheckpointThatIsGivenUpDidNotWaitForIsPrintedAllTheSame) {
  write({"one"});
  write({"two"});
  std::ignore = writer->make_durable();
  world.settle();
  EXPECT_EQ(world.printed(), "one\ntwo\n");
  EXPECT_TRUE(writer->is_quiet());
}

TEST_F(PrintSinkTest, ASlowConsoleMakesRecordsWait) {
  std::uint32_t taken = 1;
  std::uint32_t all = 0;
  while (taken != 0) all += taken = write({std::string(20'000, 'x')});
  EXPECT_EQ(all, 1 + 4u) << "one is being printed, a buffer is full";
  world.settle();
  EXPECT_EQ(write({"y"}), 1u);
}

TEST_F(PrintSinkTest, AConsoleThatIsGoneFailsTheWriterAndItsCheckpoint) {
  world.break_console();
  write({"one"});
  Status outcome;
  writer->make_durable()([&](Status status) { outcome = std::move(status); });
  world.settle();
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_EQ(writer->health().error().code, Code::kUnavailable);
  EXPECT_TRUE(writer->is_quiet());
}

TEST(PrintSink, RecordsArePrintedForPeople) {
  struct Pair {
    int a = 0;
    std::string b;
  };
  test::MemoryFiles disk;
  test::StepEnv world(disk);
  const std::shared_ptr<const Sink<Pair>> sink = AnyPrint{};
  SinkContext context{.env = &world.env(), .post = world.post()};
  EXPECT_EQ(sink->make_committer(context), nullptr);
  const auto writer = sink->make_writer();
  ASSERT_TRUE(writer->open(context));
  stream::RecordBatch<Pair> batch;
  batch.append() = {1, "x"};
  ASSERT_TRUE(writer->write(batch, 0));
  world.settle();
  EXPECT_EQ(world.printed(), "{a: 1, b: \"x\"}\n");
}

}  // namespace
}  // namespace weir::connectors
