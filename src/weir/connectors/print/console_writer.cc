#include "weir/connectors/print/console_writer.h"

#include <utility>

namespace weir::connectors {

void ConsoleWriter::open(SinkContext& context) {
  context_ = &context;
  post_ = std::make_shared<const Post>(context.post);
  strand_ = std::make_shared<env::Strand>(context.env->io);
}

void ConsoleWriter::send() {
  if (is_printing_ || filling_.empty()) return;
  std::swap(filling_, printing_);
  is_printing_ = true;
  ++prints_out_;
  strand_->submit([this] {
    const auto post = post_;
    print(printing_);
    (*post)([this, status = outcome_->status] {
      is_printing_ = false;
      printing_.clear();
      printed(status);
      send();
    });
  });
}

std::function<void(StagedDone)> ConsoleWriter::flushed() {
  if (!filling_.empty()) {
    ++prints_out_;
    strand_->submit([this, lines = std::exchange(filling_, {})] {
      const auto post = post_;
      print(lines);
      (*post)([this, status = outcome_->status] { printed(status); });
    });
  }
  return [strand = strand_, outcome = outcome_](StagedDone done) {
    strand->submit([outcome, done = std::move(done)] { done(outcome->status); });
  };
}

// On the strand. After a write that failed nobody knows how much of it is out: the attempt ends.
void ConsoleWriter::print(const std::string& lines) {
  if (outcome_->status) outcome_->status = context_->env->console.write(lines);
}

void ConsoleWriter::printed(const Status& status) {
  --prints_out_;
  status_ = status;
}

}  // namespace weir::connectors
