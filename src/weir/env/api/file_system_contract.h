#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/env/api/file_system.h"

namespace weir::env {

// What every FileSystem owes. A file system joins with a type that has `FileSystem& files()` and
// `std::string root()` (an existing, empty directory):
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Posix, FileSystemContract, PosixFixture);
template <class Fixture>
class FileSystemContract : public ::testing::Test {
 protected:
  FileSystem& files() { return fixture_.files(); }
  std::string at(const std::string& name) { return join(fixture_.root(), name); }

  void write(const std::string& name, std::string_view text) {
    auto file = files().create(at(name), Create::kOrTruncate);
    ASSERT_TRUE(file) << file.error().what;
    ASSERT_EQ((*file)->append(bytes_of(text)), ok());
    ASSERT_EQ((*file)->sync(), ok());
    ASSERT_EQ((*file)->close(), ok());
  }
  std::string read(const std::string& name) {
    auto bytes = read_file(files(), at(name), 1 << 20);
    return bytes ? std::string(text_of(*bytes)) : bytes.error().to_string();
  }
  std::vector<std::string> names(const std::string& name) {
    std::vector<std::string> names;
    auto entries = files().list(at(name));
    if (!entries) return {entries.error().to_string()};
    for (const auto& entry : *entries)
      names.push_back(entry.name + (entry.is_directory ? "/" : ""));
    return names;
  }
  // The code of what must not succeed; a success is reported as kFailed, which no FileSystem gives.
  template <class Outcome>
  static Code refusal(const Outcome& outcome) {
    if (outcome) return Code::kFailed;
    EXPECT_FALSE(outcome.error().what.empty());
    return outcome.error().code;
  }

 private:
  Fixture fixture_;
};

TYPED_TEST_SUITE_P(FileSystemContract);

TYPED_TEST_P(FileSystemContract, WhatWasAppendedIsReadInOrder) {
  auto file = this->files().create(this->at("a"), Create::kNew);
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->append(bytes_of("one ")), ok());
  EXPECT_EQ((*file)->append({}), ok());
  EXPECT_EQ((*file)->append(bytes_of("two")), ok());
  EXPECT_EQ(this->read("a"), "one two");  // Before close and sync too.
  EXPECT_EQ((*file)->sync(), ok());
  EXPECT_EQ((*file)->append(bytes_of(".")), ok());
  EXPECT_EQ((*file)->close(), ok());
  EXPECT_EQ(this->read("a"), "one two.");
}

TYPED_TEST_P(FileSystemContract, ABulkFileHoldsAtItsSyncAndAtItsEndWhatWasAppended) {
  auto file = this->files().create_bulk(this->at("a"));
  ASSERT_TRUE(file);
  const std::string much(700'000, 'x');
  EXPECT_EQ((*file)->append(bytes_of("one ")), ok());
  EXPECT_EQ((*file)->append({}), ok());
  EXPECT_EQ((*file)->append(bytes_of("two")), ok());
  EXPECT_EQ((*file)->sync(), ok());
  EXPECT_EQ(this->read("a"), "one two");
  EXPECT_EQ((*file)->append(bytes_of(much)), ok());
  EXPECT_EQ((*file)->append(bytes_of(".")), ok());
  EXPECT_EQ((*file)->close(), ok());
  EXPECT_EQ(this->read("a"), "one two" + much + ".");
  EXPECT_EQ(this->refusal(this->files().create_bulk(this->at("a"))), Code::kRefused);
  EXPECT_EQ(this->refusal(this->files().create_bulk(this->at("missing/a"))), Code::kNotFound);
}

TYPED_TEST_P(FileSystemContract, AReadBeyondTheEndIsShort) {
  this->write("a", "0123456789");
  auto file = this->files().open(this->at("a"));
  ASSERT_TRUE(file);
  EXPECT_EQ(*(*file)->size(), 10u);
  Bytes four(4);
  EXPECT_EQ(*(*file)->read_at(3, four), 4u);
  EXPECT_EQ(text_of(four), "3456");
  EXPECT_EQ(*(*file)->read_at(8, four), 2u);
  EXPECT_EQ(text_of(four).substr(0, 2), "89");
  EXPECT_EQ(*(*file)->read_at(10, four), 0u);
  EXPECT_EQ(*(*file)->read_at(1'000'000, four), 0u);
  EXPECT_EQ(*(*file)->read_at(0, {}), 0u);
}

TYPED_TEST_P(FileSystemContract, CreateNewRefusesAnExistingName) {
  this->write("a", "old");
  EXPECT_EQ(this->refusal(this->files().create(this->at("a"), Create::kNew)), Code::kRefused);
  EXPECT_EQ(this->read("a"), "old");
}

TYPED_TEST_P(FileSystemContract, CreateOrTruncateEmptiesWhatExists) {
  this->write("a", "old and long");
  auto file = this->files().create(this->at("a"), Create::kOrTruncate);
  ASSERT_TRUE(file);
  EXPECT_EQ(this->read("a"), "");
  EXPECT_EQ((*file)->append(bytes_of("new")), ok());
  EXPECT_EQ(this->read("a"), "new");
}

TYPED_TEST_P(FileSystemContract, MissingThingsAreNotFound) {
  auto& files = this->files();
  EXPECT_EQ(this->refusal(files.open(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.open(this->at("no/a"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.create(this->at("no/a"), Create::kNew)), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.rename(this->at("no"), this->at("a"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.link(this->at("no"), this->at("a"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.remove(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.remove_directory(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.sync_directory(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.list(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.info(this->at("no"))), Code::kNotFound);
  EXPECT_EQ(this->refusal(files.lock(this->at("no/lock"))), Code::kNotFound);
}

TYPED_TEST_P(FileSystemContract, AFileIsNoDirectoryAndADirectoryNoFile) {
  auto& files = this->files();
  this->write("file", "x");
  ASSERT_EQ(files.make_directories(this->at("dir")), ok());
  EXPECT_EQ(this->refusal(files.open(this->at("dir"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.create(this->at("dir"), Create::kOrTruncate)), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.create(this->at("dir"), Create::kNew)), Code::kRefused);
  EXPECT_EQ(this->refusal(files.remove(this->at("dir"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.link(this->at("dir"), this->at("b"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.rename(this->at("file"), this->at("dir"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.rename(this->at("dir"), this->at("file"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.open(this->at("file/a"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.list(this->at("file"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.lock(this->at("dir"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.lock(this->at("file/lock"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.sync_directory(this->at("file"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.remove_directory(this->at("file"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.make_directories(this->at("file"))), Code::kInvalid);
  EXPECT_EQ(this->refusal(files.make_directories(this->at("file/a"))), Code::kInvalid);
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"dir/", "file"}));
}

TYPED_TEST_P(FileSystemContract, RenameReplacesItsTarget) {
  this->write("a", "new");
  this->write("b", "old");
  EXPECT_EQ(this->files().rename(this->at("a"), this->at("b")), ok());
  EXPECT_EQ(this->read("b"), "new");
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"b"}));
  EXPECT_EQ(this->files().rename(this->at("b"), this->at("b")), ok());
  EXPECT_EQ(this->read("b"), "new");
}

TYPED_TEST_P(FileSystemContract, RenameMovesBetweenDirectories) {
  ASSERT_EQ(this->files().make_directories(this->at("dir")), ok());
  this->write("a", "x");
  EXPECT_EQ(this->files().rename(this->at("a"), this->at("dir/b")), ok());
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"dir/"}));
  EXPECT_EQ(this->read("dir/b"), "x");
}

TYPED_TEST_P(FileSystemContract, RenameMovesADirectoryWithWhatIsInIt) {
  ASSERT_EQ(this->files().make_directories(this->at("a")), ok());
  ASSERT_EQ(this->files().make_directories(this->at("full")), ok());
  this->write("a/x", "x");
  this->write("full/y", "y");
  EXPECT_EQ(this->refusal(this->files().rename(this->at("a"), this->at("full"))), Code::kRefused);
  EXPECT_EQ(this->files().rename(this->at("a"), this->at("b")), ok());
  EXPECT_EQ(this->read("b/x"), "x");
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"b/", "full/"}));
}

TYPED_TEST_P(FileSystemContract, ARenamedFileGoesOnUnderItsHandles) {
  auto file = this->files().create(this->at("a"), Create::kNew);
  ASSERT_TRUE(file);
  ASSERT_EQ((*file)->append(bytes_of("1")), ok());
  ASSERT_EQ(this->files().rename(this->at("a"), this->at("b")), ok());
  EXPECT_EQ((*file)->append(bytes_of("2")), ok());
  EXPECT_EQ(this->read("b"), "12");
}

TYPED_TEST_P(FileSystemContract, LinkGivesASecondNameOnce) {
  this->write("a", "x");
  EXPECT_EQ(this->files().link(this->at("a"), this->at("b")), ok());
  EXPECT_EQ(this->refusal(this->files().link(this->at("a"), this->at("b"))), Code::kRefused);
  EXPECT_EQ(this->files().info(this->at("a"))->inode, this->files().info(this->at("b"))->inode);
  EXPECT_EQ(this->files().rename(this->at("a"), this->at("b")), ok());  // One file: nothing to do.
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(this->files().remove(this->at("a")), ok());
  EXPECT_EQ(this->read("b"), "x");
}

TYPED_TEST_P(FileSystemContract, ARemovedFileCanStillBeReadByWhoHasItOpen) {
  this->write("a", "x");
  auto file = this->files().open(this->at("a"));
  ASSERT_TRUE(file);
  EXPECT_EQ(this->files().remove(this->at("a")), ok());
  EXPECT_EQ(this->refusal(this->files().open(this->at("a"))), Code::kNotFound);
  Bytes one(1);
  EXPECT_EQ(*(*file)->read_at(0, one), 1u);
  EXPECT_EQ(text_of(one), "x");
}

TYPED_TEST_P(FileSystemContract, OnlyEmptyDirectoriesAreRemoved) {
  ASSERT_EQ(this->files().make_directories(this->at("a/b")), ok());
  EXPECT_EQ(this->refusal(this->files().remove_directory(this->at("a"))), Code::kRefused);
  EXPECT_EQ(this->files().remove_directory(this->at("a/b")), ok());
  EXPECT_EQ(this->files().remove_directory(this->at("a")), ok());
  EXPECT_EQ(this->names(""), (std::vector<std::string>{}));
}

TYPED_TEST_P(FileSystemContract, DirectoriesAreMadeWithAllThatIsMissing) {
  EXPECT_EQ(this->files().make_directories(this->at("a/b/c")), ok());
  EXPECT_EQ(this->files().make_directories(this->at("a/b/c")), ok());
  EXPECT_EQ(this->files().make_directories(this->at("a/b/d/")), ok());
  EXPECT_EQ(this->names("a/b"), (std::vector<std::string>{"c/", "d/"}));
}

TYPED_TEST_P(FileSystemContract, ListIsInOrderOfName) {
  for (const auto* name : {"b", "a", ".hidden", "B", "a.b"}) this->write(name, "");
  EXPECT_EQ(this->names(""), (std::vector<std::string>{".hidden", "B", "a", "a.b", "b"}));
}

TYPED_TEST_P(FileSystemContract, InfoTellsSizeAndKind) {
  this->write("a", "12345");
  EXPECT_EQ(this->files().info(this->at("a"))->size, 5u);
  EXPECT_FALSE(this->files().info(this->at("a"))->is_directory);
  EXPECT_TRUE(this->files().info(this->at(""))->is_directory);
}

TYPED_TEST_P(FileSystemContract, ALockExcludesUntilItIsLetGo) {
  using Kind = LockOutcome::Kind;
  auto first = *this->files().lock(this->at("lock"));
  EXPECT_EQ(first.kind, Kind::kTaken);
  ASSERT_TRUE(first.lock);
  const auto second = *this->files().lock(this->at("lock"));
  EXPECT_EQ(second.kind, Kind::kHeldElsewhere);
  EXPECT_FALSE(second.lock);
  EXPECT_NE(second.why.find("lock"), std::string::npos) << second.why;
  EXPECT_EQ(this->files().lock(this->at("other"))->kind, Kind::kTaken);
  first.lock = nullptr;
  EXPECT_EQ(this->files().lock(this->at("lock"))->kind, Kind::kTaken);
}

TYPED_TEST_P(FileSystemContract, ReplaceFilePutsTheWholeContent) {
  EXPECT_EQ(replace_file(this->files(), this->at("a"), bytes_of("one")), ok());
  EXPECT_EQ(replace_file(this->files(), this->at("a"), bytes_of("two")), ok());
  EXPECT_EQ(this->read("a"), "two");
  EXPECT_EQ(this->names(""), (std::vector<std::string>{"a"}));
}

TYPED_TEST_P(FileSystemContract, ReadFileRefusesWhatIsTooLarge) {
  this->write("a", "12345");
  EXPECT_EQ(this->refusal(read_file(this->files(), this->at("a"), 4)), Code::kExhausted);
  EXPECT_EQ(read_file(this->files(), this->at("a"), 5)->size(), 5u);
}

TYPED_TEST_P(FileSystemContract, ErrorsNameThePath) {
  EXPECT_NE(this->files().open(this->at("no")).error().what.find(this->at("no")),
            std::string::npos);
  EXPECT_NE(this->files().rename(this->at("no"), this->at("b")).error().what.find(this->at("b")),
            std::string::npos);
}

REGISTER_TYPED_TEST_SUITE_P(FileSystemContract, WhatWasAppendedIsReadInOrder,
                            ABulkFileHoldsAtItsSyncAndAtItsEndWhatWasAppended,
                            AReadBeyondTheEndIsShort, CreateNewRefusesAnExistingName,
                            CreateOrTruncateEmptiesWhatExists, MissingThingsAreNotFound,
                            AFileIsNoDirectoryAndADirectoryNoFile, RenameReplacesItsTarget,
                            RenameMovesBetweenDirectories, RenameMovesADirectoryWithWhatIsInIt,
                            ARenamedFileGoesOnUnderItsHandles, LinkGivesASecondNameOnce,
                            ARemovedFileCanStillBeReadByWhoHasItOpen,
                            OnlyEmptyDirectoriesAreRemoved, DirectoriesAreMadeWithAllThatIsMissing,
                            ListIsInOrderOfName, InfoTellsSizeAndKind, ALockExcludesUntilItIsLetGo,
                            ReplaceFilePutsTheWholeContent, ReadFileRefusesWhatIsTooLarge,
                            ErrorsNameThePath);

}  // namespace weir::env
