#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "weir/base/check.h"

namespace weir::test {

// A new directory on the real disk, below TMPDIR or else /tmp; it goes with all that is in it.
//
//   Thread  one
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "weir-XXXXXX") {
    WEIR_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weir::test
