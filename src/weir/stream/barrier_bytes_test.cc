#include "weir/stream/barrier_bytes.h"

namespace weir::stream {
namespace {

CheckpointBarrier savepoint() {
  return {.id = {0x1122},
          .kind = CheckpointKind::kSavepoint,
          .alignment = AlignmentMode::kExactlyOnce,
          .triggered_at = {0x0a0b},
          .deadline = Instant{1000} + Duration{7},
          .target = "sp"};
}

// Written down by hand from docs/formats/barrier.md.
TEST(BarrierBytes, AreAsThePageSays) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_barrier(savepoint(), Instant{1000}, out);
  const unsigned char want[] = {1,    0x22, 0x11, 0, 0, 0, 0, 0, 0,  // version, id
                                1,    0,                             // kind, alignment
                                0x0b, 0x0a, 0,    0, 0, 0, 0, 0,     // triggered at
                                7,    0,    0,    0, 0, 0, 0, 0,     // time left
                                2,    's',  'p'};                    // target
  ASSERT_EQ(bytes.size(), sizeof want);
  for (std::size_t i = 0; i != sizeof want; ++i)
    EXPECT_EQ(static_cast<unsigned char>(bytes[i]), want[i]) << i;
}

TEST(BarrierBytes, TheTimeLeftIsCountedOnTheReadersClock) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_barrier(savepoint(), Instant{1000}, out);
  ByteReader in(bytes);
  auto want = savepoint();
  want.deadline = Instant{500'007};
  EXPECT_EQ(*read_barrier(in, Instant{500'000}), want);
}

TEST(BarrierBytes, AreRefusedWhereTheyAreNone) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_barrier({.id = {1}}, Instant{}, out);
  for (std::size_t length = 0; length != bytes.size(); ++length) {
    ByteReader in(ByteView(bytes).first(length));
    EXPECT_EQ(read_barrier(in, Instant{}).error().code, Code::kCorrupt) << length;
  }
  const auto with = [&](std::size_t at, unsigned char value) {
    auto changed = bytes;
    changed[at] = static_cast<std::byte>(value);
    ByteReader in(changed);
    const auto barrier = read_barrier(in, Instant{});
    return barrier ? std::string() : barrier.error().to_string();
  };
  EXPECT_EQ(with(0, 2), "invalid: reading a barrier: version 2 is not known, only 1");
  EXPECT_EQ(with(9, 3), "corrupt: reading a barrier: the bytes are none");
  EXPECT_EQ(with(10, 3), "corrupt: reading a barrier: the bytes are none");
}

}  // namespace
}  // namespace weir::stream
