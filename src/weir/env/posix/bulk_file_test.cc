#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <numeric>

#include "tests/support/temporary_directory.h"
#include "weir/env/posix/internal/bulk_file.h"
#include "weir/env/posix/posix_file_system.h"

namespace weir::env {
namespace {

constexpr std::size_t kPiece = BulkFile::kPieceBytes;

struct Write {
  bool is_direct = false;
  bool is_aligned = false;  // address and length
  std::size_t size = 0;

  friend bool operator==(const Write&, const Write&) = default;
};

// What the replaced calls remember, since a function pointer carries nothing. Direct writes are only played: what the
// directory lies on need not have them.
bool g_is_direct = false;
std::vector<Write> g_writes;
int g_failures_left = 0;

int take_flags(int, int flags) {
  EXPECT_EQ(flags & ~O_DIRECT, O_APPEND);
  g_is_direct = (flags & O_DIRECT) != 0;
  return 0;
}
ssize_t remember(int fd, const void* bytes, std::size_t size) {
  constexpr std::size_t kPage = 4096;
  g_writes.push_back({g_is_direct,
                      reinterpret_cast<std::uintptr_t>(bytes) % kPage == 0 && size % kPage == 0,
                      size});
  return ::write(fd, bytes, size);
}

class BulkFileTest : public ::testing::Test {
 protected:
  BulkFileTest() {
    g_is_direct = false;
    g_writes.clear();
    g_failures_left = 0;
    calls_.set_flags = take_flags;
    calls_.write = remember;
  }

  std::string path() const { return join(directory_.path(), "file"); }
  std::unique_ptr<WritableFile> create() { return *PosixFileSystem(calls_).create_bulk(path()); }
  Bytes written() {
    PosixFileSystem files;
    return *read_file(files, path(), 64 << 20);
  }

  const test::TemporaryDirectory directory_;
  SystemCalls calls_ = real_system_calls();
};

// No two neighbouring pieces are alike.
Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i != size; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + i / kPiece);
  return bytes;
}

TEST_F(BulkFileTest, HoldsWhatWasAppendedInWhateverPortions) {
  calls_ = real_system_calls();
  const auto bytes = pattern(3 * kPiece + 12'345);
  const auto file = create();
  for (std::size_t at = 0, size = 1; at != bytes.size();
       at += size, size = size * 3 % 700'001 + 1) {
    size = std::min(size, bytes.size() - at);
    ASSERT_TRUE(file->append(ByteView(bytes).subspan(at, size)));
  }
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(file->close());
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, HoldsWhatIsAppendedAfterASync) {
  calls_ = real_system_calls();
  const auto bytes = pattern(4 * kPiece);
  const auto file = create();
  ASSERT_TRUE(file->append(ByteView(bytes).first(kPiece + 5)));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(file->append(ByteView(bytes).subspan(kPiece + 5)));
  ASSERT_TRUE(file->close());
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, WritesWholePiecesPastThePageCacheAndTheRestThroughIt) {
  const auto bytes = pattern(2 * kPiece + 100);
  const auto file = create();
  ASSERT_TRUE(file->append(bytes));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(g_writes,
            (std::vector<Write>{{true, true, kPiece}, {true, true, kPiece}, {false, false, 100}}));
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, ASmallOneIsWrittenThroughTheCacheWhenItEnds) {
  const auto file = create();
  ASSERT_TRUE(file->append(pattern(4096)));
  EXPECT_TRUE(g_writes.empty());
  ASSERT_TRUE(file->close());
  ASSERT_EQ(g_writes.size(), 1u);
  EXPECT_FALSE(g_writes.front().is_direct);
  EXPECT_EQ(g_writes.front().size, 4096u);
}

TEST_F(BulkFileTest, AFilesystemWithoutDirectWritesGetsPiecesThroughItsCache) {
  calls_.set_flags = [](int, int) { return errno = EINVAL, -1; };
  const auto bytes = pattern(2 * kPiece + 1);
  const auto file = create();
  ASSERT_TRUE(file->append(bytes));
  ASSERT_TRUE(file->close());
  EXPECT_EQ(g_writes,
            (std::vector<Write>{{false, true, kPiece}, {false, true, kPiece}, {false, false, 1}}));
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, AFilesystemThatRefusesOnlyTheWriteItselfLosesNothing) {
  calls_.write = [](int fd, const void* bytes, std::size_t size) -> ssize_t {
    if (g_is_direct) return errno = EINVAL, -1;
    return remember(fd, bytes, size);
  };
  const auto bytes = pattern(2 * kPiece);
  const auto file = create();
  ASSERT_TRUE(file->append(bytes));
  ASSERT_TRUE(file->close());
  EXPECT_EQ(g_writes, (std::vector<Write>{{false, true, kPiece}, {false, true, kPiece}}));
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, AnInterruptedOrShortDirectWriteIsContinued) {
  g_failures_left = 2;
  calls_.write = [](int fd, const void* bytes, std::size_t size) -> ssize_t {
    if (g_failures_left == 2) return --g_failures_left, errno = EINTR, -1;
    if (g_failures_left == 1) return --g_failures_left, remember(fd, bytes, 1000);
    return remember(fd, bytes, size);
  };
  const auto bytes = pattern(2 * kPiece);
  const auto file = create();
  ASSERT_TRUE(file->append(bytes));
  ASSERT_TRUE(file->close());
  // What is left of the piece begins where no direct write may.
  EXPECT_EQ(g_writes,
            (std::vector<Write>{
                {true, false, 1000}, {false, false, kPiece - 1000}, {false, true, kPiece}}));
  EXPECT_EQ(written(), bytes);
}

TEST_F(BulkFileTest, AFullDiskIsToldByTheAppendThatFillsAPieceOrByTheEnd) {
  calls_.write = [](int, const void*, std::size_t) -> ssize_t { return errno = ENOSPC, -1; };
  const auto file = create();
  ASSERT_TRUE(file->append(pattern(kPiece - 1)));
  const auto appended = file->append(pattern(1));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Code::kExhausted);
  EXPECT_NE(appended.error().what.find(path()), std::string::npos);

  std::filesystem::remove(path());
  const auto synced = create();
  ASSERT_TRUE(synced->append(pattern(10)));
  EXPECT_EQ(synced->sync().error().code, Code::kExhausted);
  // What was lost then is not there later either.
  EXPECT_EQ(synced->sync().error().code, Code::kExhausted);
  EXPECT_EQ(synced->append(pattern(1)).error().code, Code::kExhausted);
  EXPECT_EQ(synced->close().error().code, Code::kExhausted);

  std::filesystem::remove(path());
  const auto closed = create();
  ASSERT_TRUE(closed->append(pattern(10)));
  EXPECT_EQ(closed->close().error().code, Code::kExhausted);
}

TEST_F(BulkFileTest, ANameThatIsTakenIsRefused) {
  ASSERT_TRUE(create()->close());
  EXPECT_EQ(PosixFileSystem(calls_).create_bulk(path()).error().code, Code::kRefused);
}

}  // namespace
}  // namespace weir::env
