#include "weir/env/posix/posix_file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tests/support/temporary_directory.h"
#include "weir/env/api/file_system_contract.h"

namespace weir::env {
namespace {

struct PosixFixture {
  FileSystem& files() { return files_; }
  std::string root() { return directory_.path(); }

 private:
  test::TemporaryDirectory directory_;
  PosixFileSystem files_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Posix, FileSystemContract, PosixFixture);

// The real calls, but for those that a test replaces. What the replacements remember is here,
// since a function pointer carries nothing.
int g_errno = 0;
int g_calls = 0;
std::vector<std::string> g_opened;

class PosixFileSystemFaults : public ::testing::Test {
 protected:
  PosixFileSystemFaults() {
    g_errno = 0;
    g_calls = 0;
    g_opened.clear();
  }
  std::string at(const std::string& name) { return join(directory_.path(), name); }
  PosixFileSystem files() { return PosixFileSystem(calls_); }
  std::unique_ptr<WritableFile> create(const std::string& name) {
    return *PosixFileSystem(calls_).create(at(name), Create::kNew);
  }

  test::TemporaryDirectory directory_;
  SystemCalls calls_ = real_system_calls();
};

TEST_F(PosixFileSystemFaults, AnInterruptedCallIsMadeAgain) {
  calls_.write = [](int fd, const void* bytes, size_t size) -> ssize_t {
    if (++g_calls % 3 != 0) return errno = EINTR, -1;
    return ::write(fd, bytes, size);
  };
  calls_.pread = [](int fd, void* into, size_t size, off_t offset) -> ssize_t {
    if (++g_calls % 3 != 0) return errno = EINTR, -1;
    return ::pread(fd, into, size, offset);
  };
  calls_.fdatasync = [](int fd) {
    if (++g_calls % 3 != 0) return errno = EINTR, -1;
    return ::fdatasync(fd);
  };
  calls_.open = [](const char* path, int flags, mode_t mode) {
    if (++g_calls % 3 != 0) return errno = EINTR, -1;
    return ::open(path, flags, mode);
  };
  auto files = this->files();
  ASSERT_EQ(replace_file(files, at("a"), bytes_of("hello")), ok());
  EXPECT_EQ(text_of(*read_file(files, at("a"), 100)), "hello");
  EXPECT_GE(g_calls, 15);
}

// The same of the calls that touch names: every call is interrupted once before it does anything.
TEST_F(PosixFileSystemFaults, AnInterruptedCallOnANameIsMadeAgain) {
  calls_.fsync = [](int fd) { return ++g_calls % 2 ? (errno = EINTR, -1) : ::fsync(fd); };
  calls_.flock = [](int fd, int how) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::flock(fd, how);
  };
  calls_.rename = [](const char* from, const char* to) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::rename(from, to);
  };
  calls_.link = [](const char* from, const char* to) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::link(from, to);
  };
  calls_.unlink = [](const char* path) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::unlink(path);
  };
  calls_.rmdir = [](const char* path) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::rmdir(path);
  };
  calls_.mkdir = [](const char* path, mode_t mode) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::mkdir(path, mode);
  };
  calls_.stat = [](const char* path, struct stat* info) {
    return ++g_calls % 2 ? (errno = EINTR, -1) : ::stat(path, info);
  };
  auto files = this->files();
  ASSERT_EQ(files.make_directories(at("d/e")), ok());
  ASSERT_EQ(replace_file(files, at("d/a"), bytes_of("x")), ok());
  EXPECT_EQ(files.link(at("d/a"), at("d/b")), ok());
  EXPECT_EQ(files.remove(at("d/a")), ok());
  EXPECT_EQ(files.remove_directory(at("d/e")), ok());
  EXPECT_EQ(files.sync_directory(at("d")), ok());
  EXPECT_EQ(files.info(at("d/b"))->size, 1u);
  EXPECT_TRUE(files.lock(at("lock"))->lock);
  EXPECT_EQ(g_calls % 2, 0);
  EXPECT_GE(g_calls, 2 * 12);
}

TEST_F(PosixFileSystemFaults, ShortWritesAndReadsAreContinued) {
  calls_.write = [](int fd, const void* bytes, size_t size) -> ssize_t {
    ++g_calls;
    return ::write(fd, bytes, std::min<size_t>(size, 3));
  };
  calls_.pread = [](int fd, void* into, size_t size, off_t offset) -> ssize_t {
    ++g_calls;
    return ::pread(fd, into, std::min<size_t>(size, 4), offset);
  };
  auto files = this->files();
  ASSERT_EQ(replace_file(files, at("a"), bytes_of("0123456789")), ok());
  EXPECT_EQ(g_calls, 4);
  EXPECT_EQ(text_of(*read_file(files, at("a"), 100)), "0123456789");
  EXPECT_EQ(g_calls, 7);
}

TEST_F(PosixFileSystemFaults, AFullDiskIsExhaustedWhereverItIsNoticed) {
  const auto file = create("a");
  for (const int reason : {ENOSPC, EDQUOT}) {
    g_errno = reason;
    calls_.write = [](int, const void*, size_t) -> ssize_t { return errno = g_errno, -1; };
    calls_.fdatasync = [](int) { return errno = g_errno, -1; };
    const auto status = file->append(bytes_of("x"));
    EXPECT_EQ(status.error().code, Code::kExhausted);
    EXPECT_NE(status.error().what.find("write " + at("a") + ": "), std::string::npos);
    EXPECT_EQ(file->sync().error().code, Code::kExhausted);
  }
}

TEST_F(PosixFileSystemFaults, APartThatWasWrittenBeforeTheDiskWasFullIsNoSuccess) {
  calls_.write = [](int fd, const void* bytes, size_t size) -> ssize_t {
    if (++g_calls > 1) return errno = ENOSPC, -1;
    return ::write(fd, bytes, std::min<size_t>(size, 2));
  };
  EXPECT_EQ(create("a")->append(bytes_of("12345")).error().code, Code::kExhausted);
}

TEST_F(PosixFileSystemFaults, AWriteThatDoesNothingIsAnErrorAndNoLoop) {
  calls_.write = [](int, const void*, size_t) -> ssize_t { return 0; };
  EXPECT_EQ(create("a")->append(bytes_of("x")).error().code, Code::kUnavailable);
}

TEST_F(PosixFileSystemFaults, AFailedSyncIsReported) {
  calls_.fdatasync = [](int) { return errno = EIO, -1; };
  calls_.fsync = [](int) { return errno = EIO, -1; };
  EXPECT_EQ(create("a")->sync().error().code, Code::kUnavailable);
  EXPECT_EQ(files().sync_directory(directory_.path()).error().code, Code::kUnavailable);
}

TEST_F(PosixFileSystemFaults, AFailedCloseIsReportedOnceAndNotRepeated) {
  calls_.close = [](int fd) {
    ++g_calls;
    ::close(fd);
    return errno = EIO, -1;
  };
  {
    const auto file = create("a");
    EXPECT_EQ(file->close().error().code, Code::kUnavailable);
  }
  EXPECT_EQ(g_calls, 1);
  calls_.close = [](int fd) { return ::close(fd), errno = EINTR, -1; };
  EXPECT_EQ(create("b")->close(), ok());  // Linux has closed it.
}

TEST_F(PosixFileSystemFaults, TooManyOpenFilesNamesTheLimit) {
  calls_.open = [](const char*, int, mode_t) { return errno = EMFILE, -1; };
  const auto error = files().open(at("a")).error();
  EXPECT_EQ(error.code, Code::kExhausted);
  EXPECT_NE(error.what.find("ulimit -n"), std::string::npos);
  calls_.open = [](const char*, int, mode_t) { return errno = ENFILE, -1; };
  EXPECT_NE(files().open(at("a")).error().what.find("fs.file-max"), std::string::npos);
}

TEST_F(PosixFileSystemFaults, AFileThatIsTooLargeNamesTheLimit) {
  calls_.open = [](const char*, int, mode_t) { return errno = EFBIG, -1; };
  const auto error = files().open(at("a")).error();
  EXPECT_EQ(error.code, Code::kExhausted);
  EXPECT_NE(error.what.find("raise the limit with `ulimit -f`"), std::string::npos) << error.what;
}

TEST_F(PosixFileSystemFaults, PermissionsAndReadOnlyDisksRefuse) {
  for (const int reason : {EACCES, EROFS, EPERM}) {
    g_errno = reason;
    calls_.open = [](const char*, int, mode_t) { return errno = g_errno, -1; };
    EXPECT_EQ(files().create(at("a"), Create::kNew).error().code, Code::kRefused);
  }
}

TEST_F(PosixFileSystemFaults, WhatMayNotOrCannotBeInAPlaceSaysWhatToDo) {
  for (const auto& [reason, advice] : {std::pair{EACCES, "this user may not: let it"},
                                       {EPERM, "this user may not: let it"},
                                       {EROFS, "nothing can be written there: name another place"},
                                       {EISDIR, "something else is in its place: remove it"},
                                       {ENOTDIR, "something else is in its place: remove it"}}) {
    g_errno = reason;
    calls_.open = [](const char*, int, mode_t) { return errno = g_errno, -1; };
    const auto error = files().open(at("a")).error();
    EXPECT_NE(error.what.find(advice), std::string::npos) << error.what;
  }
}

TEST_F(PosixFileSystemFaults, AFilesystemWithoutLocksSaysWhatToDo) {
  for (const int reason : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
    g_errno = reason;
    calls_.flock = [](int, int) { return errno = g_errno, -1; };
    const auto outcome = *files().lock(at("lock"));
    EXPECT_EQ(outcome.kind, LockOutcome::Kind::kNoLocks);
    EXPECT_FALSE(outcome.lock);
    EXPECT_NE(outcome.why.find("put the directory on one that has"), std::string::npos);
  }
  calls_.flock = [](int, int) { return errno = EIO, -1; };
  EXPECT_EQ(files().lock(at("lock")).error().code, Code::kUnavailable);
}

TEST_F(PosixFileSystemFaults, ALockFileThatCannotBeOpenedIsNeitherHeldNorWithoutLocks) {
  for (const auto& [reason, code] : {std::pair{EACCES, Code::kRefused},
                                     {EROFS, Code::kRefused},
                                     {EMFILE, Code::kExhausted},
                                     {ELOOP, Code::kInvalid},
                                     {ENAMETOOLONG, Code::kInvalid}}) {
    g_errno = reason;
    calls_.open = [](const char*, int, mode_t) { return errno = g_errno, -1; };
    const auto locked = files().lock(at("lock"));
    ASSERT_FALSE(locked) << std::strerror(reason);
    EXPECT_EQ(locked.error().code, code) << locked.error().what;
    EXPECT_NE(locked.error().what.find(at("lock")), std::string::npos) << locked.error().what;
  }
}

TEST_F(PosixFileSystemFaults, AFilesystemWithoutLinksIsNotMistakenForATakenName) {
  create("a");
  for (const int reason : {EPERM, EOPNOTSUPP}) {
    g_errno = reason;
    calls_.link = [](const char*, const char*) { return errno = g_errno, -1; };
    EXPECT_EQ(files().link(at("a"), at("b")).error().code, Code::kInvalid);
  }
}

TEST_F(PosixFileSystemFaults, AnUnreadableDirectoryIsNotAnEmptyOne) {
  calls_.readdir = [](DIR*) -> dirent* { return errno = EIO, nullptr; };
  EXPECT_EQ(files().list(directory_.path()).error().code, Code::kUnavailable);
}

TEST_F(PosixFileSystemFaults, EntriesOfUnknownTypeAreAskedFor) {
  ASSERT_EQ(files().make_directories(at("dir")), ok());
  create("file");
  ASSERT_EQ(::symlink("dir", at("link").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", at("dangling").c_str()), 0);
  calls_.readdir = [](DIR* directory) {
    dirent* entry = ::readdir(directory);
    if (entry && entry->d_type != DT_LNK) entry->d_type = DT_UNKNOWN;
    return entry;
  };
  const auto entries = *files().list(directory_.path());
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_FALSE(entries[0].is_directory) << entries[0].name;
  EXPECT_TRUE(entries[1].is_directory) << entries[1].name;
  EXPECT_FALSE(entries[2].is_directory) << entries[2].name;
  EXPECT_TRUE(entries[3].is_directory) << entries[3].name;
}

// Nobody waits for a writer that may never come, nor takes a device of size 0 for an empty file.
TEST_F(PosixFileSystemFaults, WhatIsNoRegularFileIsNotOpened) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(at("socket").size(), sizeof name.sun_path);
  std::strcpy(name.sun_path, at("socket").c_str());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(socket);
  for (const auto& path : {at("pipe"), at("socket"), std::string("/dev/null")}) {
    const auto opened = files().open(path);
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code, Code::kInvalid) << path;
    EXPECT_NE(opened.error().what.find("open " + path + ": "), std::string::npos);
  }
}

// Records what is opened as a directory, which happens for nothing but to sync it.
int open_and_record(const char* path, int flags, mode_t mode) {
  if (flags & O_DIRECTORY) g_opened.emplace_back(path);
  return ::open(path, flags, mode);
}

TEST_F(PosixFileSystemFaults, EachNewDirectoryIsMadeDurableInItsParent) {
  calls_.open = open_and_record;
  calls_.fsync = [](int fd) { return ++g_calls, ::fsync(fd); };
  ASSERT_EQ(files().make_directories(at("a/b")), ok());
  // The last one that was there, then the parents of the two new ones.
  EXPECT_EQ(g_opened,
            (std::vector<std::string>{parent_of(directory_.path()), directory_.path(), at("a")}));
  EXPECT_EQ(g_calls, 3);
}

TEST_F(PosixFileSystemFaults, ADirectoryThatSomebodyElseMakesMeanwhileIsFine) {
  calls_.mkdir = [](const char* path, mode_t mode) {
    ::mkdir(path, mode);
    return ::mkdir(path, mode);
  };
  EXPECT_EQ(files().make_directories(at("a/b")), ok());
}

TEST_F(PosixFileSystemFaults, ADirectoryWhoseNameCannotBeSyncedIsNotReportedAsMade) {
  calls_.fsync = [](int) { return errno = EIO, -1; };
  EXPECT_EQ(files().make_directories(at("a")).error().code, Code::kUnavailable);
}

TEST_F(PosixFileSystemFaults, EveryDescriptorIsClosedOnExec) {
  calls_.open = [](const char* path, int flags, mode_t mode) {
    if ((flags & O_CLOEXEC) == 0) ++g_calls;
    return ::open(path, flags, mode);
  };
  auto files = this->files();
  ASSERT_EQ(files.make_directories(at("d")), ok());
  ASSERT_EQ(replace_file(files, at("a"), bytes_of("x")), ok());
  ASSERT_TRUE(read_file(files, at("a"), 10));
  ASSERT_TRUE(files.list(directory_.path()));
  ASSERT_TRUE(files.lock(at("lock"))->lock);
  EXPECT_EQ(g_calls, 0);
}

TEST(PosixFileSystem, LeavesNoDescriptorOpen) {
  const auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_now();
  {
    test::TemporaryDirectory directory;
    PosixFileSystem files;
    const auto path = join(directory.path(), "a");
    ASSERT_EQ(replace_file(files, path, bytes_of("x")), ok());
    ASSERT_TRUE(read_file(files, path, 10));
    ASSERT_TRUE(files.list(directory.path()));
    ASSERT_FALSE(files.list(path));
    ASSERT_FALSE(files.open(directory.path()));
    ASSERT_TRUE(files.lock(path)->lock);
    const auto held = files.lock(path);
    ASSERT_FALSE(files.lock(path)->lock);
  }
  EXPECT_EQ(open_now(), before);
}

}  // namespace
}  // namespace weir::env
