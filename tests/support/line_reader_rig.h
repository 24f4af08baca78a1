#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/faulty_files.h"
#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/connectors/file/file_enumerator.h"
#include "weir/connectors/file/line_reader.h"
#include "weir/types/serializer.h"

// For the tests of the LineReader.
namespace weir::connectors {

using Strings = std::vector<std::string>;

// What anybody would say the lines are.
inline Strings naive_lines(std::string_view text) {
  Strings lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

inline const std::string kNasty(
    "first\r\nsecond line\n\n\r\n\r\r\nwith \0 NUL\nlonger than a chunk of sixteen "
    "bytes\n\n\nx\nlast",
    81);

// A file, the splits of it, and readers that read them.
class LineReaderTest : public testing::Test {
 protected:
  struct Reader {
    Reader(LineReaderTest& test, const FileLinesOptions& options)
        : world(test.world), reader(options) {
      context = {.name = "lines[0]", .env = &test.world.env(), .post = test.world.post()};
      EXPECT_TRUE(reader.open(context));
    }
    ~Reader() { world.settle(); }  // As a Subtask waits for what is under way.
    test::StepEnv& world;
    SourceContext context;
    LineReader reader;
  };

  void put(const std::string& path, const std::string& text) {
    const auto bytes = bytes_of(text);
    disk.poke(path, Bytes(bytes.begin(), bytes.end()));
  }
  Result<std::vector<Bytes>> try_list(const std::string& path, const FileLinesOptions& options) {
    FileEnumerator enumerator(path, options);
    SourceContext context{.name = "splits[0]", .env = &world.env(), .post = world.post()};
    WEIR_TRY(enumerator.open(context, std::nullopt));
    std::vector<Bytes> splits;
    while (auto split = enumerator.next_split({0})) splits.push_back(*std::move(split));
    EXPECT_TRUE(enumerator.is_exhausted());
    EXPECT_EQ(enumerator.unassigned(), 0u);
    return splits;
  }
  std::vector<Bytes> list(const std::string& path, const FileLinesOptions& options) {
    auto splits = try_list(path, options);
    EXPECT_TRUE(splits) << (splits ? "" : splits.error().what);
    return splits ? *splits : std::vector<Bytes>();
  }

  // Reads up to `limit` lines; fewer where the splits end.
  Result<Strings> try_read(LineReader& reader, std::size_t limit = 1'000'000,
                           std::uint32_t batch_records = 3) {
    Strings lines;
    while (lines.size() != limit) {
      const auto room =
          static_cast<std::uint32_t>(std::min<std::size_t>(batch_records, limit - lines.size()));
      stream::RecordBatch<Text> batch({}, room);
      WEIR_ASSIGN(const auto state, reader.read(batch));
      for (std::uint32_t i = 0; i != batch.size(); ++i) lines.push_back(batch[i].str());
      if (state == ReadState::kNeedsSplit) break;
      if (state == ReadState::kWaits) {
        EXPECT_FALSE(reader.is_quiet()) << "it waits for nothing";
        world.settle();
      }
    }
    return lines;
  }
  Strings read(LineReader& reader, std::size_t limit = 1'000'000, std::uint32_t batch_records = 3) {
    auto lines = try_read(reader, limit, batch_records);
    EXPECT_TRUE(lines) << (lines ? "" : lines.error().what);
    return lines ? *lines : Strings();
  }
  Error error_of(const std::vector<Bytes>& splits, const FileLinesOptions& options) {
    Reader r(*this, options);
    for (const auto& split : splits) EXPECT_TRUE(r.reader.add_split(split));
    const auto lines = try_read(r.reader);
    if (!lines) return lines.error();
    ADD_FAILURE() << "it read " << lines->size() << " lines";
    return {Code::kFailed, ""};
  }
  static void expect_says(const Error& error, Code code, const Strings& words) {
    EXPECT_EQ(error.code, code) << error.what;
    for (const auto& word : words)
      EXPECT_NE(error.what.find(word), std::string::npos) << error.what << "\n  no: " << word;
  }

  test::MemoryFiles disk;
  test::FaultyFiles files{disk};
  test::StepEnv world{files};
};

}  // namespace weir::connectors
