#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::log {

enum class Level : unsigned char { kDebug, kInfo, kWarning, kError };

// Takes finished lines. Whoever builds an engine installs one: env/posix writes to standard error,
// the simulator keeps them as its trace.
//
//   Thread  write() may be called from any thread
class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool wants(Level level) const = 0;
  virtual void write(Level level, std::string_view line) = 0;
};

// The sink in force; it must outlive every event. nullptr drops all lines, which is the start.
void set_sink(Sink* sink);
Sink* sink();

// One line: an event with a name and fields.
//
//   log::Event(log::Level::kInfo, "CheckpointDeclined")
//       .field("checkpoint", 17)
//       .field("reason", "timeout");
//
// writes "CheckpointDeclined checkpoint=17 reason=timeout" when it goes out of scope. A value with
// spaces is quoted.
class Event {
 public:
  Event(Level level, std::string_view name);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  template <std::integral Number>
  Event& field(std::string_view name, Number value) {
    return sink_ ? append(name, std::to_string(value)) : *this;
  }
  Event& field(std::string_view name, std::string_view value);

 private:
  Event& append(std::string_view name, std::string_view value);

  Sink* sink_;  // nullptr where nobody wants this level
  Level level_;
  std::string line_;
};

}  // namespace weir::log
