#include "tests/support/line_reader_rig.h"

// Input that is not what it was when it was listed, or cannot be read.
namespace weir::connectors {
namespace {

TEST_F(LineReaderTest, ATruncatedFileIsAnError) {
  put("in", kNasty);
  const FileLinesOptions options{.split_bytes = 40};
  const auto splits = list("in", options);
  put("in", kNasty.substr(0, 60));
  expect_says(error_of({splits[1]}, options), Code::kCorrupt,
              {"in", "60 bytes", "81", "truncated"});
}

TEST_F(LineReaderTest, AFileThatIsTruncatedWhileItIsReadIsAnError) {
  put("in", kNasty);
  const FileLinesOptions options{.chunk_bytes = 10};
  Reader r(*this, options);
  ASSERT_TRUE(r.reader.add_split(list("in", options)[0]));
  EXPECT_EQ(read(r.reader, 1), Strings{"first"});
  const auto file = disk.create("in", env::Create::kOrTruncate);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(bytes_of(kNasty.substr(0, 35))));
  const auto lines = try_read(r.reader);
  ASSERT_FALSE(lines);
  expect_says(lines.error(), Code::kCorrupt, {"reading in", "byte 35", "truncated"});
}

TEST_F(LineReaderTest, AReplacedFileIsAnError) {
  put("in", kNasty);
  const FileLinesOptions options{.split_bytes = 40};
  const auto splits = list("in", options);
  put("in", "First" + kNasty.substr(5) + " and more");
  for (const auto& split : splits)
    expect_says(error_of({split}, options), Code::kCorrupt,
                {"reading in", "bytes 0 to 81", "not those that were there"});
}

TEST_F(LineReaderTest, AFileThatDiffersBeforeThePositionIsAnError) {
  std::string text;
  for (int i = 0; i != 3000; ++i) text += "line " + std::to_string(i) + "\n";
  put("in", text);
  const FileLinesOptions options{.split_bytes = 20'000};
  const auto splits = list("in", options);
  text[19'000] = '#';
  put("in", text);
  expect_says(error_of({splits[1]}, options), Code::kCorrupt,
              {"reading in", "bytes 15904 to 20000"});
  Reader r(*this, options);
  ASSERT_TRUE(r.reader.add_split(splits[0]));
  EXPECT_EQ(read(r.reader, 1), Strings{"line 0"}) << "what comes later is input like any other";
}

TEST_F(LineReaderTest, AVanishedFileIsAnError) {
  put("in", kNasty);
  const auto splits = list("in", {});
  ASSERT_TRUE(disk.remove("in"));
  expect_says(error_of(splits, {}), Code::kInvalid, {"reading input in"});
}

TEST_F(LineReaderTest, OfAFileThatGrewTheSizeSeenIsRead) {
  put("in", "one\ntwo\nthree");
  const FileLinesOptions options{.split_bytes = 6};
  const auto splits = list("in", options);
  put("in", "one\ntwo\nthree and a half\nfour\n");
  Reader r(*this, options);
  for (const auto& split : splits) ASSERT_TRUE(r.reader.add_split(split));
  EXPECT_EQ(read(r.reader), (Strings{"one", "two", "three"}));
}

TEST_F(LineReaderTest, AnErrorOfTheDiskMayPass) {
  put("in", kNasty);
  const auto splits = list("in", {});
  for (std::uint64_t k = 1;; ++k) {
    const auto before = files.calls();
    files.fail(before + k, {.code = Code::kUnavailable});
    Reader r(*this, {});
    ASSERT_TRUE(r.reader.add_split(splits[0]));
    const auto lines = try_read(r.reader);
    if (files.calls() < before + k) {
      EXPECT_EQ(*lines, naive_lines(kNasty));
      EXPECT_GT(k, 3u);
      break;
    }
    ASSERT_FALSE(lines);
    expect_says(lines.error(), Code::kUnavailable, {"in"});
    EXPECT_TRUE(r.reader.is_quiet());
  }
}

TEST_F(LineReaderTest, BytesThatAreNoSplitAreRefused) {
  Reader r(*this, {});
  EXPECT_EQ(r.reader.add_split(bytes_of("nonsense")).error().code, Code::kCorrupt);
  FileSplit split{.path = "in", .begin = 5, .end = 10, .next = 4, .file = {.size = 10}};
  EXPECT_EQ(r.reader.add_split(serialize(split)).error().code, Code::kCorrupt);
  split.next = 10;
  EXPECT_EQ(r.reader.add_split(serialize(split)).error().code, Code::kCorrupt);
  split.next = 9;
  EXPECT_TRUE(r.reader.add_split(serialize(split)));
}

}  // namespace
}  // namespace weir::connectors
