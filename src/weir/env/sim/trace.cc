#include "weir/env/sim/trace.h"

#include <string>

#include "weir/base/checksum.h"

namespace weir::sim {

void Trace::record(std::string_view kind, std::string_view subject, std::uint64_t first,
                   std::uint64_t second) {
  ++count_;
  mix(static_cast<std::uint64_t>(now_.ns));
  mix(checksum(bytes_of(kind)));
  mix(checksum(bytes_of(subject)));
  mix(first);
  mix(second);
  if (!listener_) return;
  std::string line = std::to_string(now_.ns);
  line.append(" ").append(kind).append(" ").append(subject);
  line.append(" ").append(std::to_string(first)).append(" ").append(std::to_string(second));
  listener_(line);
}

void Trace::write(log::Level level, std::string_view line) {
  record("log", line, static_cast<std::uint64_t>(level));
}

// Source: the finaliser of splitmix64.
void Trace::mix(std::uint64_t value) {
  std::uint64_t z = (hash_ ^ value) + 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  hash_ = z ^ z >> 31;
}

}  // namespace weir::sim
