#include "weir/task/deployment.h"

#include <algorithm>

#include "weir/base/error_exception.h"
#include "weir/task/restore.h"

namespace weir::task {
namespace {

// Where the user's code was copied for `what` and threw: on the JobMaster's thread, which goes on.
template <class Make>
auto made(const std::string& what, Make make) {
  try {
    return make();
  } catch (...) {
    throw ErrorException(caught_error().during("building " + what));
  }
}

std::vector<operators::OperatorContext*> raw(
    const std::vector<std::unique_ptr<operators::OperatorContext>>& contexts) {
  std::vector<operators::OperatorContext*> pointers(contexts.size());
  for (std::size_t i = 0; i != contexts.size(); ++i) pointers[i] = contexts[i].get();
  return pointers;
}

Status open_operator(const TaskManagerParts& parts, const rpc::OperatorRestore* from,
                     graph::NodeId node, std::size_t place, operators::OperatorContext& context,
                     OperatorChain& chain, ChainState& state, Subtask& subtask) {
  if (parts.program.graph.stream.node(node).is_keyed) {
    auto account = std::make_unique<memory::Account>(
        "operator " + context.name, "state.heap_bytes_max", parts.limits.heap_bytes_max);
    WEIR_ASSIGN(auto backend,
                parts.backend.open({.operator_name = context.name,
                                    .key_groups = context.key_groups,
                                    .max_parallelism = context.max_parallelism,
                                    .account = *account,
                                    .pages = parts.pages,
                                    .staging = parts.staging,
                                    .on_staging_room = subtask,
                                    .entry_bytes_max = parts.limits.entry_bytes_max}));
    context.keyed = backend.get();
    state.add({.op = place, .account = std::move(account), .backend = std::move(backend)});
  }
  if (from) {
    WEIR_ASSIGN(auto lists,
                restore_lists(*from, context.subtask, context.parallelism, *parts.storage));
    context.lists = state::OperatorLists(std::move(lists));
  }
  WEIR_TRY(chain.op(place).open(context));
  WEIR_TRY(check_all_declared(context.lists));
  if (from && context.keyed) return restore_keyed(*context.keyed, *from, *parts.storage);
  return ok();
}

// On the I/O pool: the operators declare their state and get what the checkpoint held.
Status open_chain(const TaskManagerParts& parts, std::optional<CheckpointId> restored,
                  const rpc::TaskDeployment& task, const graph::JobVertex& vertex,
                  const std::vector<operators::OperatorContext*>& contexts, OperatorChain& chain,
                  ChainState& state, Subtask& subtask) {
  for (std::size_t i = 0; i != chain.size(); ++i) {
    auto& context = *contexts[i];
    const auto* from = restored ? &task.operators[i] : nullptr;
    auto opened = guarded([&] {
      return open_operator(parts, from, vertex.chain[i], i, context, chain, state, subtask);
    });
    if (!opened) return opened.error().during("opening operator " + context.name);
  }
  return ok();
}

}  // namespace

Deployment::Deployment(const TaskManagerParts& parts, rpc::JobMasterGateway& job_master,
                       const rpc::DeployTasks& message)
    : parts_(parts), graph_(parts.program.graph), job_master_(job_master), message_(message) {}

Status Deployment::build(Attempt& attempt) {
  building_ = message_.tasks.front().execution;
  return guarded([&] {
    for (const auto& edge : graph_.edges)
      attempt.channels.push_back(connect(edge, attempt.floating));
    for (const auto& task : message_.tasks) {
      building_ = task.execution;
      const std::pair key{task.execution.vertex, task.execution.subtask};
      attempt.subtasks.emplace(key, std::make_unique<Subtask>(subtask_parts(task, attempt)));
    }
    return ok();
  });
}

void Deployment::start(Attempt& attempt) const {
  Wakers wakers;
  std::uint32_t next_thread = 0;
  for (auto& [key, subtask] : attempt.subtasks) {
    const bool blocks = graph_.vertex(key.first).blocks;
    const auto placement =
        blocks ? env::Placement::own_thread()
               : env::Placement::shared(next_thread++ % parts_.env.executor.thread_count());
    wakers[key] = &parts_.env.executor.start(*subtask, placement);
  }
  wire(attempt.channels, wakers);
  for (auto& [key, subtask] : attempt.subtasks) subtask->start(*wakers[key]);
}

Attempt::Channels Deployment::connect(const graph::JobEdge& edge,
                                      std::deque<exchange::FloatingBatches>& floating) const {
  const auto producers = graph_.vertex(edge.from).scale.parallelism;
  const auto consumers = graph_.vertex(edge.to).scale.parallelism;
  const bool is_forward = graph_.stream_edge(edge).partitioning == graph::Partitioning::kForward;
  const auto& factory = *parts_.program.factories[graph_.vertex(edge.from).chain.back().value];
  const auto prototype = made(name_of(edge), [&] {
    return factory.make_output(graph_.stream_edge(edge).columns, parts_.limits.batch_records);
  });
  Attempt::Channels channels(std::size_t{producers} * consumers);
  for (std::uint32_t c = 0; c != consumers; ++c) {
    auto& shared = floating.emplace_back(parts_.limits.gate.floating_batches, *prototype);
    for (std::uint32_t p = 0; p != producers; ++p)
      if (!is_forward || p == c)
        channels[std::size_t{p} * consumers + c] =
            std::make_unique<exchange::Channel>(parts_.limits.gate, shared, *prototype);
  }
  return channels;
}

void Deployment::wire(std::vector<Attempt::Channels>& channels, const Wakers& wakers) const {
  for (std::size_t e = 0; e != graph_.edges.size(); ++e) {
    const auto& edge = graph_.edges[e];
    const auto consumers = graph_.vertex(edge.to).scale.parallelism;
    for (std::uint32_t i = 0; i != channels[e].size(); ++i) {
      if (!channels[e][i]) continue;
      channels[e][i]->set_producer(*wakers.at({edge.from, {i / consumers}}));
      channels[e][i]->set_consumer(*wakers.at({edge.to, {i % consumers}}));
    }
  }
}

SubtaskParts Deployment::subtask_parts(const rpc::TaskDeployment& task, Attempt& attempt) const {
  const auto& vertex = graph_.vertex(task.execution.vertex);
  const auto index = task.execution.subtask;
  const auto suffix = "[" + std::to_string(index.value) + "]";

  SubtaskParts parts{.execution = task.execution,
                     .name = vertex.name + suffix,
                     .was_finished = task.was_finished,
                     .has_checkpoints = parts_.storage != nullptr,
                     .moves_per_step = parts_.limits.moves_per_step,
                     .epoch = parts_.epoch,
                     .job = parts_.job,
                     .env = parts_.env,
                     .job_master = {parts_.epoch, job_master_},
                     .storage = parts_.storage,
                     .metrics = parts_.metrics};
  parts.gate = std::make_unique<exchange::InputGate>(
      inputs_of(vertex, index, attempt.channels, parts.input_count));

  std::vector<OperatorChain::Link> links;
  for (const auto node : vertex.chain) {
    const auto name = graph_.stream.node(node).name + suffix;
    links.push_back(made("operator " + name, [&] { return link_of(node, name); }));
    parts.contexts.push_back(context_of(task, vertex, parts.contexts.size(), attempt));
  }
  parts.chain = std::make_unique<OperatorChain>(std::move(links),
                                                partitions_of(vertex, index, attempt.channels));
  parts.open = [this_parts = &parts_, restored = message_.restored, task, &vertex,
                contexts = raw(parts.contexts)](OperatorChain& chain, ChainState& state,
                                                Subtask& subtask) {
    return open_chain(*this_parts, restored, task, vertex, contexts, chain, state, subtask);
  };
  return parts;
}

OperatorChain::Link Deployment::link_of(graph::NodeId node, const std::string& name) const {
  const auto& factory = *parts_.program.factories[node.value];
  OperatorChain::Link link{.op = factory.make(), .name = name, .output = nullptr};
  if (auto batch = factory.make_output(columns_behind(node), parts_.limits.batch_records))
    link.output =
        std::make_unique<operators::Output>(std::move(batch), parts_.limits.overflow_bytes_max);
  return link;
}

std::vector<exchange::InputGate::Channels> Deployment::inputs_of(
    const graph::JobVertex& vertex, SubtaskIndex index,
    const std::vector<Attempt::Channels>& channels, std::uint32_t& input_count) const {
  std::vector<exchange::InputGate::Channels> inputs;
  const auto consumers = vertex.scale.parallelism;
  for (std::size_t e = 0; e != graph_.edges.size(); ++e) {
    if (graph_.edges[e].to != vertex.id) continue;
    exchange::InputGate::Channels input{.input = graph_.stream_edge(graph_.edges[e]).input,
                                        .channels = {}};
    input_count = std::max(input_count, input.input + 1);
    for (std::size_t i = index.value; i < channels[e].size(); i += consumers)
      if (channels[e][i]) input.channels.push_back(channels[e][i].get());
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<std::unique_ptr<exchange::ResultPartition>> Deployment::partitions_of(
    const graph::JobVertex& vertex, SubtaskIndex index,
    const std::vector<Attempt::Channels>& channels) const {
  std::vector<std::unique_ptr<exchange::ResultPartition>> partitions;
  for (std::size_t e = 0; e != graph_.edges.size(); ++e) {
    const auto& edge = graph_.edges[e];
    if (edge.from != vertex.id) continue;
    const auto consumers = graph_.vertex(edge.to).scale.parallelism;
    std::vector<exchange::Channel*> lanes;
    for (std::uint32_t c = 0; c != consumers; ++c)
      if (const auto& channel = channels[e][std::size_t{index.value} * consumers + c])
        lanes.push_back(channel.get());
    const auto& make_router = parts_.program.routers[edge.stream_edge];
    auto router = made(name_of(edge), [&] {
      return make_router ? make_router(graph_.vertex(edge.to).scale.max_parallelism) : nullptr;
    });
    partitions.push_back(std::make_unique<exchange::ResultPartition>(lanes, std::move(router)));
  }
  return partitions;
}

std::string Deployment::name_of(const graph::JobEdge& edge) const {
  const auto& stream = graph_.stream;
  return "the edge from operator " + stream.node(graph_.vertex(edge.from).chain.back()).name +
         " to " + stream.node(graph_.vertex(edge.to).chain.front()).name;
}

// The columns that any edge behind a node wants.
stream::Columns Deployment::columns_behind(graph::NodeId node) const {
  stream::Columns columns;
  for (const auto& edge : graph_.stream.edges) {
    if (edge.from != node) continue;
    columns.timestamps = columns.timestamps || edge.columns.timestamps;
    columns.hashes = columns.hashes || edge.columns.hashes;
  }
  return columns;
}

std::unique_ptr<operators::OperatorContext> Deployment::context_of(const rpc::TaskDeployment& task,
                                                                   const graph::JobVertex& vertex,
                                                                   std::size_t place,
                                                                   Attempt& attempt) const {
  const auto node = vertex.chain[place];
  auto context = std::make_unique<operators::OperatorContext>();
  const auto& stream_node = graph_.stream.node(node);
  context->job = parts_.job;
  context->epoch = parts_.epoch;
  context->attempt = task.execution.attempt;
  context->id = graph::operator_id_of(graph_.stream, node);
  context->uid = stream_node.uid;
  context->name = stream_node.name + "[" + std::to_string(task.execution.subtask.value) + "]";
  context->subtask = task.execution.subtask;
  context->parallelism = vertex.scale.parallelism;
  context->max_parallelism = vertex.scale.max_parallelism;
  context->key_groups = key_groups_of(task.execution.subtask, vertex.scale);
  context->restored = message_.restored;
  context->has_checkpoints = parts_.storage != nullptr;
  context->env = &parts_.env;
  context->options = &parts_.options;
  context->post = [self = task.execution, place, &attempt](std::function<void()> function) {
    attempt.subtasks.at({self.vertex, self.subtask})->tell(Call{place, std::move(function)});
  };
  for (const auto& edge : graph_.edges) {
    if (edge.from == vertex.id)
      context->consumer_parallelism = graph_.vertex(edge.to).scale.parallelism;
    if (edge.to != vertex.id ||
        graph_.stream_edge(edge).partitioning != graph::Partitioning::kDirect)
      continue;
    context->send_hint = [from = task.execution.subtask, to = edge.from, &attempt](Bytes bytes) {
      const auto enumerator = attempt.subtasks.find({to, SubtaskIndex{0}});
      if (enumerator != attempt.subtasks.end())
        enumerator->second->tell(Hint{from, std::move(bytes)});
    };
  }
  return context;
}

}  // namespace weir::task
