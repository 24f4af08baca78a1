#pragma once

#include <memory>
#include <vector>

#include "weir/connectors/api/source.h"
#include "weir/operators/api/operator.h"
#include "weir/stream/router.h"

namespace weir::connectors {

// Sends each assignment to the reader it names.
class AssignmentRouter final : public stream::Router {
 public:
  void route(stream::AnyBatch& batch, std::uint32_t from, std::uint32_t consumers,
             std::uint16_t* target_of) override;
};

// Runs a SplitEnumerator as the operator in front of the readers.
//
// Readers ask by hints, which may be lost or come twice: a hint says how many splits its reader has
// received, so one that was sent before the newest assignment arrived is not served again.
//
//   Thread  as Operator says
class SplitEnumeratorOperator final : public operators::Operator {
 public:
  explicit SplitEnumeratorOperator(std::unique_ptr<SplitEnumerator> enumerator)
      : enumerator_(std::move(enumerator)),
        splits_("unassigned-splits", enumerator_->state_schema()) {}

  Status open(operators::OperatorContext& context) override;
  operators::Progress process(operators::InputIndex, stream::BatchCursor&,
                              operators::Outputs) override {
    return operators::Progress::kDone;
  }
  bool is_source() const override { return true; }
  operators::Progress produce(operators::Outputs outputs) override;
  operators::SnapshotWork snapshot(CheckpointId id) override;
  void on_hint(SubtaskIndex reader, ByteView hint) override;
  Share progress() const override { return {.total = enumerator_->unassigned()}; }

 private:
  std::unique_ptr<SplitEnumerator> enumerator_;
  state::SerialisedListState splits_;
  // Tells an enumerator that has given everything away from one that the restored job did not have.
  state::ListState<bool> was_open_{"was-open"};
  operators::OperatorContext* operator_ = nullptr;
  SourceContext context_;
  std::vector<std::uint64_t> assigned_;  // to each reader since this attempt began
  std::vector<SubtaskIndex> waiting_;    // readers that asked and have not been served
};

}  // namespace weir::connectors
