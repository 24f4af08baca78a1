#include "weir/connectors/file/file_source.h"

#include <gtest/gtest.h>

#include "weir/connectors/api/source_contract.h"

namespace weir::connectors {
namespace {

void put(test::MemoryFiles& disk, const std::string& path, std::string_view text) {
  const auto bytes = bytes_of(text);
  disk.poke(path, Bytes(bytes.begin(), bytes.end()));
}

// A directory of files that end in every way, cut so small that lines lie across splits and chunks.
template <std::uint64_t split_bytes, std::uint32_t chunk_bytes>
std::unique_ptr<SourceWorld> lines() {
  auto world = std::make_unique<PlayedSourceWorld<Text>>(
      std::make_shared<const FileLineSource>("in", FileLinesOptions{.split_bytes = split_bytes,
                                                                    .line_bytes_max = 100,
                                                                    .chunk_bytes = chunk_bytes}),
      [](const Text& line) { return line.str(); },
      SourceAttempt::Lines{"one", "two with more words", "", "", "\r", "four", "five", "six", "7",
                           "a line that is longer than some splits and chunks", "eight", "last"});
  EXPECT_TRUE(world->disk().make_directories("in"));
  put(world->disk(), "in/a", "one\r\ntwo with more words\n\n\r\n\r\r\nfour\n");
  put(world->disk(), "in/b", "five\nsix\n7");
  put(world->disk(), "in/c", "a line that is longer than some splits and chunks\neight\nlast\n");
  put(world->disk(), "in/empty", "");
  return world;
}

INSTANTIATE_TEST_SUITE_P(FileLinesInSmallSplits, SourceContract,
                         testing::Values(lines<10, 7>, lines<16, 1024>));
INSTANTIATE_TEST_SUITE_P(FileLinesInWholeFiles, SourceContract,
                         testing::Values(lines<1000, 3>, lines<1000, 1024>));

}  // namespace
}  // namespace weir::connectors
