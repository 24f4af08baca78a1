#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/operators/api/operator.h"
#include "weir/task/outlet.h"

namespace weir::task {

// Runs the operators of one Subtask by direct call, each on what the one before it put out.
//
// Every method goes as far as it can and says what stopped it; called again, it goes on there. What
// is deeper in the chain goes first, so that at most one batch lies between two operators.
//
//   Shape   operators 0 .. size()-1; operator 0 reads the Subtask's inputs, the last one writes to
//           the outlet
//   Errors  what an operator throws passes through; blamed() says which one it was
//   Thread  the Subtask's
class OperatorChain {
 public:
  struct Link {
    std::unique_ptr<operators::Operator> op;
    std::string name;                           // "sum[1]"
    std::unique_ptr<operators::Output> output;  // null where it puts out nothing
  };
  // `edges` leave the last operator; there are none where it puts out nothing.
  OperatorChain(std::vector<Link> links,
                std::vector<std::unique_ptr<exchange::ResultPartition>> edges);

  // Everything under way inside the chain is processed; what remains is in the outlet's open
  // batches.
  operators::Progress drain();
  // The first operator reads on at the cursor, the others follow.
  operators::Progress process(operators::InputIndex input, stream::BatchCursor& cursor);
  // The first operator, a source, puts out more.
  operators::Progress produce();
  // The end of all inputs, operator by operator.
  operators::Progress finish();

  // Sends what the outlet holds; false while it cannot.
  bool flush(Flush how);
  template <class Control>
  bool broadcast(const Control& control) {
    return !outlet_ || outlet_->broadcast(control);
  }

  // Visits the operators from the first to the last; at() follows.
  template <class Visit>
  void each(Visit visit) {
    for (at_ = 0; at_ + 1 < links_.size(); ++at_) visit(*links_[at_].op);
    visit(*links_[at_].op);
  }
  // What is called next belongs to that operator.
  void turn_to(std::size_t i) { at_ = i; }

  std::size_t size() const { return links_.size(); }
  operators::Operator& op(std::size_t i) const { return *links_[i].op; }
  const std::string& name(std::size_t i) const { return links_[i].name; }
  // Whose exception it is that passes: "operator sum[1]" for the one that is or was last being
  // called, "dealing the records of operator sum[1] by key" in the outlet.
  std::string blamed() const;
  // Calls of process(): one per batch and operator, and one more for each time that a batch was
  // resumed.
  std::uint64_t process_calls() const { return process_calls_; }
  // Those of them that went on in the middle of a batch.
  std::uint64_t resumed_calls() const { return resumed_calls_; }
  // Batches that went from one operator to the next.
  std::uint64_t inner_batches() const { return inner_batches_; }

 private:
  operators::Progress drain_behind(std::size_t i);
  operators::Progress process_at(std::size_t i, operators::InputIndex input,
                                 stream::BatchCursor& cursor);
  operators::Progress after(operators::Progress progress, std::size_t i);
  operators::Outputs outputs_of(std::size_t i) { return {&outputs_[i], outputs_[i] ? 1u : 0u}; }
  template <class Call>
  operators::Progress call(std::size_t i, Call call);

  std::vector<Link> links_;
  std::vector<operators::Output*> outputs_;
  std::vector<stream::BatchCursor>
      cursors_;  // i: what operator i+1 has read of operator i's oldest batch
  std::unique_ptr<Outlet> outlet_;
  std::size_t at_ = 0;         // the operator being called; size(): the outlet
  std::size_t finishing_ = 0;  // the operator whose turn it is to finish
  bool has_finished_ = false;  // it has, but something of it is still under way
  std::uint64_t process_calls_ = 0;
  std::uint64_t resumed_calls_ = 0;
  std::uint64_t inner_batches_ = 0;
};

}  // namespace weir::task
