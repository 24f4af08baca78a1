#include "weir/connectors/file/part_writer.h"

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/connectors/api/sink_operator.h"
#include "weir/connectors/file/sink_directory.h"

namespace weir::connectors {
namespace {

// The checkpoint of the first part is aborted before its work begins, the sync of the second part fails, and a third
// checkpoint asks for both again before the Subtask has heard of the failure. Found by the simulator.
TEST(PartWriter, APartWhoseBytesAreDurableIsNotSyncedAgainWhenItsNeighbourFails) {
  test::MemoryFiles disk;
  test::FaultyFiles files(disk);
  test::StepEnv world(files);
  config::Configuration options;
  ASSERT_TRUE(options.declare(kRewindOutput.declaration()));
  ASSERT_TRUE(options.declare(kOverwriteOutput.declaration()));
  SinkContext context{.name = "out[0]",
                      .sink = operator_id_of("out"),
                      .has_checkpoints = true,
                      .env = &world.env(),
                      .options = &options,
                      .post = world.post()};
  PartWriter writer("out", {});
  ASSERT_TRUE(writer.open(context));

  *writer.buffer() += "one\n";
  ASSERT_EQ(writer.stage({1}).size(), 1u);  // and its checkpoint is aborted
  *writer.buffer() += "two\n";
  ASSERT_EQ(writer.stage({2}).size(), 1u);
  const auto second = writer.make_durable();
  const auto third = writer.make_durable();
  world.settle();
  files.fail(files.calls() + 3,
             {});  // sync and close of the first part, then the sync of the second
  std::vector<bool> outcomes;
  second([&](Status status) { outcomes.push_back(bool(status)); });
  third([&](Status status) { outcomes.push_back(bool(status)); });
  world.settle();
  EXPECT_EQ(outcomes, (std::vector<bool>{false, false}));
  EXPECT_EQ(files.failed_call()->name, "sync");
  EXPECT_FALSE(writer.health());
}

}  // namespace
}  // namespace weir::connectors
