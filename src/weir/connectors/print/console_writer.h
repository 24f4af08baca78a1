#pragma once

#include <functional>
#include <memory>
#include <string>

#include "weir/connectors/api/sink.h"
#include "weir/env/api/strand.h"

namespace weir::connectors {

// Brings lines to the console on the I/O pool: one buffer is being printed while another one is filled.
//
//   Errors  by health(): the first write that failed
//   Thread  open() on the I/O pool, the rest on the Subtask's
class ConsoleWriter {
 public:
  static constexpr std::size_t kBufferBytes = 64u << 10;

  void open(SinkContext& context);

  // Where whole lines are appended while has_room(); where there is none, a letter comes when there is again.
  std::string& text() { return filling_; }
  bool has_room() const { return filling_.size() < kBufferBytes; }
  // Prints what has been filled, now or after what is being printed.
  void send();
  // Prints all that has been filled, and tells when everything has been printed.
  std::function<void(StagedDone)> flushed();
  Status health() const { return status_; }
  bool is_quiet() const { return prints_out_ == 0; }

 private:
  using Post = std::function<void(std::function<void()>)>;
  // What the strand knows: the first write that failed.
  struct Outcome {
    Status status;
  };
  void print(const std::string& lines);
  void printed(const Status& status);

  SinkContext* context_ = nullptr;
  std::shared_ptr<const Post>
      post_;  // work under way holds it too: a letter may be this object's end
  std::shared_ptr<env::Strand> strand_;
  const std::shared_ptr<Outcome> outcome_ = std::make_shared<Outcome>();
  std::string filling_;
  std::string printing_;  // the strand's while is_printing_
  bool is_printing_ = false;
  std::uint32_t prints_out_ = 0;
  Status status_;
};

}  // namespace weir::connectors
