#include <optional>
#include <utility>

#include "weir/base/checksum.h"
#include "weir/base/random.h"
#include "weir/state/api/snapshot_reader.h"
#include "weir/state/api/snapshot_writer.h"

namespace weir::state {
namespace {

std::string hex(ByteView bytes) {
  std::string text;
  for (const auto byte : bytes) {
    const auto value = static_cast<unsigned>(byte);
    text += "0123456789abcdef"[value >> 4];
    text += "0123456789abcdef"[value & 15];
  }
  return text;
}

Bytes bytes(std::string_view text) {
  const auto view = bytes_of(text);
  return {view.begin(), view.end()};
}

SnapshotHeader header() {
  SnapshotHeader header;
  header.epoch = Epoch{3};
  header.job = *JobId::from_hex("000102030405060708090a0b0c0d0e0f");
  header.checkpoint = CheckpointId{17};
  header.operator_id = *OperatorId::from_hex("101112131415161718191a1b1c1d1e1f");
  header.max_parallelism = 128;
  header.key_groups = {KeyGroup{43}, KeyGroup{85}};
  header.tables.push_back({"sum", KeyLayout::fixed(4), 0, bytes("K"), bytes(""), bytes("V")});
  header.tables.push_back(
      {"windows", KeyLayout::variable(), 2, bytes("K2"), bytes("N2"), bytes("V2")});
  return header;
}

DenseBlock first_block() {
  DenseBlock block;
  block.key_groups = {KeyGroup{50}, KeyGroup{51}};
  block.count = 2;
  ByteWriter out(block.bytes);
  out.number(std::uint32_t{1});
  out.text("one");
  out.number(std::uint32_t{2});
  out.text("");
  return block;
}

DenseBlock second_block() {
  DenseBlock block;
  block.kind = BlockKind::kDeletes;
  block.table = 1;
  block.key_groups = {KeyGroup{60}, KeyGroup{60}};
  block.count = 1;
  ByteWriter out(block.bytes);
  out.text("key");
  out.raw(bytes_of("ns"));
  return block;
}

MemoryFile small_file() {
  MemoryFile file("chk-17/sum-1");
  auto writer = *SnapshotWriter::begin(file, header());
  EXPECT_TRUE(writer.append(first_block()));
  EXPECT_TRUE(writer.append(second_block()));
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(writer.bytes_written(), file.size());
  EXPECT_EQ(writer.entries_written(), 3u);
  return file;
}

// Reads everything there is; the first error.
Status read_all(const ByteSource& file, std::uint64_t* entry_count = nullptr) {
  WEIR_ASSIGN(const auto reader, SnapshotReader::open(file));
  Bytes buffer;
  for (const auto& block : reader.blocks()) {
    WEIR_TRY(reader.read(block, buffer));
    auto entries = reader.entries(block, buffer);
    while (entries.next())
      if (entry_count != nullptr) ++*entry_count;
    if (!entries.is_whole()) return reader.corrupt(block.offset, "not whole");
  }
  return ok();
}

TEST(SnapshotFile, ReadsWhatWasWritten) {
  const auto file = small_file();
  const auto reader = *SnapshotReader::open(file);
  EXPECT_EQ(reader.header(), header());
  ASSERT_EQ(reader.blocks().size(), 2u);
  Bytes buffer;
  ASSERT_TRUE(reader.read(reader.blocks()[0], buffer));
  auto entries = reader.entries(reader.blocks()[0], buffer);
  const auto one = *entries.next();
  EXPECT_EQ(one.key, std::string_view("\1\0\0\0", 4));
  EXPECT_EQ(text_of(one.value), "one");
  const auto two = *entries.next();
  EXPECT_EQ(two.value.size(), 0u);
  EXPECT_FALSE(entries.next());
  EXPECT_TRUE(entries.is_whole());
  const auto& deletes = reader.blocks()[1];
  EXPECT_EQ(deletes.kind, BlockKind::kDeletes);
  EXPECT_EQ(deletes.key_groups, (KeyGroupRange{KeyGroup{60}, KeyGroup{60}}));
  ASSERT_TRUE(reader.read(deletes, buffer));
  auto deleted = reader.entries(deletes, buffer);
  const auto key = *deleted.next();
  EXPECT_EQ(key.key, "key");
  EXPECT_EQ(text_of(key.name_space), "ns");
}

TEST(SnapshotFile, AnEmptyOneIsAFileToo) {
  MemoryFile file("empty");
  auto writer = *SnapshotWriter::begin(file, header());
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(SnapshotReader::open(file)->blocks().empty());
}

// The bytes of docs/formats/keyed_state.md, version 1: they never change.
TEST(SnapshotFile, ItsBytesAreFrozen) {
  EXPECT_EQ(hex(small_file().bytes()),
            "574549524b45594401000000640000000300000000000000000102030405060708090a0b0c0d0e0f"
            "1100000000000000101112131415161718191a1b1c1d1e1f800000002b0000005500000000000000"
            "0000000000020373756d0400014b0001560777696e646f77730002024b32024e32025632fa8e33ef"
            "5f41459d0000000000320000003300000002000000000000000d00000000000000aed00d1ddbd585"
            "c801000000036f6e65020000000001000000013c0000003c00000001000000000000000600000000"
            "00000072ff38aa46a69d93036b65796e737c00000000000000000000000032000000330000000200"
            "0000000000000d00000000000000aed00d1ddbd585c8ae0000000000000001000000013c0000003c"
            "0000000100000000000000060000000000000072ff38aa46a69d93d9000000000000000200000000"
            "000000ee919d50f09207dc010000004459454b52494557");
}

// A file, and what the checkpoint says of it.
class NamedByACheckpoint final : public ByteSource {
 public:
  NamedByACheckpoint(const MemoryFile& file, std::uint64_t checksum)
      : file_(file), checksum_(checksum) {}
  std::string name() const override { return file_.name(); }
  std::uint64_t size() const override { return file_.size(); }
  std::optional<std::uint64_t> frame_checksum() const override { return checksum_; }
  Status read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    return file_.read_at(offset, into);
  }

 private:
  const MemoryFile& file_;
  const std::uint64_t checksum_;
};

// Offsets as in the frozen bytes: a header of 124, two heads of 37 with 13 and 6 bytes of entries, index and trailer.
TEST(SnapshotFile, ItsChecksumIsOfEverythingButTheEntries) {
  MemoryFile file("chk-17/sum-1");
  auto writer = *SnapshotWriter::begin(file, header());
  ASSERT_TRUE(writer.append(first_block()));
  ASSERT_TRUE(writer.append(second_block()));
  ASSERT_TRUE(writer.finish());
  Bytes frame;
  for (const auto& [from, to] :
       {std::pair<std::size_t, std::size_t>{0, 161}, {174, 211}, {217, file.size()}})
    frame.insert(frame.end(), file.bytes().begin() + static_cast<std::ptrdiff_t>(from),
                 file.bytes().begin() + static_cast<std::ptrdiff_t>(to));
  EXPECT_EQ(writer.frame_checksum(), checksum(frame));
  EXPECT_TRUE(read_all(NamedByACheckpoint(file, checksum(frame))));
}

TEST(SnapshotFile, AWholeFileThatIsNotTheOneTheCheckpointNamesIsRefused) {
  MemoryFile file("chk-17/sum-1");
  auto writer = *SnapshotWriter::begin(file, header());
  auto other_entries = first_block();
  other_entries.bytes.back() ^= std::byte{1};
  ASSERT_TRUE(writer.append(first_block()));
  ASSERT_TRUE(writer.finish());
  MemoryFile other("chk-17/sum-1");
  auto other_writer = *SnapshotWriter::begin(other, header());
  ASSERT_TRUE(other_writer.append(other_entries));
  ASSERT_TRUE(other_writer.finish());
  ASSERT_EQ(file.size(), other.size());
  EXPECT_TRUE(read_all(NamedByACheckpoint(file, writer.frame_checksum())));
  const auto refused = read_all(NamedByACheckpoint(other, writer.frame_checksum()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_NE(refused.error().what.find("chk-17/sum-1: checksum of file differs"), std::string::npos)
      << refused.error().what;
}

TEST(SnapshotFile, EveryFlippedByteIsNoticed) {
  const auto good = small_file();
  for (std::size_t at = 0; at != good.bytes().size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      auto damaged = good.bytes();
      damaged[at] ^= static_cast<std::byte>(flip);
      const MemoryFile file("chk-17/damaged", damaged);
      const auto status = read_all(file);
      ASSERT_FALSE(status) << "byte " << at;
      EXPECT_NE(status.error().what.find("chk-17/damaged"), std::string::npos);
      EXPECT_TRUE(status.error().what.find("offset ") != std::string::npos ||
                  status.error().code == Code::kInvalid)
          << status.error().what;
    }
  }
}

TEST(SnapshotFile, EveryTruncationAndEveryTailIsNoticed) {
  const auto good = small_file();
  for (std::size_t length = 0; length != good.bytes().size(); ++length) {
    const MemoryFile file(
        "short",
        Bytes(good.bytes().begin(), good.bytes().begin() + static_cast<std::ptrdiff_t>(length)));
    ASSERT_FALSE(read_all(file)) << "length " << length;
  }
  auto longer = good.bytes();
  longer.push_back({});
  EXPECT_FALSE(read_all(MemoryFile("long", longer)));
}

TEST(SnapshotFile, ARandomMixOfItsPartsIsNoticed) {
  const auto good = small_file();
  Random random(1);
  for (int round = 0; round != 20'000; ++round) {
    auto damaged = good.bytes();
    const auto from = random.below(damaged.size());
    const auto to = random.below(damaged.size());
    const auto size = 1 + random.below(damaged.size() - std::max(from, to));
    std::memmove(damaged.data() + to, damaged.data() + from, size);
    if (damaged == good.bytes()) continue;
    ASSERT_FALSE(read_all(MemoryFile("mixed", damaged)));
  }
}

TEST(SnapshotFile, AnUnknownVersionIsRefusedByName) {
  auto newer = small_file().bytes();
  newer[8] = std::byte{2};
  EXPECT_EQ(read_all(MemoryFile("damaged", newer)).error().code, Code::kCorrupt)
      << "another version has the checksum that belongs to it";
  const auto covered = 16 + std::to_integer<std::size_t>(newer[12]);
  const auto right = checksum(ByteView(newer).first(covered));
  std::memcpy(newer.data() + covered, &right, sizeof right);
  const auto status = read_all(MemoryFile("newer", newer));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kInvalid);
  EXPECT_EQ(status.error().what,
            "reading keyed state newer: format version 2 is not known here, only version 1"
            "; start the build that wrote it, or begin anew with --restart");
}

// A file that somebody made, with right checksums.
MemoryFile forged(const std::function<void(SnapshotHeader&, DenseBlock&)>& change) {
  auto head = header();
  auto block = first_block();
  change(head, block);
  MemoryFile file("forged");
  auto writer = *SnapshotWriter::begin(file, head);
  EXPECT_TRUE(writer.append(block));
  EXPECT_TRUE(writer.finish());
  return file;
}

TEST(SnapshotFile, WhatMakesNoSenseIsRefusedThoughItsChecksumsAreRight) {
  using Head = SnapshotHeader;
  using Block = DenseBlock;
  const std::function<void(Head&, Block&)> forgeries[] = {
      [](Head&, Block& block) { block.table = 2; },
      [](Head&, Block& block) { block.kind = BlockKind{2}; },
      [](Head&, Block& block) { block.count = 3; },
      [](Head&, Block& block) { block.count = 1; },
      [](Head&, Block& block) { block.count = ~std::uint64_t{0}; },
      [](Head&, Block& block) {
        block.key_groups = {KeyGroup{9}, KeyGroup{8}};
      },
      [](Head&, Block& block) { block.key_groups.last = KeyGroup{128}; },
      [](Head&, Block& block) { block.bytes.push_back({}); },
      [](Head&, Block& block) { block.bytes.pop_back(); },
      [](Head&, Block& block) { block.bytes[4] = std::byte{0x7f}; },  // a value's length
      [](Head& head, Block&) { head.key_groups.last = KeyGroup{128}; },
      [](Head& head, Block&) {
        head.key_groups = {KeyGroup{9}, KeyGroup{8}};
      },
      [](Head& head, Block&) { head.max_parallelism = 0; },
      [](Head& head, Block&) { head.tables.clear(); },
      [](Head& head, Block&) { head.tables[0].namespace_bytes = kNamespaceBytesMax + 1; },
      [](Head& head, Block&) { head.tables[0].key.fixed_bytes = kFixedKeyBytesMax + 1; },
  };
  for (const auto& forgery : forgeries) {
    const auto status = read_all(forged(forgery));
    ASSERT_FALSE(status) << &forgery - forgeries;
    EXPECT_EQ(status.error().code, Code::kCorrupt);
  }
  EXPECT_TRUE(read_all(forged([](Head&, Block&) {})));
}

// Any bytes at all, behind the beginnings that would make a reader believe them.
TEST(SnapshotFile, RandomBytesAreNeverBelieved) {
  Random random(7);
  const auto good = small_file().bytes();
  for (int round = 0; round != 5'000; ++round) {
    Bytes noise(random.below(300));
    for (auto& byte : noise) byte = static_cast<std::byte>(random.next());
    if (random.one_in(2)) noise.insert(noise.begin(), good.begin(), good.begin() + 16);
    if (random.one_in(2)) noise.insert(noise.end(), good.end() - 36, good.end());
    ASSERT_FALSE(read_all(MemoryFile("noise", noise)));
  }
}

TEST(SnapshotWriter, PassesOnTheErrorOfItsSink) {
  class FullDisk final : public ByteSink {
   public:
    Status append(ByteView bytes) override {
      if (bytes.size() > room) return Error{Code::kExhausted, "writing x: the disk is full"};
      room -= bytes.size();
      return ok();
    }
    std::size_t room = 0;
  };
  const auto size = small_file().size();
  for (std::size_t room = 0; room != size; ++room) {
    FullDisk sink;
    sink.room = room;
    const auto status = [&]() -> Status {
      WEIR_ASSIGN(auto writer, SnapshotWriter::begin(sink, header()));
      WEIR_TRY(writer.append(first_block()));
      WEIR_TRY(writer.append(second_block()));
      return writer.finish();
    }();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kExhausted);
  }
}

}  // namespace
}  // namespace weir::state
