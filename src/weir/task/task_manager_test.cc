#include "weir/task/task_manager.h"

#include <algorithm>

#include "tests/support/subtask_rig.h"
#include "weir/state/heap/heap_backend.h"

namespace weir::task::test {
namespace {

// Makes an operator that was made before, once per deployment.
class HandedOut final : public operators::OperatorFactory {
 public:
  using Make = std::function<std::unique_ptr<operators::Operator>()>;
  HandedOut(Make make, bool has_output) : make_(std::move(make)), has_output_(has_output) {}

  std::unique_ptr<operators::Operator> make() const override { return make_(); }
  stream::BatchPtr make_output(stream::Columns columns, std::uint32_t capacity) const override {
    if (!has_output_) return nullptr;
    return std::make_unique<Numbers>(columns, capacity);
  }

 private:
  const Make make_;
  const bool has_output_;
};

// numbers -> relay, on an edge between them.
class TaskManagerTest : public testing::Test {
 protected:
  TaskManagerTest() {
    graph::StreamGraph stream{
        .job_name = "job",
        .nodes = {{.name = "numbers", .uid = "n", .is_source = true},
                  {.name = "relay", .uid = "r", .may_chain = false}},
        .edges = {{.from = {0}, .to = {1}, .partitioning = graph::Partitioning::kForward}}};
    program_.graph = graph::chain(std::move(stream), graph::Chaining::kOn);
    program_.factories = {
        std::make_shared<HandedOut>([] { return std::make_unique<CountingSource>(5); }, true),
        std::make_shared<HandedOut>(
            [this] {
              auto relay = std::make_unique<Relay>();
              relay_ = relay.get();
              relay->on_open = [this](operators::OperatorContext& context) {
                if (on_open_) relay_->open_status = on_open_(context);
              };
              return relay;
            },
            false)};
    program_.routers.resize(1);
    tasks_.connect(master_);
  }

  // Of the first attempt.
  rpc::DeployTasks deployment() const {
    rpc::DeployTasks deploy{.attempt = {1}, .restored = std::nullopt, .tasks = {}};
    for (const auto& vertex : program_.graph.vertices)
      deploy.tasks.push_back({.execution = {vertex.id, {0}, {1}}, .operators = {}});
    return deploy;
  }
  void tell(rpc::Order order, Epoch epoch = kEpoch) {
    tasks_.tell({epoch, std::move(order)});
    hand_.run();
  }

  static constexpr Epoch kEpoch{1};
  weir::test::HandEnv hand_;
  operators::Program program_;
  Listener master_;
  Relay* relay_ = nullptr;  // of the newest attempt
  std::function<Status(operators::OperatorContext&)> on_open_;
  std::shared_ptr<storage::MemoryVault> vault_ = std::make_shared<storage::MemoryVault>();
  storage::MemoryStorage storage_{vault_, "run"};
  state::heap::HeapStateBackend backend_;
  memory::HeapPages pages_;
  memory::StagingPool staging_{{}, pages_};
  metrics::Registry metrics_;
  config::Configuration options_;
  TaskManager tasks_{TaskManagerParts{.program = program_,
                                      .job = {},
                                      .epoch = kEpoch,
                                      .limits = {},
                                      .env = hand_.env,
                                      .storage = &storage_,
                                      .backend = backend_,
                                      .pages = pages_,
                                      .staging = staging_,
                                      .metrics = metrics_,
                                      .options = options_}};
};

TEST_F(TaskManagerTest, RunsWhatIsDeployedUntilItsFinalCheckpointIsComplete) {
  tell(deployment());
  EXPECT_EQ(master_.take(), (std::vector<std::string>{"running", "at end", "running", "at end"}));
  EXPECT_EQ(relay_->seen, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(tasks_.describe(),
            (std::vector<std::string>{"numbers[0] waits for its final checkpoint",
                                      "relay[0] waits for its final checkpoint"}));
  tell(
      rpc::TriggerCheckpoint{{1}, CheckpointBarrier{.id = {7}}, {deployment().tasks[0].execution}});
  EXPECT_EQ(master_.take(), (std::vector<std::string>{"ack 7 at end", "ack 7 at end"}));
  tell(rpc::CheckpointCompleted{{1}, {7}, std::nullopt});
  EXPECT_EQ(master_.take(), (std::vector<std::string>{"finished", "finished"}));
  EXPECT_EQ(relay_->log,
            (std::vector<std::string>{"end of input 0", "snapshot 7 after 5", "complete 7"}));
}

TEST_F(TaskManagerTest, OrdersOfAnotherEpochChangeNothing) {
  for (const auto other : {Epoch{0}, Epoch{2}}) tell(deployment(), other);
  EXPECT_TRUE(tasks_.describe().empty());
  tell(deployment());
  master_.take();
  for (const auto other : {Epoch{0}, Epoch{2}}) {
    tell(
        rpc::TriggerCheckpoint{
            {1}, CheckpointBarrier{.id = {7}}, {deployment().tasks[0].execution}},
        other);
    tell(rpc::CheckpointCompleted{{1}, {7}, std::nullopt}, other);
    tell(rpc::CheckpointAborted{{1}, {7}, std::nullopt}, other);
    tell(rpc::CancelTasks{{1}}, other);
  }
  EXPECT_TRUE(master_.take().empty());
  EXPECT_EQ(relay_->log, (std::vector<std::string>{"end of input 0"}));
  tell(rpc::CancelTasks{{1}});
  EXPECT_EQ(master_.take(), (std::vector<std::string>{"cancelled", "cancelled"}));
}

TEST_F(TaskManagerTest, OrdersOfAnotherAttemptChangeNothing) {
  tell(deployment());
  master_.take();
  tell(rpc::CancelTasks{{2}});
  tell(
      rpc::TriggerCheckpoint{{2}, CheckpointBarrier{.id = {7}}, {deployment().tasks[0].execution}});
  EXPECT_TRUE(master_.take().empty());
}

TEST_F(TaskManagerTest, ListStateIsRestoredOrTheErrorNamesStateAndOperator) {
  state::ListState<std::uint64_t> kept{"kept"};
  state::ListState<std::string> other{"kept"};
  const auto restore_as = [&](AttemptId attempt, state::AnyListState* list) {
    on_open_ = [list](operators::OperatorContext& context) {
      return list ? context.lists.declare(*list) : ok();
    };
    state::OperatorLists lists;
    state::ListState<std::uint64_t> saved{"kept"};
    EXPECT_TRUE(lists.declare(saved));
    saved.update({4, 5});
    auto deploy = deployment();
    deploy.attempt = attempt;
    deploy.restored = CheckpointId{7};
    for (auto& task : deploy.tasks) {
      task.execution.attempt = attempt;
      task.operators.resize(1);
    }
    deploy.tasks[1].operators[0].lists.emplace_back(lists.capture().serialise());
    tell(deploy);
    tell(rpc::CancelTasks{attempt});
    return master_.take();
  };
  const auto restored = restore_as({1}, &kept);
  EXPECT_EQ(restored.front(), "running");
  EXPECT_EQ(kept.get(), (std::vector<std::uint64_t>{4, 5}));
  for (auto* list :
       {static_cast<state::AnyListState*>(&other), static_cast<state::AnyListState*>(nullptr)}) {
    const auto lines = restore_as({list ? 2u : 3u}, list);
    const auto failed = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("failed: ") == 0;
    });
    ASSERT_NE(failed, lines.end());
    EXPECT_NE(failed->find("operator relay[0]"), std::string::npos) << *failed;
    EXPECT_NE(failed->find("list state kept"), std::string::npos) << *failed;
  }
}

}  // namespace
}  // namespace weir::task::test
