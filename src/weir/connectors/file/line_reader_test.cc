#include "tests/support/line_reader_rig.h"

namespace weir::connectors {
namespace {

TEST_F(LineReaderTest, EverySplitSizeGivesTheLinesOfANaiveReader) {
  for (const auto& text :
       {kNasty, kNasty + "\n", kNasty + "\r", kNasty + "\r\n", kNasty + "\n\n", std::string("\n"),
        std::string("\r"), std::string("x"), std::string("\n\n\n")}) {
    put("in", text);
    for (std::uint64_t split_bytes = 1; split_bytes <= 40; ++split_bytes) {
      for (const std::uint32_t chunk_bytes : {1u, 2u, 3u, 7u, 16u, 1024u}) {
        const FileLinesOptions options{
            .split_bytes = split_bytes, .line_bytes_max = 100, .chunk_bytes = chunk_bytes};
        Reader r(*this, options);
        for (const auto& split : list("in", options)) ASSERT_TRUE(r.reader.add_split(split));
        ASSERT_EQ(read(r.reader), naive_lines(text))
            << "splits of " << split_bytes << ", chunks of " << chunk_bytes;
        EXPECT_EQ(r.reader.progress().done, text.size());
        EXPECT_EQ(r.reader.progress().total, text.size());
      }
    }
  }
}

// SR-03: what is in a checkpoint goes on, wherever it was taken and whoever gets it.
TEST_F(LineReaderTest, ACheckpointBehindAnyLineGoesOnInOtherReaders) {
  put("in", kNasty);
  const auto want = naive_lines(kNasty);
  for (const std::uint64_t split_bytes : {5u, 17u, 30u, 1000u}) {
    for (const std::uint32_t chunk_bytes : {3u, 1024u}) {
      const FileLinesOptions options{
          .split_bytes = split_bytes, .line_bytes_max = 100, .chunk_bytes = chunk_bytes};
      for (std::size_t cut = 0; cut <= want.size(); ++cut) {
        Reader first(*this, options);
        for (const auto& split : list("in", options)) ASSERT_TRUE(first.reader.add_split(split));
        auto lines = read(first.reader, cut);
        ASSERT_EQ(lines.size(), cut);
        const auto state = first.reader.snapshot();
        EXPECT_EQ(first.reader.snapshot(), state);
        for (const auto& element :
             state) {  // Each to a reader of its own, which takes a snapshot before it reads.
          Reader other(*this, options);
          ASSERT_TRUE(other.reader.add_split(element));
          EXPECT_EQ(other.reader.snapshot(), std::vector<Bytes>{element});
          const auto more = read(other.reader);
          lines.insert(lines.end(), more.begin(), more.end());
        }
        ASSERT_EQ(lines, want) << "cut behind line " << cut << ", splits of " << split_bytes;
      }
    }
  }
}

TEST_F(LineReaderTest, PositionsBehindTheFirstKilobytesAreProvenByWhatLiesBeforeThem) {
  std::string text;
  for (int i = 0; i != 5000; ++i) text += "line " + std::to_string(i) + "\n";
  put("in", text);
  const auto want = naive_lines(text);
  for (const std::uint32_t chunk_bytes : {100u, 5000u, 1u << 20}) {
    const FileLinesOptions options{.split_bytes = 20'000, .chunk_bytes = chunk_bytes};
    for (const std::size_t cut : {1u, 1000u, 3333u}) {
      Reader first(*this, options);
      for (const auto& split : list("in", options)) ASSERT_TRUE(first.reader.add_split(split));
      auto lines = read(first.reader, cut, 1000);
      Reader second(*this, options);
      for (const auto& element : first.reader.snapshot())
        ASSERT_TRUE(second.reader.add_split(element));
      const auto more = read(second.reader, 1'000'000, 1000);
      lines.insert(lines.end(), more.begin(), more.end());
      ASSERT_EQ(lines, want);
    }
  }
}

TEST_F(LineReaderTest, ALineOfTheLimitIsReadAndALongerOneIsNamed) {
  for (const std::uint32_t chunk_bytes : {4u, 1024u}) {
    const FileLinesOptions options{.line_bytes_max = 10, .chunk_bytes = chunk_bytes};
    put("in", "abc\n0123456789\n0123456789\r\n0123456789");
    Reader r(*this, options);
    ASSERT_TRUE(r.reader.add_split(list("in", options)[0]));
    EXPECT_EQ(read(r.reader), (Strings{"abc", "0123456789", "0123456789", "0123456789"}));
    for (const char* text : {"abc\n0123456789x\n", "abc\n0123456789x\r\nyy", "abc\n0123456789x",
                             "abc\n0123456789xyzxyzxyz"}) {
      put("in", text);
      expect_says(error_of(list("in", options), options), Code::kInvalid,
                  {"in: the line at byte 4", "limit of 10 bytes"});
    }
  }
}

TEST_F(LineReaderTest, SkippingToItsFirstLineASplitPassesALineOfAnyLength) {
  put("in", "short\n" + std::string(500, 'x') + "\nend");
  const FileLinesOptions options{.split_bytes = 100, .line_bytes_max = 600, .chunk_bytes = 8};
  auto splits = list("in", options);
  ASSERT_EQ(splits.size(), 6u);
  const FileLinesOptions narrow{.split_bytes = 100, .line_bytes_max = 10, .chunk_bytes = 8};
  Reader r(*this, narrow);
  for (std::size_t i = 1; i != splits.size(); ++i) ASSERT_TRUE(r.reader.add_split(splits[i]));
  EXPECT_EQ(read(r.reader), Strings{"end"});
}

TEST_F(LineReaderTest, ItReadsAheadOnTheIoPoolAndSaysWhenItIsQuiet) {
  put("in", std::string(1000, '\n'));
  const FileLinesOptions options{.chunk_bytes = 100};
  Reader r(*this, options);
  ASSERT_TRUE(r.reader.add_split(list("in", options)[0]));
  EXPECT_TRUE(r.reader.is_quiet());
  stream::RecordBatch<Text> batch({}, 50);
  EXPECT_EQ(*r.reader.read(batch), ReadState::kWaits);
  EXPECT_FALSE(r.reader.is_quiet());
  EXPECT_EQ(world.io_waiting(), 1u);
  const auto reads = [&] {
    return std::count_if(files.log().begin(), files.log().end(),
                         [](const auto& call) { return call.name == "read"; });
  };
  const auto before = reads();
  world.settle();
  EXPECT_TRUE(r.reader.is_quiet());
  EXPECT_EQ(reads() - before, 1 + 2) << "the proof, and two chunks ahead";
  EXPECT_EQ(*r.reader.read(batch), ReadState::kMore);
  EXPECT_TRUE(batch.is_full());
  EXPECT_EQ(world.io_waiting(), 1u) << "the place of the one that was taken is filled";
  world.settle();
}

TEST_F(LineReaderTest, InSteadyStateBlocksAreUsedAgain) {
  put("in", std::string(50'000, '\n'));
  const FileLinesOptions options{.chunk_bytes = 100};
  Reader r(*this, options);
  ASSERT_TRUE(r.reader.add_split(list("in", options)[0]));
  stream::RecordBatch<Text> batch({}, 30);
  std::uint64_t lines = 0;
  std::uint64_t made = 0;
  for (auto state = ReadState::kMore; state != ReadState::kNeedsSplit;) {
    state = *r.reader.read(batch);
    lines += batch.size();
    batch.clear();
    world.settle();
    if (lines < 1000) made = r.reader.blocks_made();
  }
  EXPECT_EQ(lines, 50'000u);
  EXPECT_EQ(r.reader.blocks_made(), made);
}

TEST_F(LineReaderTest, ABatchKeepsItsTextsWhileTheReaderGoesOn) {
  put("in", kNasty);
  const FileLinesOptions options{.line_bytes_max = 100, .chunk_bytes = 7};
  Reader r(*this, options);
  ASSERT_TRUE(r.reader.add_split(list("in", options)[0]));
  stream::RecordBatch<Text> batch;
  while (*r.reader.read(batch) == ReadState::kWaits) world.settle();
  Strings lines;
  for (std::uint32_t i = 0; i != batch.size(); ++i) lines.push_back(batch[i].str());
  EXPECT_EQ(lines, naive_lines(kNasty));
}

TEST_F(LineReaderTest, AHaltedReaderKeepsItsPlace) {
  put("in", kNasty);
  Reader r(*this, {});
  ASSERT_TRUE(r.reader.add_split(list("in", {})[0]));
  EXPECT_EQ(read(r.reader, 1), Strings{"first"});
  r.reader.halt();
  stream::RecordBatch<Text> batch;
  EXPECT_EQ(*r.reader.read(batch), ReadState::kWaits);
  EXPECT_TRUE(batch.is_empty());
  Reader other(*this, {});
  for (const auto& element : r.reader.snapshot()) ASSERT_TRUE(other.reader.add_split(element));
  auto rest = naive_lines(kNasty);
  rest.erase(rest.begin());
  EXPECT_EQ(read(other.reader), rest);
}

TEST_F(LineReaderTest, APacedReaderTakesTheTimeItWasTold) {
  put("in", std::string(10'000, '\n'));
  const FileLinesOptions options{.max_bytes_per_second = 2000};
  Reader r(*this, options);
  r.context.parallelism = 2;  // A half of it each.
  LineReader reader(options);
  ASSERT_TRUE(reader.open(r.context));
  ASSERT_TRUE(reader.add_split(list("in", options)[0]));
  stream::RecordBatch<Text> batch({}, 100);
  std::uint64_t lines = 0;
  const auto& env = world.env();
  const auto begin = env.clock.now();
  for (auto state = ReadState::kMore; state != ReadState::kNeedsSplit;) {
    state = *reader.read(batch);
    lines += batch.size();
    batch.clear();
    if (state != ReadState::kWaits) continue;
    if (reader.wake_at() == Instant::never()) {
      ASSERT_FALSE(reader.is_quiet());
      world.settle();
    } else {
      ASSERT_GT(reader.wake_at(), env.clock.now());
      world.advance(reader.wake_at() - env.clock.now());
    }
  }
  EXPECT_EQ(lines, 10'000u);
  const auto took = env.clock.now() - begin;
  EXPECT_GT(took, Duration::millis(9'700));
  EXPECT_LT(took, Duration::millis(10'100));
}

}  // namespace
}  // namespace weir::connectors
