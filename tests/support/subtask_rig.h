#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/hand_env.h"
#include "weir/base/error_exception.h"
#include "weir/memory/page_source.h"
#include "weir/memory/staging_pool.h"
#include "weir/metrics/registry.h"
#include "weir/storage/memory/memory_storage.h"
#include "weir/task/subtask.h"
#include "weir/types/key_hash.h"

// For the tests of this module: operators that do as they are told, and a Subtask with its
// surroundings, moved by hand.
namespace weir::task::test {

using Numbers = stream::RecordBatch<std::uint64_t>;
using operators::Progress;

// Puts out 0 .. count-1, and remembers in its snapshot how far it is; then ends.
class CountingSource final : public operators::Operator {
 public:
  explicit CountingSource(std::uint64_t count, std::uint32_t per_call = 3)
      : count_(count), per_call_(per_call) {}

  Status open(operators::OperatorContext&) override { return ok(); }
  Progress process(operators::InputIndex, stream::BatchCursor& cursor,
                   operators::Outputs) override {
    cursor.advance(cursor.unread());
    return Progress::kDone;
  }
  bool is_source() const override { return true; }
  Progress produce(operators::Outputs outputs) override {
    for (std::uint32_t i = 0; i != per_call_ && next < count_; ++i) {
      if (outputs[0]->room() == 0) return Progress::kBlockedOnOutput;
      outputs[0]->open_batch<std::uint64_t>().append() = next++;
    }
    return next == count_ ? Progress::kDone : Progress::kMore;
  }
  operators::SnapshotWork snapshot(CheckpointId) override {
    state::OperatorListState lists;
    Bytes bytes;
    ByteWriter(bytes).number(next);
    lists.add("next", bytes);
    return operators::captured(std::move(lists));
  }

  std::uint64_t next = 0;

 private:
  const std::uint64_t count_;
  const std::uint32_t per_call_;
};

// Passes numbers on, and notes everything that is done to it.
class Relay final : public operators::Operator {
 public:
  std::vector<std::string> log;
  std::vector<std::uint64_t> seen;
  std::uint64_t at_finish = 0;  // so many numbers are put out by finish(), one a call
  std::optional<std::uint64_t> throws_at;
  Progress answer = Progress::kDone;  // other than that: nothing is read
  bool may_end = true;
  bool quiet = true;
  Status health_now;
  Status open_status;
  operators::SnapshotWork work;
  std::function<void(operators::OperatorContext&)> on_open;

  Status open(operators::OperatorContext& context) override {
    if (on_open) on_open(context);
    return open_status;
  }
  Progress process(operators::InputIndex, stream::BatchCursor& cursor,
                   operators::Outputs outputs) override {
    if (answer != Progress::kDone) return answer;
    for (; !cursor.is_done(); cursor.advance(1)) {
      if (!outputs.empty() && outputs[0]->room() == 0) return Progress::kBlockedOnOutput;
      const auto number = cursor.batch<std::uint64_t>()[cursor.position()];
      if (number == throws_at) throw std::runtime_error("no " + std::to_string(number));
      seen.push_back(number);
      if (!outputs.empty()) outputs[0]->open_batch<std::uint64_t>().append() = number;
    }
    return Progress::kDone;
  }
  void on_end_of_input(operators::InputIndex input) override {
    log.push_back("end of input " + std::to_string(input));
  }
  Progress finish(operators::Outputs outputs) override {
    if (at_finish == 0) return Progress::kDone;
    if (outputs[0]->room() == 0) return Progress::kBlockedOnOutput;
    outputs[0]->open_batch<std::uint64_t>().append() = 1000 + --at_finish;
    return at_finish == 0 ? Progress::kDone : Progress::kBlockedOnOutput;
  }
  operators::SnapshotWork snapshot(CheckpointId id) override {
    log.push_back("snapshot " + std::to_string(id.value) + " after " + std::to_string(seen.size()));
    return work;
  }
  void on_checkpoint_complete(CheckpointId id) override {
    log.push_back("complete " + std::to_string(id.value));
  }
  void on_checkpoint_aborted(CheckpointId id) override {
    log.push_back("aborted " + std::to_string(id.value));
  }
  void on_end_without_checkpoint() override { log.push_back("end without checkpoint"); }
  void on_hint(SubtaskIndex from, ByteView) override {
    log.push_back("hint " + std::to_string(from.value));
  }
  bool may_finish() const override { return may_end; }
  bool is_quiet() const override { return quiet; }
  Status health() const override { return health_now; }
};

// What a Subtask tells the JobMaster, a line each.
class Listener final : public rpc::JobMasterGateway {
 public:
  void tell(rpc::ToJobMaster message) override {
    EXPECT_EQ(message.epoch, Epoch{1});
    std::visit([this](auto& m) { note(m); }, message.report);
  }
  std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
  std::map<std::uint64_t, checkpoint::SubtaskSnapshot> acknowledged;
  std::map<std::uint64_t, rpc::SnapshotTimings> timings;

 private:
  void note(rpc::TaskRunning&) { lines.push_back("running"); }
  void note(rpc::TaskAtEnd&) { lines.push_back("at end"); }
  void note(rpc::TaskFinished&) { lines.push_back("finished"); }
  void note(rpc::TaskFailed& m) { lines.push_back("failed: " + m.error.what); }
  void note(rpc::TaskCancelled&) { lines.push_back("cancelled"); }
  void note(rpc::CheckpointAcknowledged& m) {
    lines.push_back("ack " + std::to_string(m.id.value) + (m.snapshot.at_end ? " at end" : ""));
    acknowledged[m.id.value] = std::move(m.snapshot);
    timings[m.id.value] = m.timings;
  }
  void note(rpc::CheckpointDeclined& m) {
    lines.push_back("declined " + std::to_string(m.id.value) + ": " + m.detail);
  }
};

struct RigOptions {
  std::uint32_t inputs = 0;  // channels, all of input 0
  bool has_output = false;   // one channel
  bool has_checkpoints = true;
  bool was_finished = false;
  std::uint32_t batch_records = 4;
  state::StateBackend* backend = nullptr;  // of operator 0; its input then has key hashes
  std::uint64_t staging_bytes_max = std::uint64_t{1} << 20;
  std::size_t staging_chunk_bytes = std::size_t{64} << 10;
  exchange::GateLimits limits{.batches_per_channel = 2, .floating_batches = 0};
};

// One Subtask between channels that the test fills and empties.
class SubtaskRig {
 public:
  SubtaskRig(std::vector<std::unique_ptr<operators::Operator>> ops, RigOptions options = {})
      : prototype({.timestamps = false, .hashes = options.backend != nullptr},
                  options.batch_records),
        vault(std::make_shared<storage::MemoryVault>()),
        storage(vault, "run"),
        staging(
            {.limit_bytes = options.staging_bytes_max, .chunk_bytes = options.staging_chunk_bytes},
            pages) {
    auto parts = bare_parts(options);
    add_input(parts, options);
    add_chain(parts, std::move(ops), options);
    subtask = std::make_unique<Subtask>(std::move(parts));
    waker = &hand.executor.start(*subtask, env::Placement::shared(0));
    for (auto& channel : in) {
      channel->set_consumer(*waker);
      channel->set_producer(other_side);
    }
    for (auto& channel : out) {
      channel->set_producer(*waker);
      channel->set_consumer(other_side);
    }
    subtask->start(*waker);
  }

  // All steps and all I/O.
  void run() { hand.run(); }
  // Steps only.
  void step() { hand.executor.run(); }

  bool send(std::uint32_t channel, std::vector<std::uint64_t> numbers) {
    auto batch = in[channel]->take_empty();
    if (!batch) return false;
    for (const auto n : numbers) {
      if (batch->hashes()) batch->hashes()[batch->size()] = hash_key(n);
      static_cast<Numbers&>(*batch).append() = n;
    }
    in[channel]->push(std::move(batch));
    return true;
  }
  void send_barrier(std::uint32_t channel, std::uint64_t id) {
    in[channel]->push_control(CheckpointBarrier{.id = {id}});
  }
  void send_end(std::uint32_t channel) { in[channel]->push_control(stream::EndOfData{}); }
  void close(std::uint32_t channel) { in[channel]->push_control(stream::EndOfPartition{}); }
  void trigger(std::uint64_t id) { subtask->tell(BarrierDue{{.id = {id}}}); }

  // Takes up to so many elements of the output, each as a word: numbers, "|7" a barrier, "end",
  // "closed".
  std::vector<std::string> receive(std::size_t elements_max = 1'000'000) {
    std::vector<std::string> words;
    for (; elements_max != 0 && out[0]->front(); --elements_max) {
      auto element = std::move(*out[0]->front());
      out[0]->pop();
      if (auto* batch = std::get_if<stream::BatchPtr>(&element)) {
        for (std::uint32_t i = 0; i != (*batch)->size(); ++i)
          words.push_back(std::to_string(static_cast<Numbers&>(**batch)[i]));
        out[0]->give_back(std::move(*batch));
      } else if (auto* barrier = std::get_if<CheckpointBarrier>(&element)) {
        words.push_back("|" + std::to_string(barrier->id.value));
      } else {
        words.push_back(std::holds_alternative<stream::EndOfData>(element) ? "end" : "closed");
      }
    }
    return words;
  }
  // Runs and receives until nothing comes any more.
  std::vector<std::string> run_and_receive() {
    std::vector<std::string> words;
    for (;;) {
      run();
      const auto more = receive();
      if (more.empty()) return words;
      words.insert(words.end(), more.begin(), more.end());
    }
  }
  bool is_done() const { return hand.executor.is_done(*subtask); }

  struct IdleWaker final : env::Waker {
    void became_ready() override {}
  };

  weir::test::HandEnv hand;
  const Numbers prototype;
  std::shared_ptr<storage::MemoryVault> vault;
  storage::MemoryStorage storage;
  memory::HeapPages pages;
  memory::StagingPool staging;
  metrics::Registry metrics;
  Listener master;
  IdleWaker other_side;
  exchange::FloatingBatches floating{0, Numbers{}};
  std::vector<std::unique_ptr<exchange::Channel>> in;
  std::vector<std::unique_ptr<exchange::Channel>> out;
  state::KeyedBackend* keyed = nullptr;
  env::Waker* waker = nullptr;
  std::unique_ptr<Subtask> subtask;

 private:
  SubtaskParts bare_parts(const RigOptions& options) {
    return {.execution = {{1}, {0}, {1}},
            .name = "rig[0]",
            .was_finished = options.was_finished,
            .has_checkpoints = options.has_checkpoints,
            .epoch = {1},
            .job = {},
            .chain = nullptr,
            .gate = nullptr,
            .contexts = {},
            .open = {},
            .env = hand.env,
            .job_master = {{1}, master},
            .storage = options.has_checkpoints ? &storage : nullptr,
            .metrics = metrics};
  }

  void add_input(SubtaskParts& parts, const RigOptions& options) {
    exchange::InputGate::Channels input{.input = 0, .channels = {}};
    for (std::uint32_t i = 0; i != options.inputs; ++i)
      input.channels.push_back(&add_channel(in, options.limits, prototype));
    parts.input_count = options.inputs == 0 ? 0 : 1;
    parts.gate = std::make_unique<exchange::InputGate>(
        options.inputs == 0 ? std::vector<exchange::InputGate::Channels>{} : std::vector{input});
  }

  void add_chain(SubtaskParts& parts, std::vector<std::unique_ptr<operators::Operator>> ops,
                 const RigOptions& options) {
    std::vector<OperatorChain::Link> links;
    std::vector<operators::OperatorContext*> raw;
    for (std::size_t i = 0; i != ops.size(); ++i) {
      parts.contexts.push_back(context_of(i));
      raw.push_back(parts.contexts.back().get());
      OperatorChain::Link link{.op = std::move(ops[i]), .name = raw[i]->name};
      if (i + 1 != ops.size() || options.has_output)
        link.output = std::make_unique<operators::Output>(
            std::make_unique<Numbers>(stream::Columns{}, options.batch_records),
            std::uint64_t{1} << 20);
      links.push_back(std::move(link));
    }
    std::vector<std::unique_ptr<exchange::ResultPartition>> edges;
    if (options.has_output)
      edges.push_back(std::make_unique<exchange::ResultPartition>(
          std::vector{&add_channel(out, options.limits, Numbers({}, options.batch_records))},
          nullptr));
    parts.chain = std::make_unique<OperatorChain>(std::move(links), std::move(edges));
    parts.open = [raw, this, kind = options.backend](OperatorChain& chain, ChainState& state,
                                                     Subtask& self) -> Status {
      if (kind) WEIR_TRY(add_keyed_state(*kind, *raw[0], state, self));
      for (std::size_t i = 0; i != chain.size(); ++i) WEIR_TRY(chain.op(i).open(*raw[i]));
      return ok();
    };
  }

  std::unique_ptr<operators::OperatorContext> context_of(std::size_t i) {
    auto context = std::make_unique<operators::OperatorContext>();
    context->name = "op" + std::to_string(i) + "[0]";
    context->id = operator_id_of("op" + std::to_string(i));
    context->env = &hand.env;
    context->post = [this, i](std::function<void()> f) { subtask->tell(Call{i, std::move(f)}); };
    return context;
  }

  Status add_keyed_state(state::StateBackend& kind, operators::OperatorContext& context,
                         ChainState& state, Subtask& self) {
    context.key_groups = key_groups_of({0}, {1, context.max_parallelism});
    ChainState::Entry entry{
        .op = 0,
        .account = std::make_unique<memory::Account>("op0", "limit", std::uint64_t{1} << 30),
        .backend = nullptr};
    WEIR_ASSIGN(entry.backend, kind.open({.operator_name = context.name,
                                          .key_groups = context.key_groups,
                                          .max_parallelism = context.max_parallelism,
                                          .account = *entry.account,
                                          .pages = pages,
                                          .staging = staging,
                                          .on_staging_room = self}));
    context.keyed = keyed = entry.backend.get();
    state.add(std::move(entry));
    return ok();
  }
  exchange::Channel& add_channel(std::vector<std::unique_ptr<exchange::Channel>>& to,
                                 exchange::GateLimits limits, const Numbers& of) {
    to.push_back(std::make_unique<exchange::Channel>(limits, floating, of));
    return *to.back();
  }
};

template <class... Ops>
std::vector<std::unique_ptr<operators::Operator>> chain_of(std::unique_ptr<Ops>... ops) {
  std::vector<std::unique_ptr<operators::Operator>> chain;
  (chain.push_back(std::move(ops)), ...);
  return chain;
}

}  // namespace weir::task::test
