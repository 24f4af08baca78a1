#include "weir/task/operator_chain.h"

#include <utility>

namespace weir::task {

using operators::Progress;

OperatorChain::OperatorChain(std::vector<Link> links,
                             std::vector<std::unique_ptr<exchange::ResultPartition>> edges)
    : links_(std::move(links)), cursors_(links_.size()) {
  for (const auto& link : links_) outputs_.push_back(link.output.get());
  // A sink puts nothing out.
  if (outputs_.back()) outlet_ = std::make_unique<Outlet>(*outputs_.back(), std::move(edges));
}

// Where that throws, the blame stays with the outlet: a key selector runs there.
bool OperatorChain::flush(Flush how) {
  if (!outlet_) return true;
  const auto last_called = std::exchange(at_, links_.size());
  const bool is_through = outlet_->drain(how);
  at_ = last_called;
  return is_through;
}

std::string OperatorChain::blamed() const {
  if (at_ != links_.size()) return "operator " + links_[at_].name;
  return "dealing the records of operator " + links_.back().name +
         (outlet_->deals_by_key() ? " by key" : "");
}

Progress OperatorChain::drain() { return drain_behind(0); }

// Empties the output of operator i through all that follows it.
Progress OperatorChain::drain_behind(std::size_t i) {
  if (i + 1 == links_.size())
    return flush(Flush::kFull) ? Progress::kDone : Progress::kBlockedOnOutput;
  if (const auto deeper = drain_behind(i + 1); deeper != Progress::kDone) return deeper;
  while (stream::AnyBatch* batch = outputs_[i]->oldest()) {
    auto& cursor = cursors_[i];
    if (cursor.is_done()) {
      cursor = stream::BatchCursor(*batch);
      ++inner_batches_;
    }
    const auto progress = process_at(i + 1, 0, cursor);
    if (cursor.is_done()) {
      outputs_[i]->clear_oldest();
      cursor = {};
    }
    if (progress != Progress::kDone) return progress;
  }
  return Progress::kDone;
}

// Lets operator i read the cursor to its end; a full output is emptied in between.
Progress OperatorChain::process_at(std::size_t i, operators::InputIndex input,
                                   stream::BatchCursor& cursor) {
  for (;;) {
    ++process_calls_;
    if (cursor.position() != 0) ++resumed_calls_;
    const auto progress =
        call(i, [&](operators::Operator& op) { return op.process(input, cursor, outputs_of(i)); });
    const auto behind = drain_behind(i);
    if (behind != Progress::kDone) return behind;
    if (progress != Progress::kBlockedOnOutput) return progress;
  }
}

Progress OperatorChain::process(operators::InputIndex input, stream::BatchCursor& cursor) {
  if (const auto behind = drain_behind(0); behind != Progress::kDone) return behind;
  return process_at(0, input, cursor);
}

Progress OperatorChain::produce() {
  if (const auto behind = drain_behind(0); behind != Progress::kDone) return behind;
  const auto progress = call(0, [&](operators::Operator& op) { return op.produce(outputs_of(0)); });
  const auto outcome = after(progress, 0);
  return progress == Progress::kDone ? progress : outcome;
}

// Operator i has returned: what it put out goes on. One that stopped at its full output, which then
// was emptied, is to be called again; nobody would wake the Subtask for it.
Progress OperatorChain::after(Progress progress, std::size_t i) {
  if (const auto behind = drain_behind(i); behind != Progress::kDone) return behind;
  return progress == Progress::kBlockedOnOutput ? Progress::kMore : progress;
}

Progress OperatorChain::finish() {
  for (; finishing_ != links_.size(); ++finishing_) {
    const auto i = finishing_;
    if (const auto behind = drain_behind(i); behind != Progress::kDone) return behind;
    if (!has_finished_) {
      const auto progress =
          call(i, [&](operators::Operator& op) { return op.finish(outputs_of(i)); });
      has_finished_ = progress == Progress::kDone;
      if (const auto outcome = after(progress, i); outcome != Progress::kDone) return outcome;
    }
    has_finished_ = false;
    if (i + 1 == links_.size()) continue;
    at_ = i + 1;
    links_[i + 1].op->on_end_of_input(0);
  }
  return Progress::kDone;
}

template <class Call>
Progress OperatorChain::call(std::size_t i, Call call) {
  at_ = i;
  return call(*links_[i].op);
}

}  // namespace weir::task
