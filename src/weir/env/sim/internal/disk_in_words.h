#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "weir/env/api/file_system.h"
#include "weir/env/sim/sim_disk.h"

namespace weir::sim {

// Short words for tests that write to a SimDisk and say what is on it.

// The disk as one line: "a=text b=… d/c=…", with '.' for a zero byte.
inline std::string seen(SimDisk& disk) {
  std::string line;
  for (const auto& path : disk.paths()) {
    std::string text = *disk.content(path);
    std::replace(text.begin(), text.end(), '\0', '.');
    line.append(line.empty() ? "" : " ").append(path).append("=").append(text);
  }
  return line;
}

// A new or emptied file with this text, not synced.
inline std::unique_ptr<env::WritableFile> write(env::FileSystem& files, const std::string& path,
                                                std::string_view text) {
  auto file = files.create(path, env::Create::kOrTruncate);
  EXPECT_TRUE(file);
  EXPECT_EQ((*file)->append(bytes_of(text)), ok());
  return std::move(*file);
}

// A durable file.
inline void settle(env::FileSystem& files, const std::string& path, std::string_view text) {
  EXPECT_EQ(write(files, path, text)->sync(), ok());
  EXPECT_EQ(files.sync_directory(env::parent_of(path)), ok());
}

}  // namespace weir::sim
