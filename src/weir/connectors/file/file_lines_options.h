#pragma once

#include <cstdint>

namespace weir::connectors {

// How text files are read.
struct FileLinesOptions {
  // A file is dealt to the readers in pieces of this many bytes, cut at line ends.
  std::uint64_t split_bytes = std::uint64_t{64} << 20;
  // A longer line, without its line end, is an error.
  std::uint32_t line_bytes_max = 1u << 20;
  // What is read from the disk at once. Each reader is up to three of these ahead.
  std::uint32_t chunk_bytes = 1u << 20;
  // Of the whole source, spread evenly over its readers; 0: as fast as it goes.
  std::uint64_t max_bytes_per_second = 0;
};

}  // namespace weir::connectors
