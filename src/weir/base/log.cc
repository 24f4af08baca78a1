#include "weir/base/log.h"

#include <atomic>

namespace weir::log {
namespace {
std::atomic<Sink*> g_sink{nullptr};  // Partner of set_sink's release: sink()'s acquire.
}

void set_sink(Sink* sink) { g_sink.store(sink, std::memory_order_release); }
Sink* sink() { return g_sink.load(std::memory_order_acquire); }

Event::Event(Level level, std::string_view name) : sink_(sink()), level_(level) {
  if (sink_ && !sink_->wants(level)) sink_ = nullptr;
  if (sink_) line_ = name;
}

Event::~Event() {
  if (sink_) sink_->write(level_, line_);
}

Event& Event::field(std::string_view name, std::string_view value) {
  return sink_ ? append(name, value) : *this;
}

Event& Event::append(std::string_view name, std::string_view value) {
  const bool quoted = value.empty() || value.find_first_of(" \t\n\"=") != std::string_view::npos;
  line_ += ' ';
  line_ += name;
  line_ += '=';
  if (quoted) line_ += '"';
  for (const char c : value) {
    if (quoted && (c == '"' || c == '\\')) line_ += '\\';
    if (c == '\n') {
      line_ += "\\n";
    } else {
      line_ += c;
    }
  }
  if (quoted) line_ += '"';
  return *this;
}

}  // namespace weir::log
